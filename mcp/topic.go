package mcp

import "strings"

// topicKey makes keys of topics. Clients may spell one URI in several ways, %7e for ~ or the parameters of a query
// in another order; the router takes all of them, so what it finds tells resources apart and not the text.
type topicKey struct {
	vars Vars
	b    []byte
}

// takeKey returns what makes one key; it is put back afterwards.
func (h *hub) takeKey() *topicKey {
	if k, ok := h.keys.Get().(*topicKey); ok {
		return k
	}
	return new(topicKey)
}

// keyOf is the key of the topic of uri.
func (h *hub) keyOf(uri string) string {
	k := h.takeKey()
	defer h.keys.Put(k)
	if !k.make(h.server, uri) {
		return uri
	}
	return string(k.b)
}

// topicOfLocked returns the topic of uri, or nil if it has no subs. It allocates nothing.
func (h *hub) topicOfLocked(uri string) *topic {
	if len(h.topics) == 0 {
		return nil
	}
	k := h.takeKey()
	defer h.keys.Put(k)
	if !k.make(h.server, uri) {
		return h.topics[uri]
	}
	return h.topics[string(k.b)]
}

// make sets b to the key of uri. It is false if that is uri itself: a literal, or what no template matches.
func (k *topicKey) make(s *Server, uri string) bool {
	i := s.route(uri, &k.vars)
	if i < 0 || s.features.Resources[i].Template == nil {
		return false
	}
	b := k.b[:0]
	b = append(b, s.features.Resources[i].Template.URITemplate...)
	for j := range k.vars.raw {
		if k.vars.Has(j) {
			// No variable holds a space once it is spelled, so that nothing in it looks like the next one.
			b = append(b, ' ', '0'+byte(j), ' ')
			b = appendSpelled(b, k.vars.raw[j])
		}
	}
	k.b = b
	return true
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
