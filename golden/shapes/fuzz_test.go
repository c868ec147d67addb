package shapes

import (
	"slices"
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
		if v, err := ParsePartsURI(PartsURI(a, b, 7)); err == nil && v != (PartsVars{Name: a, Ext: b, Size: 7}) {
			t.Errorf("%q, %q come back as %+v", a, b, v)
		} else if err != nil && a != "" && b != "" && wire.SafeText(a) && wire.SafeText(b) {
			t.Errorf("%q, %q: %v", a, b, err)
		}
		raw := RawVars{Text: Text(a), Must: Text(b)}
		if v, err := ParseRawURI(RawURI(raw.Text, raw.Must)); err == nil && v != raw {
			t.Errorf("%q, %q come back as %+v", a, b, v)
		} else if err != nil && a != "" && clean(a) && wire.SafeText(b) {
			t.Errorf("%q, %q: %v", a, b, err)
		}
		if again, err := ParseFileURI(FileURI(path)); err == nil && again.Path != path {
			t.Errorf("%q comes back as %q", path, again.Path)
		}
		if again, err := ParseFileSizeURI(FileSizeURI(path)); err == nil && again.Path != path {
			t.Errorf("%q comes back as %q", path, again.Path)
		} else if err != nil && path != "" && wire.SafeText(path) {
			t.Errorf("%q: %v", path, err)
		}
		tags := []Text{Text(a), Text(b)}
		v, err := ParseFindURI(FindURI(tags, nil, false, false, path, 0, High))
		if err == nil && (!slices.Equal(v.Tag, tags) || v.Page != nil || v.Text != path) {
			t.Errorf("%q, %q, %q come back as %q, %q", a, b, path, v.Tag, v.Text)
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
