package pubsub

// topic is the entry of a Topic in the registry, with all subscriptions to it.
type topic struct {
	Topic                         // with the URI as the first subscription has spelled it
	key                           // of a Resource
	next          *topic          // of another resource, with the same text; guarded by Hub.mu
	subscriptions []*Subscription // guarded by Hub.mu
	watcher       *watcher        // guarded by Hub.mu; nil until a subscription waits for it
	absent        int             // subscriptions that are absent; guarded by Hub.mu
}

// markLocked marks every subscription of t, and returns how many were marked already.
func (t *topic) markLocked() (again int) {
	for _, u := range t.subscriptions {
		if !u.mark() {
			again++
		}
	}
	return again
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

// topics are the resources with subscribers, by the text of their key.
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

// cancel returns what ends the watcher of t; nil if there is none.
func (t *topic) cancel() func() {
	if t.watcher == nil {
		return nil
	}
	return t.watcher.stop
}
