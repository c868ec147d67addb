package mcp

import (
	"errors"
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

func TestWithType(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		mime string
		in   Contents
		err  error
		want Contents
	}{
		{"a/b", Text("x"), nil, Many(Content{MIMEType: "a/b", Text: "x"})},
		{"a/b", Blob([]byte("x")), nil, Many(Content{MIMEType: "a/b", Blob: []byte("x")})},
		{"a/b", Blob(nil), nil, Many(Content{MIMEType: "a/b", Blob: []byte{}})},
		{"", Text("x"), nil, Text("x")},
		{"a/b", Contents{}, nil, Contents{}},
		{"a/b", Many(Content{Text: "x"}), nil, Many(Content{Text: "x"})},
		{"a/b", Text("x"), broken, Text("x")},
	} {
		got, err := WithType(c.mime)(c.in, c.err)
		if !reflect.DeepEqual(got, c.want) || err != c.err {
			t.Errorf("%s of %+v: got %+v, %v", c.mime, c.in, got, err)
		}
	}
}

func TestRoles(t *testing.T) {
	if got := Roles([]string{"user", "assistant"}...); !reflect.DeepEqual(got, []protocol.Role{"user", "assistant"}) {
		t.Errorf("got %v", got)
	}
	if Roles[string]() != nil {
		t.Error("nobody is somebody")
	}
}

// What a value was made from may be changed afterwards.
func TestSnapshotsAreTheirOwn(t *testing.T) {
	body := []byte("old")
	contents := func(b []byte, err error) (Contents, error) { return WithType("a/b")(AsBlob(b, err)) }
	h := NewHolder(body, func([]byte) Ref { return Ref{URI: "a:b"} }, contents)
	copy(body, "new")
	c, err := h.read(nil)
	if err != nil || string(c.many[0].Blob) != "old" {
		t.Errorf("got %q, %v", c.many[0].Blob, err)
	}
	if err := h.Set(body); err != nil {
		t.Fatal(err)
	}
	if c, _ = h.read(nil); string(c.many[0].Blob) != "new" {
		t.Error("a change in place, set again, is lost")
	}
}

// A closed server is not told of changes any more.
func TestCloseDetaches(t *testing.T) {
	h := NewHolder("x", func(string) Ref { return Ref{URI: "a:b"} }, AsText[string])
	f := &Features{Resources: []Resource{{Entry: &protocol.Resource{URI: "a:b", Name: "b"}, Live: h, List: h}}}
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
	if len(h.servers) != 1 || h.servers[0].server != open[1] {
		t.Errorf("%d servers listen", len(h.servers))
	}
	if err := open[1].Close(); err != nil || len(h.servers) != 0 {
		t.Errorf("%d servers listen, %v", len(h.servers), err)
	}
}
