package pubsub

import "strings"

// Kind is a kind of topic.
type Kind uint8

// The kinds that the package knows. Callers define further kinds of lists, with numbers above ResourceList.
const (
	// Resource is the kind of a topic that stands for one resource.
	Resource Kind = iota
	// Task is the kind of a topic that stands for one task, which has a name and no URI. A listen begins with an update of
	// each of its tasks.
	Task
	// Published is the kind of a topic on which an extension publishes notifications. The extension chooses its name.
	Published
	// ResourceList is the kind of the list of resources. A client that loses the right to a resource gets an update of it.
	ResourceList
)

// isNamed reports whether topics of kind k have a name and no URI.
func (k Kind) isNamed() bool { return k == Task || k == Published }

// isList reports whether topics of kind k are lists.
func (k Kind) isList() bool { return k >= ResourceList }

// maxKinds is the length of arrays indexed by a Kind. Every Kind is less.
const maxKinds = 16

// Topic is what a client subscribes to: a resource, a named topic such as a task, or a list.
type Topic struct {
	Kind Kind
	URI  string // URI of a resource, in one of its spellings; name of a named topic; "" for a list
}

// taskPrefix begins the text of a task. It begins with a space, because no URI contains a space. It must not change,
// because replicas of other releases use the same texts.
const taskPrefix = " task/"

// Text returns the text of a topic of kind Resource or Task, for other processes. [TopicOf] is the reverse.
func (t Topic) Text() string {
	if t.Kind == Task {
		return taskPrefix + t.URI
	}
	return t.URI
}

// TopicOf returns the topic for a text: a Task if the text is that of a task, else a Resource.
func TopicOf(text string) Topic {
	if name, ok := strings.CutPrefix(text, taskPrefix); ok {
		return Topic{Task, name}
	}
	return Topic{URI: text}
}

// topic is the entry of a Topic in the registry, with all subscriptions to the Topic. Each resource with subscribers
// has an entry, watched or not. An entry is small: it does not contain the URI, and its watcher is in Hub.watching. It
// is guarded by Hub.mu.
type topic struct {
	text, check uint64           // of the key of a resource
	next        *topic           // in the same bucket of topics
	one         [1]*Subscription // the only subscription; nil if there is none, or if many is used
	many        *[]*Subscription // all of them, once there were two; nil again when there are none
	resource    int32            // of the key
	absent      int32            // how many subscriptions are absent, see absences
}

// key identifies a resource: it has the number from a [Keyer] and two hashes of the text from it. The hashes have
// random seeds, so nobody can construct two texts with the same hashes. Among a million resources, two have the same
// key with a probability of 10^-27.
type key struct {
	text, check uint64
	resource    int32
}

// key returns the key of t.
func (t *topic) key() key { return key{t.text, t.check, t.resource} }

// subscriptions returns the subscriptions to t. The caller must not change the slice.
func (t *topic) subscriptions() []*Subscription {
	switch {
	case t.many != nil:
		return *t.many
	case t.one[0] != nil:
		return t.one[:]
	}
	return nil
}

// markLocked marks every subscription of t, and returns how many were marked already.
func (t *topic) markLocked() (again int) {
	for _, u := range t.subscriptions() {
		if !u.mark() {
			again++
		}
	}
	return again
}

// addLocked adds u to t.
func (t *topic) addLocked(u *Subscription) {
	u.topic, u.index = t, 0
	switch {
	case t.many != nil:
		u.index = int32(len(*t.many))
		*t.many = append(*t.many, u)
	case t.one[0] == nil:
		t.one[0] = u
	default:
		u.index = 1
		t.many = &[]*Subscription{t.one[0], u}
		t.one[0] = nil
	}
}

// minMany is the smallest number of subscriptions for which topic.many is made shorter.
const minMany = 4

// removeLocked removes u from t.
func (t *topic) removeLocked(u *Subscription) {
	if t.many == nil {
		t.one[0] = nil
	} else {
		all := *t.many
		last := len(all) - 1
		all[u.index] = all[last]
		all[u.index].index = u.index
		all[last] = nil
		*t.many = all[:last]
		switch {
		case last == 0:
			t.many = nil
		case last >= minMany && last <= cap(all)/4: // otherwise a client could make one topic after the other large
			*t.many = append(make([]*Subscription, 0, 2*last), all[:last]...)
		}
	}
	u.index = -1
}
