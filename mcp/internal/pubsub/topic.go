package pubsub

import "strings"

// Kind is a kind of topic.
type Kind uint8

// The kinds that the package knows. Callers define further lists, with the numbers behind ResourceList.
const (
	// Resource is the kind of topics that are one resource.
	Resource Kind = iota
	// Task is the kind of topics that are one task, which has a name and no URI. A listen begins with an update of each.
	Task
	// Published is the kind of topics on which an extension publishes notifications. Their names are those of the
	// extension.
	Published
	// ResourceList is the list of resources. It changes for a client that may not see a resource any more.
	ResourceList
)

// isNamed reports whether topics of a kind have a name and no URI.
func (k Kind) isNamed() bool { return k == Task || k == Published }

// isList reports whether a kind is a list.
func (k Kind) isList() bool { return k >= ResourceList }

// maxKinds is the length of arrays that are indexed by a Kind, all of which are less.
const maxKinds = 16

// Topic is what clients subscribe to: one resource, something else that has a name, or one list.
type Topic struct {
	Kind Kind
	URI  string // of a Resource, in one of its spellings; the name of what has one; else ""
}

// taskPrefix begins the text of a task. It begins with a space, because URIs have none. It must not change:
// replicas of other releases know it.
const taskPrefix = " task/"

// Text returns a Resource or a Task as one text, for other processes. [TopicOf] is the reverse.
func (t Topic) Text() string {
	if t.Kind == Task {
		return taskPrefix + t.URI
	}
	return t.URI
}

// TopicOf returns the topic with a text.
func TopicOf(text string) Topic {
	if name, ok := strings.CutPrefix(text, taskPrefix); ok {
		return Topic{Task, name}
	}
	return Topic{URI: text}
}

// topic is the entry of a Topic in the registry, with all subscriptions to it. There is one for each resource with
// subscribers, watched or not. To be small it has no text of its own, and its watcher is in Hub.watching. It is guarded
// by Hub.mu.
type topic struct {
	text, check uint64           // of the key of a resource
	next        *topic           // in the same bucket of topics
	one         [1]*Subscription // the subscription of a topic that has not had two since it had none; else nil
	many        *[]*Subscription // else all of them
	resource    int32            // of the key
	absent      int32            // subscriptions that are absent
}

// key is the identity of a resource, from a [Keyer]: its number and two hashes of its text. Both have random seeds.
// Among a million resources two have the same key with a probability of 10^-27, and nobody can search for two such
// texts.
type key struct {
	text, check uint64
	resource    int32
}

// key returns the key of a resource.
func (t *topic) key() key { return key{t.text, t.check, t.resource} }

// subscriptions returns those to t, which the caller does not change.
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

// minMany is the least number of subscriptions for which topic.many gives room back.
const minMany = 4

// removeLocked takes u out of t.
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
		case last >= minMany && last <= cap(all)/4: // else a client could make many topics large, one after the other
			*t.many = append(make([]*Subscription, 0, 2*last), all[:last]...)
		}
	}
	u.index = -1
}
