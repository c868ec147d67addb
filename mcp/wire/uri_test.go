package wire

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		uri, scheme, segs, query string
		hasQuery, opaque         bool
	}{
		{"a://h/x/y?q", "a", "h|x|y", "q", true, false},
		{"notes:///x", "notes", "|x", "", false, false},
		{"notes:///", "notes", "|", "", false, false},
		{"notes://", "notes", "", "", false, false},
		{"notes://h", "notes", "h", "", false, false},
		{"a://h//x/", "a", "h||x|", "", false, false},
		{"a://h?", "a", "h", "", true, false},
		{"a://h?x=/?&y=1", "a", "h", "x=/?&y=1", true, false},
		{"urn:isbn:1", "urn", "isbn:1", "", false, true},
		{"a:/x/y", "a", "/x/y", "", false, true},
		{"a:h/x", "a", "h/x", "", false, true},
		{"a:", "a", "", "", false, true},
		{"a+b-c.1://[::1]:80/%2e%2E/%2f", "a+b-c.1", "[::1]:80|%2e%2E|%2f", "", false, false},
		{"A://h/..", "A", "h|..", "", false, false},
	}
	for _, tt := range tests {
		var p Path
		ok := p.Split(tt.uri)
		segs := strings.Join(p.Seg[:p.N], "|")
		if !ok || p.Scheme != tt.scheme || segs != tt.segs || p.Query != tt.query || p.HasQuery != tt.hasQuery ||
			p.Opaque != tt.opaque {
			t.Errorf("%s: got %v %+v", tt.uri, ok, p)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	t.Attr("requirements", "res-validate")
	bad := []string{
		"", "x", ":", "://h", "1a://h", "+a://h", "a b://h", "é://h", "/x", "//h/x", "?a:b", "a://h#f", "a:#", "a://h/%",
		"a://h/%2", "a://h/%zz", "a://h?%g0", "%61://h",
		"a://" + strings.Repeat("x", maxURI),
	}
	for c := range 256 {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}#", byte(c)) >= 0 {
			bad = append(bad, "a://h/"+string([]byte{byte(c)})+"x", "a://h?"+string([]byte{byte(c)}))
		}
	}
	for _, uri := range bad {
		if p := (Path{N: 3}); p.Split(uri) || p != (Path{}) {
			t.Errorf("%.40q: accepted as %+v", uri, p)
		}
	}
}

func TestSplitOverflow(t *testing.T) {
	list := strings.Split("h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "/")
	for n := 1; n <= len(list); n++ {
		var p Path
		if !p.Split("a://" + strings.Join(list[:n], "/") + "?q") {
			t.Fatal(n)
		}
		want := slices.Clone(list[:n])
		if n > 16 {
			want = append(want[:15], strings.Join(list[15:n], "/"))
		}
		if !slices.Equal(p.Seg[:p.N], want) {
			t.Errorf("%d segments: %q", n, p.Seg[:p.N])
		}
		for i := range n {
			if i < 16 && p.Tail(i) != strings.Join(list[i:n], "/") {
				t.Errorf("%d segments: Tail(%d) is %q", n, i, p.Tail(i))
			}
		}
		if p.Tail(p.N) != "" || p.Tail(-1) != "" {
			t.Errorf("%d segments: Tail outside", n)
		}
	}
}

func TestParam(t *testing.T) {
	var p Path
	if !p.Split("a://h?x=1&y=a%3Db=c&flag&x=2&%7a=3&=4&&e=") {
		t.Fatal()
	}
	for name, want := range map[string]string{"x": "1", "y": "a%3Db=c", "flag": "", "z": "3", "": "4", "e": ""} {
		if got, ok := p.Param(name); !ok || got != want {
			t.Errorf("%q: got %q, %v", name, got, ok)
		}
	}
	for _, name := range []string{"X", "fla", "1", "%7a"} {
		if got, ok := p.Param(name); ok {
			t.Errorf("%q: got %q", name, got)
		}
	}
	p.Split("a://h")
	if _, ok := p.Param(""); ok {
		t.Error("a parameter without a query")
	}
}

func TestUnescape(t *testing.T) {
	for s, want := range map[string]string{"": "", "a+b": "a+b", "%41%62": "Ab", "%C3%A9é": "éé", "%2e%2E%2f": "../",
		"%252e": "%2e", "a%0ab": "a\nb"} {
		if got, ok := Unescape(s); !ok || got != want {
			t.Errorf("%s: got %q, %v", s, got, ok)
		}
	}
	for _, s := range []string{"%", "%1", "%zz", "%+1", "a%", "%00", "\x00", "%ff", "\xff", "%c0%ae", "%ed%a0%80",
		"%u002e"} {
		if got, ok := Unescape(s); ok {
			t.Errorf("%q: accepted as %q", s, got)
		}
	}
}

func TestAppendURI(t *testing.T) {
	const all = "AZaz09-._~:/?#[]@!$&'()*+,;=% é\"\\"
	if got := string(AppendSegment([]byte("x"),
		all)); got != "xAZaz09-._~%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%20%C3%A9%22%5C" {
		t.Error(got)
	}
	if got := string(AppendReserved([]byte("x"), all)); got != "xAZaz09-._~:/%3F%23[]@!$&'()*+,;=%25%20%C3%A9%22%5C" {
		t.Error(got)
	}
}

func TestSafeText(t *testing.T) {
	for _, s := range []string{
		"", "a", "a.b", "notes.md", ".hidden", "a..b", "...a", "..a", "a..", "a/b/c", "a//b", "a/", "é", "isbn:1",
		"https://x", "100%", "100% sure", "%zz", "a b", " ", "~", "%41", "a/.git",
	} {
		if !SafeText(s) {
			t.Errorf("%q was refused", s)
		}
	}
	for _, s := range []string{
		".", "..", "...", ". .", ".. ", " ..", "a/..", "../a", "a/../b", "a/./b", "a/.. /b", "a/...", "/", "/a", "//a", "\\",
		"a\\b", "..\\a", "\x00", "a\x00b", "a\nb", "a\x7f", "\x1b[0m",
		"C:", "c:x", "C:/x", "a/C:/x", "%2e%2e", "%2E", "a%2fb", "a%2Fb", "%5c", "%00", "%252e", "%0a", "%1b", "\xff",
		"a/\xc0\xae",
	} {
		if SafeText(s) {
			t.Errorf("%q was accepted", s)
		}
	}
}

// What reaches user code: the URI is cut first, each piece is decoded once, and the decoded text is screened.
func TestTraversal(t *testing.T) {
	t.Attr("requirements", "res-validate res-traversal")
	for _, tail := range []string{
		"..", "%2e%2e", "%2E.", "..%2f..%2fetc%2fpasswd", "%2e%2e%2fx", "%252e%252e%252f", "a%2f..%2f..%2fb",
		"%2fetc%2fpasswd", "..%5cx", "C:%5cx", "c%3a%5cx", "C%3Ax", "x%00.md", "%c0%ae%c0%ae", "%uff0e", ".%20", "..%20",
	} {
		var p Path
		if !p.Split("notes:///" + tail) {
			continue
		}
		if p.N != 2 {
			t.Errorf("%s: an escape cut the path into %d segments", tail, p.N)
		}
		if s, ok := Unescape(p.Seg[1]); ok && SafeText(s) {
			t.Errorf("%s reached user code as %q", tail, s)
		}
	}
}
