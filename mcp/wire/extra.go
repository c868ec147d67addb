package wire

import (
	"encoding/json"
	"slices"
)

// Extra holds the members of an object that its Go type does not know, in the order of the message. They survive decode
// and encode.
type Extra []Member

// Member is one name and its raw value.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Get returns the value of a member.
func (x Extra) Get(name string) (json.RawMessage, bool) {
	for i := range x {
		if x[i].Name == name {
			return x[i].Value, true
		}
	}
	return nil, false
}

// Set replaces the value of a member, or adds the member at the end. A nil value removes it.
func (x *Extra) Set(name string, v json.RawMessage) {
	for i, m := range *x {
		if m.Name != name {
			continue
		}
		if v == nil {
			*x = append((*x)[:i:i], (*x)[i+1:]...)
		} else {
			(*x)[i].Value = v
		}
		return
	}
	if v != nil {
		*x = append(*x, Member{Name: name, Value: v})
	}
}

// Append appends each member as "name":value and a comma; EndObject then finishes the object. The values are appended
// by AppendRaw.
func (x Extra) Append(b []byte) []byte {
	for i := range x {
		b = AppendString(b, x[i].Name)
		b = append(b, ':')
		b = AppendRaw(b, x[i].Value)
		b = append(b, ',')
	}
	return b
}

// AppendBeside is Append for an object that begins at b[start]. It leaves out a member whose name is in names if the
// object has a member with that name already. names are the members that are fields of the Go type in some revisions,
// and are kept in x in others.
func (x Extra) AppendBeside(b []byte, start int, names ...string) []byte {
	end := len(b)
	for i := range x {
		if slices.Contains(names, x[i].Name) {
			if _, twice := Lookup(b[start:end], x[i].Name); twice {
				continue
			}
		}
		b = x[i : i+1].Append(b)
	}
	return b
}

// AppendJSON appends the members as an object of their own.
func (x Extra) AppendJSON(b []byte) []byte {
	return EndObject(x.Append(append(b, '{')))
}

// DecodeJSON reads a whole object as members.
func (x *Extra) DecodeJSON(d *Decoder) {
	*x = nil
	if !d.Object() {
		return
	}
	*x = Extra{}
	for d.Next() {
		d.Extra(x)
	}
}

// Lookup returns the text of the value at a path of member names, without the space around it. The object must be
// checked text. It returns false if there is no such value. It allocates only if a name in one of the objects on the
// path has escapes.
func Lookup(object []byte, path ...string) ([]byte, bool) {
	v := object
	for _, want := range path {
		d := NewDecoder(v)
		if d.Kind() != KindObject || !d.Object() || !d.find(want) {
			return nil, false
		}
		v = d.text[d.pos:]
	}
	d := NewDecoder(v)
	if v = d.Raw(); v == nil {
		return nil, false
	}
	return v, true
}

// find moves to the member with that name in the object that has just been entered. It returns false if there is none.
func (d *Decoder) find(name string) bool {
	for d.Next() {
		if string(d.name) == name {
			return true
		}
	}
	return false
}
