package uri

import (
	"slices"
	"strings"
	"testing"
)

func TestTakeParts(t *testing.T) {
	for _, c := range []struct{ seg, lits, want string }{
		{"report-2026-07.md", "report-|-|.md", "2026 07"},
		{"report-2026-07-1.md", "report-|-|.md", "2026 07-1"},
		{"a.b.c", "||.", ""},
		{"a.b.", "|.|.", "a b"},
		{"x.md.md", "|.md", "x.md"},
		{"v1", "v|", "1"},
		{"v", "v|", ""},
		{"report--07.md", "report-|-|.md", ""},
		{"report-2026-.md", "report-|-|.md", ""},
		{"report.md", "report|.md", ""},
		{"ab", "ab|b", ""},
		{"isbn:1/2", "isbn:|", ""},
		{"w", "x|", ""},
	} {
		v := new(Vars)
		got := ""
		if v.TakeParts(0, c.seg, strings.Split(c.lits, "|")...) {
			got = strings.TrimSpace(v.raw[0] + " " + v.raw[1])
		}
		if got != c.want {
			t.Errorf("%s against %s: got %q, want %q", c.seg, c.lits, got, c.want)
		}
	}
}

func TestTakeSpanAndBack(t *testing.T) {
	deep := "a:///" + strings.Repeat("d/", 30) + "f/raw"
	for _, c := range []struct {
		uri         string
		from, after int
		want, last  string
	}{
		{"a:///x/y/raw", 1, 1, "x/y", "raw"},
		{"a:///x/y/raw", 1, 0, "x/y/raw", "raw"},
		{"a:///raw", 1, 1, "", "raw"},
		{"a:///x/", 2, 0, "", ""},
		{"a:///x", 5, 0, "", "x"},
		{deep, 1, 1, strings.Repeat("d/", 30) + "f", "raw"},
	} {
		v := new(Vars)
		if !v.Split(c.uri) {
			t.Fatalf("%s: not a URI", c.uri)
		}
		ok := v.TakeSpan(0, c.from, c.after)
		if ok != (c.want != "") || ok && v.raw[0] != c.want || v.Back(1) != c.last {
			t.Errorf("%s: got %v %q, last %q", c.uri, ok, v.raw[0], v.Back(1))
		}
	}
	v := new(Vars)
	v.Split(deep)
	if got := v.Back(2); got != "f" {
		t.Errorf("last but one is %q", got)
	}
}

func TestTakeRefusesMoreThanOneSegment(t *testing.T) {
	v := new(Vars)
	for raw, want := range map[string]bool{"": false, "a": true, "a/b": false, "a%2Fb": true} {
		if v.Take(0, raw) != want {
			t.Errorf("Take(%q) is not %v", raw, want)
		}
	}
}

func TestAVariableOfAFailedMatchIsForgotten(t *testing.T) {
	v := new(Vars)
	v.Split("a:///x?n=1&n=2&m=")
	v.TakeParams(1, "n")
	v.TakeParam(1, "none")
	v.Take(2, "y")
	v.TakeParams(2, "none")
	if v.Has(1) || v.Has(2) || slices.Collect(func(yield func(int) bool) {
		for range v.Each(1) {
			yield(1)
		}
	}) != nil {
		t.Error("a variable has outlived its match")
	}
	v.TakeParam(1, "m")
	if !v.Has(1) || v.RawText(1, "m") != "" {
		t.Error("an empty parameter is lost")
	}
}

func TestOnlyParams(t *testing.T) {
	v := new(Vars)
	for uri, want := range map[string]bool{
		"a:///x": true, "a:///x?": true, "a:///x?n=1&m": true, "a:///x?%6e=1": true, "a:///x?o=1": false,
		"a:///x?n=1&&": true, "a:///x?=": false,
	} {
		if v.Split(uri); v.OnlyParams("n", "m") != want {
			t.Errorf("%s: not %v", uri, want)
		}
	}
}
