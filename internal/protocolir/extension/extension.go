package extension

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/schema"
)

// Core is the merged core that extensions refer to, with the tables beside its schemas.
type Core struct {
	Schemas    []*schema.Schema
	Protocol   *ir.Protocol
	Exceptions *schema.Exceptions
	Docs       *schema.Docs
	API        *schema.API // has the records of extensions, too; nil for none
	Path       string      // import path of its package
	Package    string      // name of its package
}

// Joined is what the merge of an extension knows of the core.
type Joined struct {
	Core       *Core
	Extension  *schema.Extension
	Schemas    []*schema.Schema // of the versions, with the core
	Exceptions *schema.Exceptions
	Own        map[string]bool // definitions that are not the core's, of all versions
	Files      map[string]bool // of the versions
	bases      []int           // by version: index of the revision of the core that it extends
	Notes      []merged.Note
	Warnings   []error
}

// Table names a hand-written table of the extension.
func (x *Joined) Table(name string) string { return "schema/ext/" + x.Extension.Short() + "/" + name }

func (x *Joined) notef(pos schema.Pos, format string, args ...any) {
	x.Notes = append(x.Notes, merged.Note{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// base returns the index of the newest revision of the core that is not younger than a version.
func (x *Joined) base(v *schema.Schema) (int, error) {
	for i, s := range slices.Backward(x.Core.Schemas) {
		if s.Revision <= v.Revision {
			return i, nil
		}
	}
	return 0, schema.Errorf(schema.Pos{File: v.File, Line: 1, Col: 1},
		"version %s of %s is older than every revision of the core; give one of them with -schema", v.Revision,
		x.Extension.ID)
}

// Place tells the versions what they extend, and the extension since when it is spoken.
func (x *Joined) Place(p *ir.Protocol) error {
	revs := x.Core.Protocol.Revisions
	for i := range p.Revisions {
		p.Revisions[i].Core = x.CoreName(revs[x.bases[i]].Go)
	}
	since := x.bases[0]
	if date := x.Exceptions.Since; date != "" {
		since = slices.IndexFunc(revs, func(r ir.Revision) bool { return r.Date == date })
		if since < 0 || since > x.bases[0] {
			return fmt.Errorf("%s: \"since\" is %q, which is no revision of the core up to %s, which the first version extends",
				x.Table("exceptions.json"), date, revs[x.bases[0]].Date)
		}
	}
	p.Extension = &ir.Extension{
		ID: x.Extension.ID, Path: x.Core.Path, Name: x.Core.Package, Since: x.CoreName(revs[since].Go),
	}
	return nil
}

// CoreName qualifies a name of the core's package.
func (x *Joined) CoreName(name string) string { return x.Core.Path + "." + name }

// MetaNames returns the names of the metadata definitions.
func (x *Joined) MetaNames() []string {
	meta := x.Exceptions.Meta
	return []string{meta.Request, meta.Notification, meta.Result, meta.Value}
}

// joiner is one version of an extension on its way into one schema with the core.
type joiner struct {
	*Joined
	version *schema.Schema
	base    *schema.Schema
	own     []*schema.Def          // what the extension adds, in order of names
	defs    map[string]*schema.Def // by name: the core's and own
	keys    *shapes
	flat    map[*schema.Def]bool
	lists   []*schema.Def // who sends what
}
