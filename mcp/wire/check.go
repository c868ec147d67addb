package wire

import (
	"math"
	"strconv"
	"sync"
)

// The limits that hold where a Limits field is zero.
const (
	DefaultBytes = 4 << 20 // size of a message in bytes
	DefaultDepth = 128     // open arrays and objects at any place of a message
)

// Limits bounds what Check accepts. A zero field means the default.
type Limits struct {
	Bytes int // largest text, in bytes; never more than 2 GiB
	Depth int // most arrays and objects that may be open at once
}

func (l Limits) bytes() int {
	if l.Bytes <= 0 {
		return DefaultBytes
	}
	return min(l.Bytes, math.MaxInt32)
}

func (l Limits) depth() int {
	if l.Depth <= 0 {
		return DefaultDepth
	}
	return l.Depth
}

// SyntaxError says where and why Check refused a text. The reason never quotes the text.
type SyntaxError struct {
	Offset int    // byte offset of the mistake
	Reason string // short, in English, lower case
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return "invalid JSON at byte " + strconv.Itoa(e.Offset) + ": " + e.Reason
}

const (
	reasonEnd   = "unexpected end"
	reasonSize  = "larger than the size limit"
	reasonDepth = "nested deeper than the limit"
	reasonTwice = "duplicate name in an object"
)

// Check returns nil if text is exactly one JSON value by RFC 8259 and within the limits: valid UTF-8 without a byte
// order mark, no control characters in strings, no lone surrogates, no two equal names in one object (compared after
// unescaping), nothing but white space after the value. Any other text is a *SyntaxError.
//
// The cost is linear in len(text) whatever the text, memory is bounded by a small multiple of it, there is no
// recursion, and ordinary input allocates nothing.
func Check(text []byte, l Limits) error {
	if e := check(text, l); e != nil {
		return e
	}
	return nil
}

func check(text []byte, l Limits) *SyntaxError {
	c := checkers.Get().(*checker)
	e := c.check(text, l)
	c.release()
	return e
}

var checkers = sync.Pool{New: func() any { return new(checker) }}

// checker is the state of one Check; it is pooled for its slices.
type checker struct {
	text   []byte
	depth  int
	frames []frame // open arrays and objects, outermost first
	names  nameSet
	top    members

	at  int // offset of the mistake
	why string
}

// members has the places of the first members of a top-level object, so that ParseMessage need not look for them again.
type members struct {
	n    int // how many members there are; the list has the first of them
	list [8]memberPlace
}

// memberPlace has the offsets of a name without its quotes, and of its value, which begins right after the colon.
type memberPlace struct {
	name, nameEnd, value, end int
	escaped                   bool
}

func (m *members) begin(p memberPlace) {
	if m.n < len(m.list) {
		m.list[m.n] = p
	}
	m.n++
}

func (m *members) end(i int) {
	if last := m.n - 1; last >= 0 && last < len(m.list) {
		m.list[last].end = i
	}
}

// frame is one open array or object.
type frame struct {
	scope
	object bool
}

// maxIdle is the capacity, in elements, above which the slices of a checker are not kept for the next message.
const maxIdle = 1 << 14

func (c *checker) check(text []byte, l Limits) *SyntaxError {
	if len(text) > l.bytes() {
		return &SyntaxError{Offset: l.bytes(), Reason: reasonSize}
	}
	c.text, c.depth = text, l.depth()
	c.names.begin(text)
	if c.run() {
		return nil
	}
	return &SyntaxError{Offset: c.at, Reason: c.why}
}

// release forgets the text and gives c back to the pool.
func (c *checker) release() {
	for len(c.frames) > 0 {
		c.pop()
	}
	if cap(c.frames) > maxIdle {
		c.frames = nil
	}
	c.names.reset()
	c.text, c.top.n = nil, 0
	checkers.Put(c)
}

// fail notes a mistake and returns -1, the index that stands for failure.
func (c *checker) fail(at int, why string) int {
	c.at, c.why = at, why
	return -1
}

