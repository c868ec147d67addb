package output

import (
	"bytes"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the changes in unified form, "" for none. An empty file that is new or removed is no change.
func Diff(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		old, now := "a/"+c.Path, "b/"+c.Path
		if c.Old == nil {
			old = "/dev/null"
		}
		if c.New == nil {
			now = "/dev/null"
		}
		_, text, _ := bytes.Cut(diff.Diff(old, c.Old, now, c.New), []byte("\n")) // the first line repeats the names
		b.Write(text)
	}
	return b.String()
}
