package protocolgen

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/schema"
)

func readSchemas(files []SchemaFile) ([]*schema.Schema, error) {
	if len(files) == 0 {
		return schema.Embedded()
	}
	var out []*schema.Schema
	var problems []error
	for _, f := range files {
		s, err := readSchema(f)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		out = append(out, s)
	}
	return out, errors.Join(problems...)
}

func readSchema(f SchemaFile) (*schema.Schema, error) {
	rev := f.Revision
	if rev == "" {
		var err error
		if rev, err = schema.RevisionOf(f.Path); err != nil {
			return nil, fmt.Errorf("%w; write -schema YYYY-MM-DD=%s", err, f.Path)
		}
	}
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, err
	}
	return schema.Parse(f.Path, rev, data)
}

func readTables() (t protocolir.Tables, err error) {
	if t.Exceptions, err = schema.EmbeddedExceptions(); err != nil {
		return t, err
	}
	if t.Docs, err = schema.EmbeddedDocs(); err != nil {
		return t, err
	}
	t.API, err = schema.EmbeddedAPI()
	return t, err
}

// readExtensions reads files. Those of a committed extension have its tables.
func readExtensions(files []ExtensionFile, committed []*schema.Extension) ([]*schema.Extension, error) {
	var out []*schema.Extension
	var problems []error
	for _, f := range files {
		s, err := readExtension(f)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		i := slices.IndexFunc(out, func(e *schema.Extension) bool { return e.ID == f.ID })
		if i < 0 {
			e, err := tablesOf(f.ID, committed)
			if err != nil {
				return nil, err
			}
			if j := slices.IndexFunc(out, func(o *schema.Extension) bool { return o.Short() == e.Short() }); j >= 0 {
				problems = append(problems, fmt.Errorf("the extensions %s and %s would both be package %s", out[j].ID, e.ID,
					e.Short()))
			}
			i, out = len(out), append(out, e)
		}
		if slices.ContainsFunc(out[i].Versions, func(v *schema.Schema) bool { return v.Revision == s.Revision }) {
			problems = append(problems, fmt.Errorf("%s: version %s of %s is given twice", f.Path, s.Revision, f.ID))
		}
		out[i].Versions = append(out[i].Versions, s)
	}
	slices.SortFunc(out, func(a, b *schema.Extension) int { return cmp.Compare(a.ID, b.ID) })
	return out, errors.Join(problems...)
}

func tablesOf(id string, committed []*schema.Extension) (*schema.Extension, error) {
	for _, e := range committed {
		if e.ID == id {
			return &schema.Extension{ID: id, Exceptions: e.Exceptions, Docs: e.Docs}, nil
		}
	}
	ex, err := schema.ParseExceptions([]byte("{}"))
	if err != nil {
		return nil, err
	}
	docs, err := schema.ParseDocs(nil)
	return &schema.Extension{ID: id, Exceptions: ex, Docs: docs}, err
}

func readExtension(f ExtensionFile) (*schema.Schema, error) {
	if err := schema.CheckIdentifier(f.ID); err != nil {
		return nil, err
	}
	version := f.Revision
	if version == "" {
		var err error
		if version, err = schema.RevisionOf(f.Path); err != nil {
			return nil, fmt.Errorf("%w; write -extension %s=YYYY-MM-DD=%s", err, f.ID, f.Path)
		}
	}
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, err
	}
	return schema.ParseExtension(f.Path, f.ID, version, data)
}
