package mcp

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
)

// seqOf lists the letters of *text; "!" is an error.
func seqOf(text *string) Lister {
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
	return ListSeq(seq, func(s string) Ref { return Ref{URI: s} })
}

// listed returns a page, which must be the same whether it is listed or streamed.
func listed(t *testing.T, l Lister, from string, size int) (refs []Ref, next string, err error) {
	t.Helper()
	var seen []string
	n, last, failed := l.(streamer).stream(t.Context(), from, size, func(r *Ref) { seen = append(seen, r.URI) })
	refs, next, err = l.list(t.Context(), from, size)
	switch {
	case (err == nil) != (failed == nil):
		t.Errorf("listed with error %v, streamed with %v", err, failed)
	case err == nil && (n != len(refs) || last != next || !slices.EqualFunc(refs, seen, func(r Ref, uri string) bool { return r.URI == uri })):
		t.Errorf("listed %v and %q, streamed %d %v and %q", refs, next, n, seen, last)
	}
	return refs, next, err
}

// pages lists all pages, "ab|cd", changing the sequence to after once the first page is out.
func pages(t *testing.T, text, after string, size int) string {
	t.Helper()
	l := seqOf(&text)
	var all []string
	for from, n := "", 0; n < 20; n++ {
		refs, next, err := listed(t, l, from, size)
		if err != nil {
			return err.Error()
		}
		var page strings.Builder
		for _, r := range refs {
			page.WriteString(r.URI)
		}
		all = append(all, page.String())
		if next == "" {
			return strings.Join(all, "|")
		}
		from, text = next, after
	}
	return "no end: " + strings.Join(all, "|")
}

func TestSeqLister(t *testing.T) {
	for _, c := range []struct {
		name, text, after string
		size              int
		want              string
	}{
		{"one page", "abc", "abc", 5, "abc"},
		{"exactly full", "abc", "abc", 3, "abc"},
		{"several", "abcdefg", "abcdefg", 3, "abc|def|g"},
		{"none", "", "", 3, ""},
		{"grown before", "abcdef", "xyabcdef", 3, "abc|def"},
		{"shrunk before", "abcdef", "bcdef", 3, "abc|def"},
		{"last vanished", "abcdef", "abdef", 3, "abc|ef"},
		{"last vanished, new at its place", "abcdef", "abxdef", 3, "abc|def"},
		{"all vanished", "abcdef", "", 3, "abc|"},
		{"reversed", "abcdef", "fedcba", 3, "abc|ba"},
		{"duplicates end", "aaaaaaa", "aaaaaaa", 2, "aa|aa|aa|a"},
		{"duplicate of the last", "abab", "abab", 1, "a|b|a|b"},
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

func TestSeqListerNil(t *testing.T) {
	l := ListSeq(func(context.Context) iter.Seq2[int, error] { return nil }, func(int) Ref { return Ref{} })
	if refs, next, err := listed(t, l, "", 3); len(refs) != 0 || next != "" || err != nil {
		t.Errorf("got %v, %q, %v", refs, next, err)
	}
}

func TestPageLister(t *testing.T) {
	var asked []Page
	l := ListPages(func(_ context.Context, p Page) (List[string], error) {
		asked = append(asked, p)
		return List[string]{Items: []string{"x", "y"}, Next: p.Cursor + "+"}, nil
	}, func(s string) Ref { return Ref{URI: s} })
	refs, next, err := listed(t, l, "+", 7)
	if err != nil || len(refs) != 2 || refs[1].URI != "y" || next != "++" {
		t.Errorf("got %v, %q, %v", refs, next, err)
	}
	if !slices.Equal(asked, []Page{{Cursor: "+", Size: 7}, {Cursor: "+", Size: 7}}) {
		t.Errorf("asked %v", asked)
	}
}
