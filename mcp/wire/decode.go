package wire

import "encoding/json"

// Decoder reads values from a text that Check accepted. It keeps a position and no stack, and allocates only the values
// that it returns. A mistake is a value that is not what the caller wants to read. After the first mistake every method
// returns a zero value and every loop ends, so that generated code calls Err once, at the end. After Collect, a Decoder
// goes on instead.
//
//	if !d.Object() {
//		return
//	}
//	for d.Next() {
//		switch string(d.Name()) {
//		case "uri":
//			v.URI = d.String()
//		default:
//			d.Extra(&v.Extra)
//		}
//	}
//
// A member or element that the loop body does not read is skipped. A loop that was entered must run to its end. A
// Decoder may be copied to look ahead; it aliases the text, which must not change while it is used.
//
// Methods that generated decoders call very often are not inlined, as for [Encoder].
type Decoder struct {
	text    []byte
	name    []byte
	err     *DecodeError
	memo    *Memo // nil for none
	pos     int
	counted int  // how many bytes Elements has looked at
	due     bool // the value of the current member or element has not been read yet

	// Of a Decoder that collects.
	collects bool
	aliases  bool // strings without escapes are part of text
	bad      bool // the value that was read last is not what it must be, and this has been noted
	shut     bool // the loop that comes next has nothing to go through
	faults   []DecodeError
}

// NewDecoder returns a Decoder for the value in text.
func NewDecoder(text []byte) Decoder { return Decoder{text: text, due: true} }

// noParams is never changed: what a Decoder returns is read only or a copy.
var noParams = []byte("{}")

// ResetParams makes d a Decoder for the params of a message; nil means {}. So one Decoder serves many messages. m may
// be nil; otherwise Recall keeps values in it from one message to the next.
func (d *Decoder) ResetParams(params []byte, m *Memo) {
	if params == nil {
		params = noParams
	}
	*d = Decoder{text: params, memo: m, due: true}
}

// Err returns the first mistake, a *DecodeError, or nil. After Collect it returns all of them, a *DecodeErrors.
func (d *Decoder) Err() error {
	if len(d.faults) > 0 {
		return d.collected()
	}
	if d.err == nil {
		return nil
	}
	return d.err
}

// Kind returns the kind of the next value without reading it, KindInvalid after a mistake.
func (d *Decoder) Kind() Kind {
	if d.err != nil {
		return KindInvalid
	}
	return KindOf(d.text[d.pos:])
}

// Object enters an object, whose members Next then visits. If the next value is not an object, Object notes a mistake
// and returns false.
//
//go:noinline
func (d *Decoder) Object() bool { return d.enter('{', "must be an object") }

// Array enters an array, whose elements More then visits. If the next value is not an array, Array notes a mistake and
// returns false.
//
//go:noinline
func (d *Decoder) Array() bool { return d.enter('[', "must be an array") }

// firstCounted is how many bytes of an array Elements reads at first. It reads the rest of a longer array unless it has
// read more than maxCounted times the length of the text by then. The limit is for nested arrays, which are read once
// for each level.
const (
	firstCounted = 256
	maxCounted   = 4
)

// Elements returns how many elements the next array has, so that memory for them can be allocated at once; a growing
// slice would leave several times as much garbage. For nested arrays, and for other values, it may return less.
func (d *Decoder) Elements() int {
	begin := skipSpace(d.text, d.pos)
	if d.err != nil || begin >= len(d.text) || d.text[begin] != '[' {
		return 0
	}
	text := d.text[begin+1:]
	n, end := countElements(text[:min(len(text), firstCounted)])
	if end < 0 && len(text) > firstCounted && d.counted <= maxCounted*len(d.text) {
		if n, end = countElements(text); end < 0 {
			end = len(text)
		}
		d.counted += end
	}
	return n
}

// countElements counts the elements in the rest of an array, and returns where the array ends; -1 if the text ends
// first.
func countElements(text []byte) (n, end int) {
	for i := 0; ; i++ {
		i = skipSpace(text, i)
		if i < len(text) && text[i] == ']' {
			return n, i
		}
		if i >= len(text) {
			return n, -1
		}
		n++
		if i = valueEnd(text, i); i < 0 {
			return n, -1
		}
		switch i = skipSpace(text, i); {
		case i >= len(text):
			return n, -1
		case text[i] != ',':
			return n, i
		}
	}
}

// valueSize is about how many bytes a decoded value takes besides its text: it is the size of a string header.
const valueSize = 16