// run checks the whole text. Each turn of its loop reads the start of one value; c.after reads what follows a complete
// value. A value never ends at index 0, so an index that is not positive means failure.
func (c *checker) run() bool {
	text := c.text
	for i := 0; ; {
		i = skipSpace(text, i)
		if i >= len(text) {
			c.fail(i, reasonEnd)
			return false
		}
		open, done := false, false
		switch b := text[i]; b {
		case '"':
			end := plainRun(text, i+1)
			if end >= len(text) || text[end] != '"' {
				end, _ = c.str(end)
			}
			i = end + 1
		case '{', '[':
			i, open = c.open(i, b == '{')
		default:
			i = c.scalar(i)
		}
		if i > 0 && !open {
			i, done = c.after(i)
		}
		if i <= 0 || done {
			return done
		}
	}
}

// open enters the array or object at i. If it is empty, next is the index after it. Otherwise it stays open, and next
// is where its first value begins.
func (c *checker) open(i int, object bool) (next int, open bool) {
	if len(c.frames) >= c.depth {
		return c.fail(i, reasonDepth), false
	}
	c.frames = append(c.frames, frame{scope: c.names.open(), object: object})
	i = skipSpace(c.text, i+1)
	if i < len(c.text) && c.text[i] == closer(object) {
		c.pop()
		return i + 1, false
	}
	if object {
		i = c.member(i)
	}
	return i, true
}

func closer(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}

func (c *checker) pop() {
	top := len(c.frames) - 1
	c.names.close(c.frames[top].scope)
	c.frames = c.frames[:top]
}

// after reads what may follow a complete value: the ends of arrays and objects, then a comma or the end of the text.
// done says that the text has ended; otherwise next is where the next value begins, or -1 after a mistake.
func (c *checker) after(i int) (next int, done bool) {
	for {
		if len(c.frames) == 1 {
			c.top.end(i)
		}
		i = skipSpace(c.text, i)
		if len(c.frames) == 0 {
			if i < len(c.text) {
				return c.fail(i, "text after the value"), false
			}
			return i, true
		}
		if i >= len(c.text) {
			return c.fail(i, reasonEnd), false
		}
		object := c.frames[len(c.frames)-1].object
		switch c.text[i] {
		case closer(object):
			c.pop()
			i++
		case ',':
			i++
			if object {
				i = c.member(skipSpace(c.text, i))
			}
			return i, false
		default:
			return c.fail(i, "expected a comma or the end of the "+containerName(object)), false
		}
	}
}

func containerName(object bool) string {
	if object {
		return "object"
	}
	return "array"
}

// member reads a name and its colon and returns the index after them, or -1 after a mistake.
func (c *checker) member(i int) int {
	if i >= len(c.text) {
		return c.fail(i, reasonEnd)
	}
	if c.text[i] != '"' {
		return c.fail(i, "expected a member name")
	}
	end, escaped := plainRun(c.text, i+1), false
	if end >= len(c.text) || c.text[end] != '"' {
		if end, escaped = c.str(end); end < 0 {
			return end
		}
	}
	if !c.names.add(&c.frames[len(c.frames)-1].scope, i+1, end, escaped) {
		return c.fail(i, reasonTwice)
	}
	colon := skipSpace(c.text, end+1)
	switch {
	case colon >= len(c.text):
		return c.fail(colon, reasonEnd)
	case c.text[colon] != ':':
		return c.fail(colon, "expected a colon")
	case len(c.frames) == 1:
		c.top.begin(memberPlace{name: i + 1, nameEnd: end, value: colon + 1, escaped: escaped})
	}
	return colon + 1
}

// str checks the rest of a string, which begins at i with a byte that is not plain. It returns the index of the closing
// quote, or -1 after a mistake.
func (c *checker) str(i int) (end int, escaped bool) {
	end, escaped, why := scanString(c.text, i)
	if why != "" {
		return c.fail(end, why), false
	}
	return end, escaped
}

// scalar checks a number or a literal, and returns the index after it. It fails for any byte that begins no value.
func (c *checker) scalar(i int) int {
	switch b := c.text[i]; {
	case b == '-' || isDigit(b):
		if end := scanNumber(c.text, i); end >= 0 {
			return end
		}
		return c.fail(i, "bad number")
	case b == 't' && hasAt(c.text, i, "true"), b == 'n' && hasAt(c.text, i, "null"):
		return i + 4
	case b == 'f' && hasAt(c.text, i, "false"):
		return i + 5
	case b == 0xef && hasAt(c.text, i, "\ufeff"):
		return c.fail(i, "byte order mark")
	}
	return c.fail(i, "expected a value")
}

func hasAt(text []byte, i int, word string) bool {
	return len(text)-i >= len(word) && string(text[i:i+len(word)]) == word
}
