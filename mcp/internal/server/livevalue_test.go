package server

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/live"
)

func TestWithType(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		mime string
		in   content.Contents
		err  error
		want content.Contents
	}{
		{"a/b", content.Text("x"), nil, content.Many(content.Content{MIMEType: "a/b", Text: "x"})},
		{"a/b", content.Blob([]byte("x")), nil, content.Many(content.Content{MIMEType: "a/b", Blob: []byte("x")})},
		{"a/b", content.Blob(nil), nil, content.Many(content.Content{MIMEType: "a/b", Blob: []byte{}})},
		{"", content.Text("x"), nil, content.Text("x")},
		{"a/b", content.Contents{}, nil, content.Contents{}},
		{"a/b", content.Many(content.Content{Text: "x"}), nil, content.Many(content.Content{Text: "x"})},
		{"a/b", content.Text("x"), broken, content.Text("x")},
	} {
		got, err := content.WithType(c.mime)(c.in, c.err)
		if !reflect.DeepEqual(got, c.want) || err != c.err {
			t.Errorf("%s of %+v: got %+v, %v", c.mime, c.in, got, err)
		}
	}
}

func TestRoles(t *testing.T) {
	if got := content.Roles([]string{"user", "assistant"}...); !reflect.DeepEqual(got, []protocol.Role{"user",
		"assistant"}) {
		t.Errorf("got %v", got)
	}
	if content.Roles[string]() != nil {
		t.Error("nobody is somebody")
	}
}

// What a value was made from may be changed afterwards.
func TestSnapshotsAreTheirOwn(t *testing.T) {
	body := []byte("old")
	contents := func(b []byte, err error) (content.Contents, error) {
		return content.WithType("a/b")(content.AsBlob(b, err))
	}
	h := live.NewHolder(body, func(b, _ []byte) feature.Ref { return feature.Ref{URI: append(b, "a:b"...)} }, contents)
	copy(body, "new")
	c, err := h.Read(nil)
	if err != nil || string(content.ValueOf(&c).Many[0].Blob) != "old" {
		t.Errorf("got %q, %v", content.ValueOf(&c).Many[0].Blob, err)
	}
	if err := h.Set(body); err != nil {
		t.Fatal(err)
	}
	if c, _ = h.Read(nil); string(content.ValueOf(&c).Many[0].Blob) != "new" {
		t.Error("a change in place, set again, is lost")
	}
}

// heldBy is a holder that counts the servers which it tells of changes.
type heldBy struct {
	*live.Holder[string]
	servers []feature.Publisher
}

func (h *heldBy) Attach(p feature.Publisher, _ bool) { h.servers = append(h.servers, p) }

func (h *heldBy) Detach(p feature.Publisher) {
	h.servers = slices.DeleteFunc(h.servers, func(o feature.Publisher) bool { return o == p })
}

// A closed server is not told of changes any more.
func TestCloseDetaches(t *testing.T) {
	h := &heldBy{Holder: live.NewHolder("x", func(b []byte, _ string) feature.Ref {
		return feature.Ref{URI: append(b,
			"a:b"...)}
	},
		content.AsText[string])}
	f := &feature.Features{Resources: []feature.Resource{{Entry: &protocol.Resource{URI: "a:b", Name: "b"}, Value: h,
		List: h}}}
	var open []*Server
	for range 2 {
		s, err := NewServer(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, s)
	}
	if err := open[0].Close(); err != nil {
		t.Fatal(err)
	}
	if len(h.servers) != 1 || h.servers[0] != open[1] {
		t.Errorf("%d servers listen", len(h.servers))
	}
	if err := open[1].Close(); err != nil || len(h.servers) != 0 {
		t.Errorf("%d servers listen, %v", len(h.servers), err)
	}
}

// The methods that encode a value may use what the value is put into: no lock is held meanwhile.
func TestEncodingMayUseItsStore(t *testing.T) {
	var s *live.Store[int]
	s = live.NewStore(live.StoreConfig[int, doc]{
		Key: func(d doc) int { return d.ID }, Compare: cmp.Compare[int], Entry: docEntry,
		Parse: func(uri string) (int, error) { return strconv.Atoi(strings.TrimPrefix(uri, "doc:///")) },
		Contents: func(d doc, err error) (content.Contents, error) {
			if _, found := s.Get(d.ID - 1); d.ID > 1 && !found {
				err = s.Put(doc{ID: d.ID - 1})
			}
			return content.AsText(d.Body, err)
		},
	})
	if err := s.Put(doc{ID: 3}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for range s.All() {
		n++
	}
	if n != 3 {
		t.Errorf("%d values, want 3", n)
	}

	var h *live.Holder[doc]
	h = live.NewHolder(doc{}, docEntry, func(d doc, err error) (content.Contents, error) {
		if d.ID > 1 && h.Get().ID < d.ID-1 {
			err = h.Set(doc{ID: d.ID - 1})
		}
		return content.AsText(d.Body, err)
	})
	if err := h.Set(doc{ID: 3}); err != nil || h.Get().ID != 3 {
		t.Errorf("%v, %v", h.Get(), err)
	}
}
