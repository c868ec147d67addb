package wire

import (
	"strconv"
	"unicode/utf8"
)

// DecodeError says which value of a message is not what it must be.
type DecodeError struct {
	Pointer string // JSON pointer (RFC 6901) to the value; "" is the whole text. Very long ones are cut and end in "…"
	Reason  string // such as "must be a string"
}

// Error implements error.
func (e *DecodeError) Error() string {
	if e.Pointer == "" {
		return e.Reason
	}
	return e.Pointer + ": " + e.Reason
}

const reasonSyntax = "is not valid JSON"

// Fail notes a mistake about the current member or element, whether it was read yet or not; elsewhere, about the value
// that was read last. It does nothing if d.Err has a mistake already, unless d collects mistakes; see Collect.
func (d *Decoder) Fail(reason string) {
	if d.err == nil {
		d.fail(d.here(), reason)
	}
}

// Missing notes that the object that was just read to its end lacks a required member.
func (d *Decoder) Missing(name string) {
	if d.err != nil {
		return
	}
	p := pointerAt(d.text, d.here())
	e := DecodeError{Pointer: string(appendStep([]byte(p), name)), Reason: "is required"}
	if d.collects {
		d.add(e)
		return
	}
	d.err = &e
}

// here returns the offset of a byte of the value that Fail is about.
func (d *Decoder) here() int {
	if d.due || d.pos == 0 {
		return skipSpace(d.text, d.pos)
	}
	return d.pos - 1
}

func (d *Decoder) fail(at int, reason string) bool {
	if d.collects && reason != reasonSyntax {
		d.note(at, reason)
		return false
	}
	d.err = &DecodeError{Pointer: pointerAt(d.text, at), Reason: reason}
	return false
}

// step is one of the open objects and arrays around a place in the text, with the member or element that the place is
// in.
type step struct {
	name  []byte // the current member; nil before the first name and after a comma
	index int    // the current element
	array bool
}

// pointerAt returns the JSON pointer of the innermost value that contains the byte at off. It is slow, because it reads
// the text up to off. It is used only to report a mistake.
func pointerAt(text []byte, off int) string {
	var open []step
	for i := skipSpace(text, 0); i < len(text) && i <= off; {
		top := len(open) - 1
		next := i + 1
		switch c := text[i]; c {
		case '{', '[':
			if i == off || len(open) > maxPointer {
				return joinSteps(open)
			}
			open = append(open, step{array: c == '['})
		case '}', ']', ',':
			if top < 0 || i == off {
				return joinSteps(open[:max(top, 0)])
			}
			if c != ',' {
				open = open[:top]
				break
			}
			open[top].index++
			open[top].name = nil
		case ' ', '\t', '\n', '\r', ':':
		case '"':
			end, _ := stringEnd(text, i+1)
			if end < 0 {
				end = len(text) - 1
			}
			if top >= 0 && !open[top].array && open[top].name == nil {
				open[top].name = text[i+1 : max(end, i+1)]
			}
			if off <= end {
				return joinSteps(open)
			}
			next = end + 1
		default:
			next = scalarEnd(text, i)
			if off < next {
				return joinSteps(open)
			}
		}
		i = next
	}
	return joinSteps(open)
}

// maxPointer bounds the length of a pointer in bytes, since its names come from the peer.
const maxPointer = 256

func joinSteps(steps []step) string {
	var b []byte
	for _, s := range steps {
		switch {
		case s.array:
			b = append(b, '/')
			b = strconv.AppendInt(b, int64(s.index), 10)
		case s.name != nil:
			raw := s.name[:min(len(s.name), 6*maxPointer)]
			b = appendStep(b, string(appendUnescaped(nil, raw)))
		}
		if len(b) > maxPointer {
			break
		}
	}
	return string(cut(b, maxPointer))
}

func appendStep(b []byte, name string) []byte {
	b = append(b, '/')
	for i := 0; i < len(name) && i < maxPointer; i++ {
		switch name[i] {
		case '~':
			b = append(b, "~0"...)
		case '/':
			b = append(b, "~1"...)
		default:
			b = append(b, name[i])
		}
	}
	return b
}

// cut shortens b to at most n bytes, without breaking a character, and appends "…" if it did.
func cut(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return append(b[:n], "…"...)
}
