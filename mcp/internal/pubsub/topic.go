package pubsub

// Kind is a kind of topic.
type Kind uint8

// The kinds that the package knows. Further lists are numbered from OtherList on by the caller.
const (
	// Resource is the kind of topics that are one resource.
	Resource Kind = iota
	// ResourceList is the list of resources. It changes for a client that may not see a resource any more.
	ResourceList
	// OtherList is the first number for lists that the caller names.
	OtherList

	// maxKinds bounds the numbers of lists.
	maxKinds = 16
)

// Topic is what clients subscribe to: one resource, or one list.
type Topic struct {
	Kind Kind
	URI  string // of a Resource, in one of its spellings; else ""
}

// key is the identity of a resource, as a Keyer tells it.
type key struct {
	resource int
	text     string
}

// topic is the entry of a Topic in the registry, with all subscriptions to it.
type topic struct {
	Topic                         // with the URI as the first subscription has spelled it
	key                           // of a Resource
	next          *topic          // of another resource, with the same text; guarded by Hub.mu
	subscriptions []*Subscription // guarded by Hub.mu
	watcher       *watcher        // guarded by Hub.mu; nil until a subscription waits for it, and if nothing is to be watched
}

// markLocked marks every subscription of t.
func (t *topic) markLocked() {
	for _, u := range t.subscriptions {
		u.mark()
	}
}

// markAllLocked marks the subscriptions of t and of the topics with the same text; t may be nil.
func (t *topic) markAllLocked() {
	for ; t != nil; t = t.next {
		t.markLocked()
	}
}

// addLocked adds u to t.
func (t *topic) addLocked(u *Subscription) {
	u.topic, u.index = t, len(t.subscriptions)
	t.subscriptions = append(t.subscriptions, u)
}

// removeLocked takes u out of t.
func (t *topic) removeLocked(u *Subscription) {
	last := len(t.subscriptions) - 1
	t.subscriptions[u.index] = t.subscriptions[last]
	t.subscriptions[u.index].index = u.index
	t.subscriptions[last] = nil
	t.subscriptions = t.subscriptions[:last]
	u.index = -1
}

// topics are the resources that somebody is subscribed to, by the text of their key.
type topics map[string]*topic

// find returns the topic of k; nil if there is none.
func (m topics) find(k key) *topic {
	for t := m[k.text]; t != nil; t = t.next {
		if t.resource == k.resource {
			return t
		}
	}
	return nil
}

// insert adds t, whose key is not there yet.
func (m topics) insert(t *topic) {
	t.next = m[t.text]
	m[t.text] = t
}

// remove takes t out. Nothing happens if it is not there.
func (m topics) remove(t *topic) {
	first := m[t.text]
	for at := &first; *at != nil; at = &(*at).next {
		if *at == t {
			*at = t.next
			break
		}
	}
	if first == nil {
		delete(m, t.text)
	} else {
		m[t.text] = first
	}
}
