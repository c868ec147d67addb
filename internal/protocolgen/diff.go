package protocolgen

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/internal/schemadiff"
	"github.com/mcpgen/mcpgen/schema"
)

// SchemaDiff is what changed from one schema to another.
type SchemaDiff struct {
	Old string `json:"old"` // revision, or the file if it does not say one
	New string `json:"new"`
	// Changes are the differences of the schemas.
	Changes []schemadiff.Change `json:"changes"`
	// Decisions are those of the rule for later revisions about the newer schema, as mcpgen protocol -v prints them, and
	// what a person must decide. There are none for revisions that were merged together at the start.
	Decisions []string `json:"decisions"`
}

// Diff compares two schemas. Each is the name of a committed revision or a file, official or
// facts, which may be written as REV=FILE. Go names are those of a protocol package that is generated
// from the committed revisions and these two.
func Diff(older, newer string) (*SchemaDiff, error) {
	set, err := schema.Embedded()
	if err != nil {
		return nil, err
	}
	t, err := readTables()
	if err != nil {
		return nil, err
	}
	a, errA := findSchema(set, older)
	b, errB := findSchema(set, newer)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	d := &SchemaDiff{Old: cmp.Or(a.Revision, a.File), New: cmp.Or(b.Revision, b.File)}
	if d.Old == d.New {
		d.Old, d.New = d.Old+" ("+a.File+")", d.New+" ("+b.File+")"
	}
	set = slices.DeleteFunc(set, func(s *schema.Schema) bool {
		return s.Revision == a.Revision || s.Revision == b.Revision
	})
	a, b = inOrder(a, b)
	names, err := protocolir.NewGoNames(append(set, a, b), t)
	if err != nil {
		return nil, err
	}
	d.Changes = schemadiff.Compare(a, b, t.Exceptions, names)
	for _, x := range names.Decisions {
		if x.Pos.File == b.File && b.File != a.File {
			d.Decisions = append(d.Decisions, x.Text)
		}
	}
	return d, nil
}

// inOrder copies two schemas and gives them different revisions. One that says none counts as newer than all.
func inOrder(older, newer *schema.Schema) (a, b *schema.Schema) {
	x, y := *older, *newer
	x.Revision, y.Revision = cmp.Or(x.Revision, "9999-12-31"), cmp.Or(y.Revision, "9999-12-31")
	if x.Revision == y.Revision {
		y.Revision += " again"
	}
	return &x, &y
}

// findSchema returns the committed revision of this name, or reads a file.
func findSchema(set []*schema.Schema, arg string) (*schema.Schema, error) {
	for _, s := range set {
		if s.Revision == arg {
			return s, nil
		}
	}
	if schema.IsRevision(arg) {
		var have []string
		for _, s := range set {
			have = append(have, s.Revision)
		}
		if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("revision %s is not one of %s; name a file for others", arg, strings.Join(have, ", "))
		}
	}
	path, rev := arg, ""
	if r, p, ok := strings.Cut(arg, "="); ok && schema.IsRevision(r) {
		path, rev = p, r
	} else if r, err := schema.RevisionOf(arg); err == nil {
		rev = r
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return schema.Parse(path, rev, data)
}
