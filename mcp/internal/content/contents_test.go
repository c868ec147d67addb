package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

var errBroken = errors.New("broken")

// closer notes that it was closed.
type closer struct {
	io.Reader
	closed *bool
}

func (c closer) Close() error { *c.closed = true; return nil }

func contentsOf(yielded ...Content) iter.Seq2[Content, error] {
	return func(yield func(Content, error) bool) {
		for _, c := range yielded {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func TestAdapters(t *testing.T) {
	t.Attr("requirements", "res-encoding")
	type text string
	closed := false
	for name, c := range map[string]struct {
		got  func() (Contents, error)
		want string
	}{
		"text":         {func() (Contents, error) { return AsText(text("a"), nil) }, "text a"},
		"blob":         {func() (Contents, error) { return AsBlob([]byte("a"), nil) }, "blob a"},
		"no blob":      {func() (Contents, error) { return AsBlob([]byte(nil), nil) }, "blob "},
		"valid text":   {func() (Contents, error) { return AsTextBytes([]byte("ä"), nil) }, "text ä"},
		"invalid text": {func() (Contents, error) { return AsTextBytes([]byte("\xe4"), nil) }, "blob \xe4"},
		"stream": {func() (Contents, error) {
			return AsStream(closer{strings.NewReader("a"), &closed}, nil)
		},
			"blob a"},
		"text stream":    {func() (Contents, error) { return AsTextStream(strings.NewReader("a"), nil) }, "text a"},
		"no text stream": {func() (Contents, error) { return AsTextStream((*strings.Reader)(nil), nil) }, "none"},
		"empty stream":   {func() (Contents, error) { return AsStream(strings.NewReader(""), nil) }, "blob "},
		"no stream":      {func() (Contents, error) { return AsStream(io.Reader(nil), nil) }, "none"},
		"nil stream":     {func() (Contents, error) { return AsStream((*strings.Reader)(nil), nil) }, "none"},
		"failed stream":  {func() (Contents, error) { return AsStream(io.Reader(nil), errBroken) }, "broken"},
		"json":           {func() (Contents, error) { return AsJSON(map[string]int{"a": 1}, nil) }, `text {"a":1}`},
		"json null":      {func() (Contents, error) { return AsJSON((*int)(nil), nil) }, "none"},
		"json nil map":   {func() (Contents, error) { return AsJSON(map[string]int(nil), nil) }, "text {}"},
		"json any":       {func() (Contents, error) { return AsJSON(any(nil), nil) }, "none"},
		"json nil slice": {func() (Contents, error) { return AsJSON([]int(nil), nil) }, "text []"},
		"json zero":      {func() (Contents, error) { return AsJSON(0, nil) }, "text 0"},
		"json failed": {func() (Contents, error) { return AsJSON(make(chan int), nil) },
			"json: unsupported type: chan int"},
		"content":        {func() (Contents, error) { return AsContent(Content{Text: "a"}, nil) }, "many 1"},
		"contents":       {func() (Contents, error) { return AsContents([]Content{{}, {}}, nil) }, "many 2"},
		"empty contents": {func() (Contents, error) { return AsContents([]Content{}, nil) }, "many 0"},
		"no contents":    {func() (Contents, error) { return AsContents(nil, nil) }, "none"},
		"sequence": {func() (Contents, error) {
			return AsContentSeq(contentsOf(Content{}, Content{}), nil)
		}, "many 2"},
		"empty sequence": {func() (Contents, error) { return AsContentSeq(contentsOf(), nil) }, "many 0"},
		"no sequence":    {func() (Contents, error) { return AsContentSeq(nil, nil) }, "none"},
		"failed sequence": {func() (Contents, error) {
			return AsContentSeq(func(yield func(Content, error) bool) { yield(Content{}, errBroken) }, nil)
		}, "broken"},
	} {
		got, err := c.got()
		if err == nil {
			got, err = readUnread(got)
		}
		if s := describe(got, err); s != c.want {
			t.Errorf("%s: got %q, want %q", name, s, c.want)
		}
	}
	if !closed {
		t.Error("the stream was not closed")
	}
}

// readUnread reads contents as the server does.
func readUnread(c Contents) (Contents, error) {
	u := ValueOf(&c).Unread
	if u == nil {
		return c, nil
	}
	defer u.Close()
	b, err := io.ReadAll(u.From)
	if u.Textual {
		return TextBytes(b), err
	}
	return Blob(b), err
}

func describe(c Contents, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case ValueOf(&c).Kind == KindText:
		return "text " + ValueOf(&c).Text
	case ValueOf(&c).Kind == KindBlob:
		return "blob " + string(ValueOf(&c).Blob)
	case ValueOf(&c).Kind == KindMany:
		return fmt.Sprint("many ", len(ValueOf(&c).Many))
	}
	return "none"
}

// meta returns a _meta with one member.
func meta(value string) *protocol.MetaObject {
	return &protocol.MetaObject{Extra: wire.Extra{{Name: "a", Value: json.RawMessage(value)}}}
}

// Contents that clients would see a difference in have different sums.
func TestSumsDiffer(t *testing.T) {
	seen := map[uint64]int{}
	for i, c := range []Contents{
		{}, Text(""), Text("a"), Blob([]byte("a")), Many(), Many(Content{Text: "a"}), Many(Content{Blob: []byte("a")}),
		Many(Content{Text: "a", MIMEType: "b"}), Many(Content{Text: "ab"}), Many(Content{Text: "a"}, Content{Text: "b"}),
		Many(Content{URI: "a"}), Many(Content{Meta: meta("1")}), Many(Content{Meta: meta("2")}),
	} {
		if first, twice := seen[ValueOf(&c).Sum()]; twice {
			t.Errorf("contents %d and %d have the same sum", first, i)
		}
		seen[ValueOf(&c).Sum()] = i
	}
}
