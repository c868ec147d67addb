package protocolir

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// Core is the merged core that extensions refer to.
type Core struct {
	Schemas  []*schema.Schema
	Protocol *ir.Protocol
	Tables   Tables
	Path     string // import path of its package
	Package  string // name of its package
}

// Extension merges the versions of an extension into the IR of a package of its own, by the rules for revisions. What
// an extension has from the core is the core's: definitions that it repeats, and anonymous objects that are those of
// the core.
//
// A version is in force from the newest revision of the core that is not younger until the next version is. Codecs take
// revisions of the core, so two versions for one revision are an error.
func Extension(ext *schema.Extension, core *Core, api *schema.API) (*Result, error) {
	if api == nil {
		api = &schema.API{}
	}
	versions := slices.Clone(ext.Versions)
	slices.SortFunc(versions, func(a, b *schema.Schema) int { return cmp.Compare(a.Revision, b.Revision) })
	x := &extension{ext: ext, core: core, ex: ext.Exceptions.Over(core.Tables.Exceptions), own: map[string]bool{},
		files: map[string]bool{}}
	var joined []*schema.Schema
	for _, v := range versions {
		s, err := x.join(v)
		if err != nil {
			return nil, err
		}
		joined = append(joined, s)
	}
	m := newMerger(joined, x.ex, api)
	m.extension = x
	m.merge()
	b := newProtocolBuilder(m, ext.Docs)
	p := b.build()
	if err := x.place(p); err != nil {
		return nil, err
	}
	r := &Result{Protocol: p, Notes: append(x.notes, m.notes...), Warnings: x.warnings}
	r.API = b.given(p)
	for _, w := range m.warnings {
		if x.files[w.Pos.File] {
			r.Warnings = append(r.Warnings, w)
		}
	}
	if len(b.missing) > 0 {
		r.Warnings = append(r.Warnings, &UndocumentedError{File: x.table("docs.json"), Items: b.missing})
	}
	return r, errors.Join(errors.Join(m.errs...), b.checkGiven(r.API))
}

// extension is what the merge of an extension knows of the core.
type extension struct {
	ext      *schema.Extension
	core     *Core
	ex       *schema.Exceptions
	own      map[string]bool // definitions that are not the core's, of all versions
	files    map[string]bool // of the versions
	bases    []int           // by version: index of the revision of the core that it extends
	notes    []Note
	warnings []error
}

// table names a hand-written table of the extension.
func (x *extension) table(name string) string { return "schema/ext/" + x.ext.Short() + "/" + name }

func (x *extension) notef(pos schema.Pos, format string, args ...any) {
	x.notes = append(x.notes, Note{Pos: pos, Text: fmt.Sprintf(format, args...)})
}

// base returns the index of the newest revision of the core that is not younger than a version.
func (x *extension) base(v *schema.Schema) (int, error) {
	at := schema.Pos{File: v.File, Line: 1, Col: 1}
	for i, s := range slices.Backward(x.core.Schemas) {
		if s.Revision > v.Revision {
			continue
		}
		if slices.Contains(x.bases, i) {
			return 0, &schema.Error{Pos: at, Msg: fmt.Sprintf("two versions of %s extend the revision %s of the core, by which "+
				"codecs choose; leave one of them out", x.ext.ID, s.Revision)}
		}
		return i, nil
	}
	return 0, &schema.Error{Pos: at,
		Msg: fmt.Sprintf("version %s of %s is older than every revision of the core; give one of them with -schema",
			v.Revision, x.ext.ID)}
}

// place gives the versions their places among the revisions of the core.
func (x *extension) place(p *ir.Protocol) error {
	revs := x.core.Protocol.Revisions
	p.Extension = &ir.Extension{ID: x.ext.ID, Path: x.core.Path, Name: x.core.Package, First: x.coreName(revs[0].Go)}
	for i := range p.Revisions {
		p.Revisions[i].Go, p.Revisions[i].Last = x.coreName(revs[x.bases[i]].Go), ""
		if i+1 < len(p.Revisions) {
			p.Revisions[i].Last = x.coreName(revs[x.bases[i+1]-1].Go)
		}
	}
	since := x.bases[0]
	if date := x.ex.Since; date != "" {
		since = slices.IndexFunc(revs, func(r ir.Revision) bool { return r.Date == date })
		if since < 0 || since > x.bases[0] {
			return fmt.Errorf("%s: \"since\" is %q, which is no revision of the core up to %s, which the first version extends",
				x.table("exceptions.json"), date, revs[x.bases[0]].Date)
		}
	}
	if since > 0 {
		p.Extension.Since = x.coreName(revs[since].Go)
	}
	return nil
}

// coreName qualifies a name of the core's package.
func (x *extension) coreName(name string) string { return x.core.Path + "." + name }

// foreign returns the qualified Go name of a merged definition that is the core's. A definition that the core has in
// another form is not.
func (x *extension) foreign(d *mergedDef) (string, bool) {
	if x == nil || x.own[d.name] || x.files[d.pos.File] && !slices.Contains(x.metaNames(), d.name) {
		return "", false
	}
	for _, s := range x.core.Protocol.Structs {
		if s.Schema == d.name && d.kind == defStruct {
			return x.coreName(s.Go), true
		}
	}
	for _, e := range x.core.Protocol.Enums {
		if e.Schema == d.name && d.kind == defEnum {
			return x.coreName(e.Go), true
		}
	}
	for _, u := range x.core.Protocol.Unions {
		if u.Schema == d.name && d.kind == defUnion {
			return x.coreName(u.Go), true
		}
	}
	return "", false
}

func (x *extension) metaNames() []string {
	meta := x.ex.Meta
	return []string{meta.Request, meta.Notification, meta.Result, meta.Value}
}

// recordName returns a type name as the record has it, which does not depend on where the packages are.
func recordName(name string) string {
	if !isForeign(name) {
		return name
	}
	return "protocol." + name[strings.LastIndexByte(name, '.')+1:]
}

// isForeign reports whether a Go name is of another package.
func isForeign(name string) bool { return strings.Contains(name, ".") }
