package server

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/access"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// seqOf lists the letters of *text; "!" is an error.
func seqOf(text *string) feature.Instances {
	seq := func(context.Context) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for _, c := range *text {
				var err error
				if c == '!' {
					err = errors.New("broken")
				}
				if !yield(string(c), err) {
					return
				}
			}
		}
	}
	return feature.ListSeq(seq, func(b []byte, s string) feature.Ref { return feature.Ref{URI: append(b, s...)} })
}

// uris takes the references of a page.
type uris struct {
	feature.PageBuilder
	entries []protocol.Resource
}

// Take implements [feature.PageSink].
func (u *uris) Take(ref *feature.Ref) {
	u.entries = append(u.entries, protocol.Resource{URI: string(ref.URI), Name: ref.Name})
}

// Restart implements [feature.PageSink].
func (u *uris) Restart() { u.entries = nil }

// listed returns the entries of a page.
func listed(
	t *testing.T, l feature.Instances, from string, size int) (entries []protocol.Resource, next string, err error,
) {
	t.Helper()
	to := new(uris)
	to.To = to
	next, err = l.List(t.Context(), from, size, &to.PageBuilder)
	if err != nil {
		return nil, "", err
	}
	if to.Count() != len(to.entries) {
		t.Errorf("counted %d of %v", to.Count(), to.entries)
	}
	return to.entries, next, nil
}

// pages lists all pages, "ab|cd", changing the sequence to after once the first page is out.
func pages(t *testing.T, text, after string, size int) string {
	t.Helper()
	l := seqOf(&text)
	var all []string
	for from, n := "", 0; n < 20; n++ {
		entries, next, err := listed(t, l, from, size)
		if err != nil {
			return err.Error()
		}
		var page strings.Builder
		for _, e := range entries {
			page.WriteString(e.URI)
		}
		all = append(all, page.String())
		if next == "" {
			return strings.Join(all, "|")
		}
		from, text = next, after
	}
	return "no end: " + strings.Join(all, "|")
}

func TestSeqInstances(t *testing.T) {
	for _, c := range []struct {
		name, text, after string
		size              int
		want              string
	}{
		{"one page", "abc", "abc", 5, "abc"},
		{"exactly full", "abc", "abc", 3, "abc"},
		{"several", "abcdefg", "abcdefg", 3, "abc|def|g"},
		{"none", "", "", 3, ""},
		{"grown before", "abcdef", "xyabcdef", 3, "abc|xyd|ef"},
		{"shrunk before", "abcdef", "bcdef", 3, "abc|def"},
		{"last vanished", "abcdef", "abdef", 3, "abc|def"},
		{"last vanished, new at its place", "abcdef", "abxdef", 3, "abc|xde|f"},
		{"all vanished", "abcdef", "", 3, "abc|"},
		{"reversed", "abcdef", "fedcba", 3, "abc|fed"},
		{"duplicates end", "aaaaaaa", "aaaaaaa", 2, "aa|"},
		{"duplicate of the last", "abab", "abab", 1, "a|b|"},
		{"error", "ab!", "", 5, "broken"},
		{"error not reached", "abc!", "abcd", 2, "ab|cd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := pages(t, c.text, c.after, c.size); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSeqInstancesNil(t *testing.T) {
	l := feature.ListSeq(func(context.Context) iter.Seq2[int, error] { return nil }, func([]byte,
		int) feature.Ref {
		return feature.Ref{}
	})
	if uris, next, err := listed(t, l, "", 3); len(uris) != 0 || next != "" || err != nil {
		t.Errorf("got %v, %q, %v", uris, next, err)
	}
}

func TestPagedInstances(t *testing.T) {
	var asked []feature.Page
	l := feature.ListPages(func(_ context.Context, p feature.Page) (feature.List[string], error) {
		asked = append(asked, p)
		return feature.List[string]{Items: []string{"x", "y"}, Next: p.Cursor + "+"}, nil
	}, func(b []byte, s string) feature.Ref { return feature.Ref{URI: append(b, s...)} })
	uris, next, err := listed(t, l, "+", 7)
	if err != nil || len(uris) != 2 || uris[1].URI != "y" || next != "++" {
		t.Errorf("got %v, %q, %v", uris, next, err)
	}
	if !slices.Equal(asked, []feature.Page{{Cursor: "+", Size: 7}}) {
		t.Errorf("asked %v", asked)
	}
}

// Who keeps what a sequence yields to must not write into the page of somebody else.
func TestYieldAfterTheEnd(t *testing.T) {
	var kept func(string, error) bool
	l := feature.ListSeq(func(context.Context) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			kept = yield
			yield("a", nil)
		}
	}, func(b []byte, s string) feature.Ref { return feature.Ref{URI: append(b, s...)} })
	if uris, _, err := listed(t, l, "", 3); len(uris) != 1 || err != nil {
		t.Fatal(uris, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("the end was not noticed")
		}
	}()
	kept("b", nil)
}

// Addresses of a list share a buffer. What a policy has seen of one must stay what it was.
func TestPolicyKeepsText(t *testing.T) {
	var kept []string
	st := &testServer{items: []string{"aa", "bb", "cc"}}
	f := st.features()
	f.Resources[2].Guard = &access.Guard{Access: access.Access{ItemPolicies: []access.Policy{func(c *call.Call) error {
		kept = append(kept, c.Vars.Text(0, "id"))
		return nil
	}}}}
	s, err := NewServer(f, &Options{Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	c := newSession(t, s, protocol.Revision20251125)
	if got := askPage(t, c, "resources/list", ""); got.names() != "a aa bb cc z" {
		t.Errorf("listed %s", got.names())
	}
	if want := []string{"aa", "bb", "cc"}; !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
}
