package server

import "strings"

// topicID is the identity of the topic that a URI belongs to. Clients may spell the URI of one resource in several
// ways: %7e for ~, 01 for 1, the parameters of a query in another order, a default written out. All of these have one
// topicID.
type topicID struct {
	// of is the place in Features.Resources of the resource, for an alias of the one that it is an alias of; -1 if there
	// is none.
	of int
	// text is the URI that [Resource.Topic] makes of the variables.
	text string
}

// topicKey is memory for the text of one topicID.
type topicKey struct {
	vars Vars
	b    []byte
}

// takeKey returns what makes one text; it is put back afterwards.
func (h *hub) takeKey() *topicKey {
	if k, ok := h.keys.Get().(*topicKey); ok {
		return k
	}
	return new(topicKey)
}

// idOf says which topic uri belongs to. It may run methods of the user's types, so no lock is held.
func (h *hub) idOf(uri string) topicID {
	k := h.takeKey()
	defer h.keys.Put(k)
	of := k.make(h.server, uri)
	if string(k.b) == uri {
		return topicID{of, uri}
	}
	return topicID{of, string(k.b)}
}

// findLocked returns the topic with that id, or nil if it has no subs.
func (h *hub) findLocked(id topicID) *topic {
	for t := h.topics[id.text]; t != nil; t = t.next {
		if t.of == id.of {
			return t
		}
	}
	return nil
}

// enterLocked makes t the topic of its id.
func (h *hub) enterLocked(t *topic) {
	t.next = h.topics[t.text]
	h.topics[t.text] = t
}

// forgetLocked makes the next sub of the id of t begin a topic of its own.
func (h *hub) forgetLocked(t *topic) {
	first := h.topics[t.text]
	for at := &first; *at != nil; at = &(*at).next {
		if *at == t {
			*at = t.next
			break
		}
	}
	if first == nil {
		delete(h.topics, t.text)
	} else {
		h.topics[t.text] = first
	}
}

// publish tells the subscribers of what uri names that it may have changed, and never blocks on a conn. It allocates
// nothing, apart from what methods of the user's types do; no lock is held while these run.
//
// A builder can write a URI that another, more specific template takes: FileURI("a/size") where {+path}/size is a
// template too. So the text as it stands counts as well as what it names.
func (h *hub) publish(uri string) {
	if h.isIdle() {
		return
	}
	k := h.takeKey()
	defer h.keys.Put(k)
	k.make(h.server, uri)
	h.mu.RLock()
	defer h.mu.RUnlock()
	h.topics[string(k.b)].markAllLocked()
	if string(k.b) != uri {
		h.topics[uri].markAllLocked()
	}
}

// isIdle reports whether nobody is subscribed to a URI. Whoever subscribes afterwards reads afterwards.
func (h *hub) isIdle() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.topics) == 0
}

// markAllLocked marks the subs of t and of the topics with the same text; t may be nil.
func (t *topic) markAllLocked() {
	for ; t != nil; t = t.next {
		t.markLocked()
	}
}

// publishOf marks every sub of the resource at a place in Features.Resources.
func (h *hub) publishOf(of int) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, t := range h.topics {
		for ; t != nil; t = t.next {
			if t.of == of {
				t.markLocked()
			}
		}
	}
}

// make sets b to the text of the topic of uri and returns its place: uri itself and -1 for what nobody can subscribe
// to.
func (k *topicKey) make(s *Server, uri string) (of int) {
	i := s.route(uri, &k.vars)
	if i >= 0 {
		if b, err := s.appendTopic(k.b[:0], i, &k.vars); err == nil {
			k.b = b
			return s.mains[i]
		}
	}
	k.b = append(k.b[:0], uri...)
	return -1
}

// appendTopic appends the text of the topic of the i-th resource with variables v.
func (s *Server) appendTopic(b []byte, i int, v *Vars) ([]byte, error) {
	r := &s.features.Resources[i]
	switch {
	case r.Topic != nil:
		return r.Topic(b, v)
	case r.Template == nil:
		return append(b, s.features.Resources[s.mains[i]].uri()...), nil
	}
	return appendVars(append(b, r.Template.URITemplate...), v), nil
}

// appendVars appends the variables of a template that does not say what tells its topics apart, each in one of the
// spellings that it has.
func appendVars(b []byte, v *Vars) []byte {
	for j := range v.raw {
		if v.Has(j) {
			// No variable holds a space once it is spelled, so that nothing in it looks like the next one.
			b = append(b, ' ', '0'+byte(j), ' ')
			b = appendSpelled(b, v.raw[j])
		}
	}
	return b
}

// mainsOf returns, for each of the resources, the place of the one that it is an alias of; of others their own.
func mainsOf(list []Resource) []int {
	mains := make([]int, len(list))
	for i := range list {
		mains[i] = i
		if list[i].AliasOf == "" {
			continue
		}
		for j := range list {
			if list[j].uri() == list[i].AliasOf {
				mains[i] = j
			}
		}
	}
	return mains
}

// appendSpelled appends the variable raw in one of its spellings: with an escape for a byte that could be taken for
// something else, between variables or the elements of a list, and for no other.
func appendSpelled(b []byte, raw string) []byte {
	const hex = "0123456789ABCDEF"
	for {
		i := strings.IndexByte(raw, '%')
		if i < 0 || i+2 >= len(raw) {
			return append(b, raw...)
		}
		b = append(b, raw[:i]...)
		c := unhex(raw[i+1])<<4 | unhex(raw[i+2])
		switch c {
		case '/', '&', '%', ' ':
			b = append(b, '%', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
		raw = raw[i+3:]
	}
}

// unhex is the value of a hexadecimal digit, which c is: the router has looked.
func unhex(c byte) byte {
	if c >= 'A' {
		return c&^0x20 - 'A' + 10
	}
	return c - '0'
}
