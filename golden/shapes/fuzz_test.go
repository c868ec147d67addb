package shapes

import (
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Whatever text a variable holds, it comes back from the URI that was built with it, or it is
// refused; it never turns into another text or another resource.
func FuzzBuildersAndParsers(f *testing.F) {
	f.Add("a.b", "c", "x/y")
	f.Add("%2e", ".md", "../up")
	f.Add(";size=", "é.", "a//b/size")
	f.Add("", "?q=1&r", "#")
	f.Fuzz(func(t *testing.T, a, b, path string) {
		if name, ext, size, err := ParsePartsURI(PartsURI(a, b, 7)); err == nil && (name != a || ext != b || size != 7) {
			t.Errorf("%q, %q come back as %q, %q", a, b, name, ext)
		} else if err != nil && a != "" && b != "" && wire.SafeText(a) && wire.SafeText(b) {
			t.Errorf("%q, %q: %v", a, b, err)
		}
		if text, must, err := ParseRawURI(RawURI(Text(a), Text(b))); err == nil && (text != Text(a) || must != Text(b)) {
			t.Errorf("%q, %q come back as %q, %q", a, b, text, must)
		} else if err != nil && a != "" && clean(a) && wire.SafeText(b) {
			t.Errorf("%q, %q: %v", a, b, err)
		}
		if again, err := ParseFileURI(FileURI(path)); err == nil && again != path {
			t.Errorf("%q comes back as %q", path, again)
		}
		if again, err := ParseFileSizeURI(FileSizeURI(path)); err == nil && again != path {
			t.Errorf("%q comes back as %q", path, again)
		} else if err != nil && path != "" && wire.SafeText(path) {
			t.Errorf("%q: %v", path, err)
		}
		tags, page, _, _, text, _, _, err := ParseFindURI(FindURI([]Text{Text(a), Text(b)}, nil, false, false, path, 0, High))
		if err == nil && (len(tags) != 2 || tags[0] != Text(a) || tags[1] != Text(b) || page != nil || text != path) {
			t.Errorf("%q, %q, %q come back as %q, %q", a, b, path, tags, text)
		}
	})
}

// clean reports whether s can stand in a URI.
func clean(s string) bool {
	for i := range len(s) {
		if s[i] == 0 {
			return false
		}
	}
	return utf8.ValidString(s)
}
