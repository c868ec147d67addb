package feature

import "github.com/mcpgen/mcpgen/mcp/internal/uri"

// Key implements pubsub.Keyer for a registry. The number of a resource is its [Registry.Canonical] index, and the text
// of an instance is what [Resource.Topic] makes of its variables.
type Key struct {
	r    *Registry
	vars uri.Vars
	text []byte
}

// NewKey returns a key of r.
func NewKey(r *Registry) *Key { return &Key{r: r} }

// takeKey returns a key for one use. The caller must put it back into r.keys.
func (r *Registry) takeKey() *Key {
	if k, ok := r.keys.Get().(*Key); ok {
		return k
	}
	return NewKey(r)
}

// Key implements pubsub.Keyer. If no resource has uri, it returns -1 and the text of uri. It may run methods of the
// user's types. text is valid until the next call.
func (k *Key) Key(uri string) (resource int, text []byte) {
	i := k.r.Route(uri, &k.vars)
	if i >= 0 {
		if b, err := k.r.appendTopic(k.text[:0], i, &k.vars); err == nil {
			k.text = b
			return k.r.Canonical(i), b
		}
	}
	k.text = append(k.text[:0], uri...)
	return -1, k.text
}

// appendTopic appends the text of the topic of the i-th resource with variables v.
func (r *Registry) appendTopic(b []byte, i int, v *uri.Vars) ([]byte, error) {
	x := &r.Resources[i]
	switch {
	case x.Topic != nil:
		return x.Topic(b, v)
	case x.Template == nil:
		return append(b, r.Resources[r.Canonical(i)].URI()...), nil
	}
	return v.AppendKey(append(b, x.Template.URITemplate...)), nil
}

// CheckTopic returns an error if nobody can subscribe to a URI of the i-th resource, because of one of its variables.
func (r *Registry) CheckTopic(i int, v *uri.Vars) error {
	k := r.takeKey()
	defer r.keys.Put(k)
	b, err := r.appendTopic(k.text[:0], i, v)
	k.text = b
	return err
}
