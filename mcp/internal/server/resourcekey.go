package server

import "strings"

// resourceKey implements [pubsub.Keyer]: it names resources by their index in Features.Resources, an alias by that of
// the resource that it is an alias of, and their instances by what [Resource.Topic] makes of the variables.
type resourceKey struct {
	s    *Server
	vars Vars
	text []byte
}

// takeKey returns memory for one URI, which is put back into s.keys.
func (s *Server) takeKey() *resourceKey {
	if k, ok := s.keys.Get().(*resourceKey); ok {
		return k
	}
	return &resourceKey{s: s}
}

// Key implements [pubsub.Keyer]. It may run methods of the user's types.
func (k *resourceKey) Key(uri string) (resource int, text []byte) {
	i := k.s.route(uri, &k.vars)
	if i >= 0 {
		if b, err := k.s.appendTopic(k.text[:0], i, &k.vars); err == nil {
			k.text = b
			return k.s.mains[i], b
		}
	}
	k.text = append(k.text[:0], uri...)
	return -1, k.text
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

// mainsOf returns, for each of the resources, the index of the one that it is an alias of; of others their own.
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

// routes reports whether some resource of s has that URI.
func (s *Server) routes(uri string) bool {
	k := s.takeKey()
	defer s.keys.Put(k)
	return s.route(uri, &k.vars) >= 0
}