// DecodedSize returns about how many bytes the values of a JSON text take in memory, without the text itself. Values of
// types that are large even when empty, such as some structs, take more.
func DecodedSize(text []byte) int64 {
	n := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i, _ = stringEnd(text, i+1); i < 0 {
				return int64(n) * valueSize
			}
		case ',', '[', '{':
			n++
		}
	}
	return int64(n) * valueSize
}

func (d *Decoder) enter(open byte, reason string) bool {
	if d.err != nil {
		return false
	}
	i := skipSpace(d.text, d.pos)
	if i >= len(d.text) || d.text[i] != open {
		d.shut = d.collects
		return d.fail(i, reason)
	}
	d.pos, d.due = i+1, false
	return true
}

// Next moves to the next member of the object. It returns false after the last one and on a mistake.
func (d *Decoder) Next() bool {
	i := d.item('}')
	if i < 0 {
		return false
	}
	if d.text[i] != '"' {
		return d.fail(i, reasonSyntax)
	}
	end, escaped := stringEnd(d.text, i+1)
	if end < 0 {
		return d.fail(i, reasonSyntax)
	}
	d.name = d.text[i+1 : end]
	if escaped {
		d.name = appendUnescaped(nil, d.name)
	}
	i = skipSpace(d.text, end+1)
	if i >= len(d.text) || d.text[i] != ':' {
		return d.fail(i, reasonSyntax)
	}
	d.pos, d.due = skipSpace(d.text, i+1), true
	return true
}

// More moves to the next element of the array. It returns false after the last one and on a mistake.
//
//go:noinline
func (d *Decoder) More() bool {
	i := d.item(']')
	if i < 0 {
		return false
	}
	d.pos, d.due = i, true
	return true
}

// item returns the index where the next member or element begins, or -1 if the container ends or there is a mistake.
func (d *Decoder) item(end byte) int {
	if d.shut {
		d.shut = false
		return -1
	}
	d.bad = false
	if d.due {
		d.Skip()
	}
	if d.err != nil {
		return -1
	}
	i := skipSpace(d.text, d.pos)
	if i < len(d.text) && d.text[i] == ',' {
		i = skipSpace(d.text, i+1)
	}
	if i >= len(d.text) {
		d.fail(i, reasonSyntax)
		return -1
	}
	if d.text[i] == end {
		d.pos = i + 1
		return -1
	}
	return i
}

// Name returns the unescaped name of the current member. It aliases the text unless the name had escapes, and is valid
// until the next call of Next.
func (d *Decoder) Name() []byte { return d.name }

// Raw reads the next value and returns its text, which aliases the input.
func (d *Decoder) Raw() []byte {
	if d.err != nil {
		return nil
	}
	i := skipSpace(d.text, d.pos)
	end := valueEnd(d.text, i)
	if end < 0 {
		d.fail(i, reasonSyntax)
		return nil
	}
	d.pos, d.due = end, false
	return d.text[i:end:end]
}

// RawCopy is Raw in memory of its own.
func (d *Decoder) RawCopy() json.RawMessage {
	raw := d.Raw()
	if raw == nil {
		return nil
	}
	return append(make(json.RawMessage, 0, len(raw)), raw...)
}

// Skip reads over the next value.
func (d *Decoder) Skip() { d.Raw() }

// Peek returns the text of the next value without reading it; nil if there is none. It aliases the input.
func (d *Decoder) Peek() []byte {
	ahead := *d
	return ahead.Raw()
}

// PeekMember returns the text of the member at a path of names in the next value, without reading that value. Decoders
// of unions choose the type by it. It returns false if there is no such member.
func (d *Decoder) PeekMember(path ...string) ([]byte, bool) {
	if d.err != nil {
		return nil, false
	}
	return Lookup(d.text[d.pos:], path...)
}

// Null reads a null if it is the next value and reports whether it was.
func (d *Decoder) Null() bool {
	if d.Kind() != KindNull {
		return false
	}
	return d.literal("null")
}

// literal reads the word if it is the next value.
func (d *Decoder) literal(word string) bool {
	i := skipSpace(d.text, d.pos)
	if !hasAt(d.text, i, word) {
		return false
	}
	d.pos, d.due = i+len(word), false
	return true
}

// maxExtra bounds the members of one Extra, since each takes many times the memory that it takes in the text.
const maxExtra = 1 << 16

// Extra reads the value of the current member, and appends copies of its name and value to x. More than 65,536 members
// in x are a mistake.
func (d *Decoder) Extra(x *Extra) {
	if len(*x) >= maxExtra {
		d.Fail("has too many unknown members beside it")
		return
	}
	name := string(d.name)
	if v := d.RawCopy(); v != nil {
		*x = append(*x, Member{Name: name, Value: v})
	}
}
