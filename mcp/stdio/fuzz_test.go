package stdio_test

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/stdio"
)

// split is the framing said in the plainest way.
func split(data []byte, limit int) (msgs []string) {
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case len(line) > limit:
			msgs = append(msgs, dropped)
		case len(line) > 0:
			msgs = append(msgs, string(line))
		}
	}
	return msgs
}

// chunked returns data in pieces whose sizes come from cuts, over and over.
type chunked struct {
	data, cuts []byte
	turn       int
}

func (c *chunked) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := len(c.data)
	if len(c.cuts) > 0 {
		n = min(n, int(c.cuts[c.turn%len(c.cuts)])+1)
		c.turn++
	}
	n = copy(p, c.data[:n])
	c.data = c.data[n:]
	return n, nil
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{}\n{}\r\n\n[1]"), []byte{0}, uint16(8))
	f.Add([]byte("12345678\r\n123456789\r\n12345678\r\r\n1\r"), []byte{8, 0, 3}, uint16(7))
	f.Add(bytes.Repeat([]byte("xxxxxxx\n"), 40), []byte{}, uint16(0))
	f.Add(append(bytes.Repeat([]byte("x"), 70_000), "\n{}"...), []byte{}, uint16(65_535))
	f.Fuzz(func(t *testing.T, data, cuts []byte, limit uint16) {
		max := int(limit) + 1
		want := split(data, max)
		got, err := readAll(stdio.Over(&chunked{data: data, cuts: cuts}, nil, &stdio.Options{MaxMessage: max}))
		if !slices.Equal(got, want) || err != io.EOF {
			t.Errorf("got %q, %v; want %q, EOF", got, err, want)
		}
	})
}

// FuzzWrite checks that whatever is written comes out as one line, and unchanged if it had no newline inside.
func FuzzWrite(f *testing.F) {
	f.Add([]byte("{}"))
	f.Add([]byte("{\n}\n"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, msg []byte) {
		before := bytes.Clone(msg)
		var out bytes.Buffer
		if err := stdio.Over(nil, &out, nil).WriteMessage(msg); err != nil {
			t.Fatal(err)
		}
		want := bytes.ReplaceAll(bytes.TrimRight(msg, "\n"), []byte("\n"), []byte(" "))
		if got := out.Bytes(); !bytes.Equal(got, append(want, '\n')) {
			t.Errorf("wrote %q for %q", got, msg)
		}
		if !bytes.Equal(msg, before) {
			t.Error("the message of the caller was changed")
		}
	})
}
