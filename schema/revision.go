package schema

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// IsRevision reports whether s is a date of the form YYYY-MM-DD.
func IsRevision(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// RevisionOf finds the revision of a schema file or URL from its name or the name of its folder.
func RevisionOf(file string) (string, error) {
	file = filepath.ToSlash(file)
	base := path.Base(file)
	for _, s := range []string{strings.TrimSuffix(base, path.Ext(base)), path.Base(path.Dir(file))} {
		if IsRevision(s) {
			return s, nil
		}
	}
	return "", fmt.Errorf("%s: the revision is unknown: a schema file does not say it, "+
		"and neither the file nor its folder is named YYYY-MM-DD", file)
}
