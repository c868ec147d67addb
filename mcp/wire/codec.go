package wire

import "encoding/json"

// Map is a JSON object whose member names are data. The order of the members is kept. If the object is optional, nil
// means that it is absent; if it is required, nil means an empty object.
type Map[V any] []Entry[V]

// Entry is one member of a Map.
type Entry[V any] struct {
	Name  string
	Value V
}

// Get returns the value of a member.
func (m Map[V]) Get(name string) (V, bool) {
	for i := range m {
		if m[i].Name == name {
			return m[i].Value, true
		}
	}
	var zero V
	return zero, false
}

// Set replaces the value of a member, or adds the member at the end.
func (m *Map[V]) Set(name string, v V) {
	for i := range *m {
		if (*m)[i].Name == name {
			(*m)[i].Value = v
			return
		}
	}
	*m = append(*m, Entry[V]{Name: name, Value: v})
}

// Encodable is a pointer to a generated struct that can be written. R is the type of revisions, which select the form.
type Encodable[T, R any] interface {
	*T
	AppendJSON(b []byte, rev R) []byte
}

// Decodable is a pointer to a generated struct that can be read. R is the type of revisions.
type Decodable[T, R any] interface {
	*T
	DecodeJSON(d *Decoder, rev R)
}

// AppendSlice appends a JSON array. Each element is appended by f.
func AppendSlice[T any](b []byte, list []T, f func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for _, v := range list {
		b = append(f(b, v), ',')
	}
	return EndArray(b)
}

// AppendList appends a JSON array of structs.
func AppendList[T, R any, P Encodable[T, R]](b []byte, rev R, list []T) []byte {
	b = append(b, '[')
	for i := range list {
		b = append(P(&list[i]).AppendJSON(b, rev), ',')
	}
	return EndArray(b)
}

// AppendUnions appends a JSON array of union members. Each is appended by f.
func AppendUnions[T, R any](b []byte, rev R, list []T, f func([]byte, R, T) []byte) []byte {
	b = append(b, '[')
	for _, v := range list {
		b = append(f(b, rev, v), ',')
	}
	return EndArray(b)
}

// AppendOneOrMany appends a list of one element as that element, and other lists as an array. many is false if the
// revision has no array here: then it appends only the first element.
func AppendOneOrMany[T, R any](b []byte, rev R, list []T, many bool, f func([]byte, R, T) []byte) []byte {
	if len(list) == 1 || !many && len(list) > 0 {
		return f(b, rev, list[0])
	}
	return AppendUnions(b, rev, list, f)
}

// AppendMap appends a JSON object. Each value is appended by f.
func AppendMap[V any](b []byte, m Map[V], f func([]byte, V) []byte) []byte {
	b = append(b, '{')
	for i := range m {
		b = append(AppendString(b, m[i].Name), ':')
		b = append(f(b, m[i].Value), ',')
	}
	return EndObject(b)
}

// AppendStructMap appends a JSON object of structs.
func AppendStructMap[T, R any, P Encodable[T, R]](b []byte, rev R, m Map[T]) []byte {
	b = append(b, '{')
	for i := range m {
		b = append(AppendString(b, m[i].Name), ':')
		b = append(P(&m[i].Value).AppendJSON(b, rev), ',')
	}
	return EndObject(b)
}

// AppendUnionMap appends a JSON object of union members. Each is appended by f.
func AppendUnionMap[T, R any](b []byte, rev R, m Map[T], f func([]byte, R, T) []byte) []byte {
	b = append(b, '{')
	for i := range m {
		b = append(AppendString(b, m[i].Name), ':')
		b = append(f(b, rev, m[i].Value), ',')
	}
	return EndObject(b)
}

// AppendObject is AppendRaw for a value that must be an object: nil is {}.
func AppendObject(b []byte, raw json.RawMessage) []byte {
	if raw == nil {
		return append(b, "{}"...)
	}
	return AppendRaw(b, raw)
}

// AppendText appends a value of a string type as a JSON string.
func AppendText[E ~string](b []byte, v E) []byte { return AppendString(b, string(v)) }

// MemberIs reports whether raw is an object whose member of this name is the string want.
func MemberIs(raw []byte, name, want string) bool {
	d := NewDecoder(raw)
	return string(d.PeekText(name)) == want
}

// AppendID appends an id as it was read.
func AppendID(b []byte, id ID) []byte { return id.AppendJSON(b) }

// AppendAny appends any JSON value, as AppendRaw does.
func AppendAny(b []byte, raw json.RawMessage) []byte { return AppendRaw(b, raw) }
