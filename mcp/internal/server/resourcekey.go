package server

import (
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
)

// resourceKey implements [pubsub.Keyer]: it names resources by their index in Features.Resources, an alias by that of
// the resource that it is an alias of, and their instances by what [feature.Resource.Topic] makes of the variables.
type resourceKey struct {
	s    *Server
	vars uri.Vars
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
func (s *Server) appendTopic(b []byte, i int, v *uri.Vars) ([]byte, error) {
	r := &s.features.Resources[i]
	switch {
	case r.Topic != nil:
		return r.Topic(b, v)
	case r.Template == nil:
		return append(b, s.features.Resources[s.mains[i]].URI()...), nil
	}
	return v.AppendKey(append(b, r.Template.URITemplate...)), nil
}

// mainsOf returns, for each of the resources, the index of the one that it is an alias of; of others their own.
func mainsOf(list []feature.Resource) []int {
	mains := make([]int, len(list))
	for i := range list {
		mains[i] = i
		if list[i].AliasOf == "" {
			continue
		}
		for j := range list {
			if list[j].URI() == list[i].AliasOf {
				mains[i] = j
			}
		}
	}
	return mains
}

// routes reports whether some resource of s has that URI.
func (s *Server) routes(uri string) bool {
	k := s.takeKey()
	defer s.keys.Put(k)
	return s.route(uri, &k.vars) >= 0
}
