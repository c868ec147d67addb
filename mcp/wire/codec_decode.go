package wire

import "encoding/json"

// DecodeSlice reads an array. Each element is read by f. The result is nil only if the value is not an array, which is
// a mistake. The other functions of this file that return a list or a Map do the same.
func DecodeSlice[T any](d *Decoder, f func(*Decoder) T) []T {
	list := []T{}
	if !d.Array() {
		return nil
	}
	for d.More() {
		list = append(list, f(d))
	}
	return list
}

// DecodeList reads an array of structs.
func DecodeList[T, R any, P Decodable[T, R]](d *Decoder, rev R) []T {
	list := []T{}
	if !d.Array() {
		return nil
	}
	for d.More() {
		var v T
		list = append(list, v)
		P(&list[len(list)-1]).DecodeJSON(d, rev)
	}
	return list
}

// DecodeUnions reads an array of union members. Each is read by f.
func DecodeUnions[T, R any](d *Decoder, rev R, f func(*Decoder, R) T) []T {
	list := []T{}
	if !d.Array() {
		return nil
	}
	for d.More() {
		list = append(list, f(d, rev))
	}
	return list
}

// DecodeOneOrMany reads one union member or an array of them.
func DecodeOneOrMany[T, R any](d *Decoder, rev R, f func(*Decoder, R) T) []T {
	if d.Kind() == KindArray {
		return DecodeUnions(d, rev, f)
	}
	return []T{f(d, rev)}
}

// DecodeMap reads an object whose member names are data. Each value is read by f.
func DecodeMap[V any](d *Decoder, f func(*Decoder) V) Map[V] {
	m := Map[V]{}
	if !d.Object() {
		return nil
	}
	for d.Next() {
		name := string(d.Name())
		m = append(m, Entry[V]{Name: name, Value: f(d)})
	}
	return m
}

// DecodeStructMap reads an object of structs.
func DecodeStructMap[T, R any, P Decodable[T, R]](d *Decoder, rev R) Map[T] {
	m := Map[T]{}
	if !d.Object() {
		return nil
	}
	for d.Next() {
		m = append(m, Entry[T]{Name: string(d.Name())})
		P(&m[len(m)-1].Value).DecodeJSON(d, rev)
	}
	return m
}

// DecodeUnionMap reads an object of union members. Each value is read by f.
func DecodeUnionMap[T, R any](d *Decoder, rev R, f func(*Decoder, R) T) Map[T] {
	m := Map[T]{}
	if !d.Object() {
		return nil
	}
	for d.Next() {
		name := string(d.Name())
		m = append(m, Entry[T]{Name: name, Value: f(d, rev)})
	}
	return m
}

// DecodeObject is RawCopy for a value that must be an object. Another value is a mistake, and the result is nil.
func DecodeObject(d *Decoder) json.RawMessage {
	if d.Kind() != KindObject {
		d.Object()
		return nil
	}
	return d.RawCopy()
}

// DecodeText reads a string as a value of a string type. Unknown values are kept.
func DecodeText[E ~string](d *Decoder) E { return E(d.String()) }

// DecodeValue reads a struct into memory of its own.
func DecodeValue[T, R any, P Decodable[T, R]](d *Decoder, rev R) *T {
	v := new(T)
	P(v).DecodeJSON(d, rev)
	return v
}

// Literal reads a string that must be equal to want. It returns false after a mistake, this one or an earlier one. A
// Decoder that collects mistakes must not call it.
func (d *Decoder) Literal(want string) bool {
	got := d.Bytes()
	if d.err == nil && string(got) != want {
		d.Fail(`must be "` + want + `"`)
	}
	return d.err == nil
}

// PeekText returns the string value of a member of the next object, without reading the object; nil if there is no such
// member, or if it is not a string. Decoders of unions choose the type by it. The result aliases the text unless there
// were escapes.
func (d *Decoder) PeekText(name string) []byte {
	raw, ok := d.PeekMember(name)
	if !ok || KindOf(raw) != KindString {
		return nil
	}
	sub := NewDecoder(raw)
	return sub.Bytes()
}

// DecodeUnknown reads an object that is not one of a union's known objects. tag is the member that tells them apart; ""
// if there is no such member. If the value is not an object, or its member tag is not a string, that is a mistake, and
// the result is nil.
func DecodeUnknown(d *Decoder, tag string) json.RawMessage {
	if d.Kind() != KindObject {
		d.Object()
		return nil
	}
	if tag != "" && d.PeekText(tag) == nil {
		d.Fail("has no known " + tag)
		return nil
	}
	return d.RawCopy()
}
