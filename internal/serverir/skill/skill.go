// Package skill builds the skills of a server: embedded directories with instructions for models.
package skill

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/load/embedfile"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
	"github.com/mcpgen/mcpgen/internal/skilldir"
)

// builder builds the skills of a server.
type builder struct {
	feature.Passes
	*feature.Context
	resources *resource.Builder
	// decls are the declarations of the skills of the server.
	decls []*load.Decl
}

// New returns what builds the skills of one server.
func New(s *feature.Context) feature.Kind {
	return &builder{Context: s, resources: feature.Find[*resource.Builder](s)}
}

// Declare reads the skills.
func (b *builder) Declare() { source.EachSpec(b.Pkg, b.build) }

// build turns one skill directive into resources, one for each file.
func (b *builder) build(d *load.Decl, spec *directive.Skill) {
	b.refined(d)
	from, to := source.NameOf(d)
	switch {
	case !b.prefix(spec) || d.Obj == nil || source.Invalid(d.Obj.Type()):
		return
	case !gotype.IsNamed(d.Obj.Type(), "embed", "FS"):
		b.Report("MCP413", from, to, fmt.Sprintf("skills are in an embed.FS; found %s", b.TypeText(d.Obj.Type())),
			report.Fix("var "+d.Name+" embed.FS"))
		return
	case len(d.Embed) == 0:
		b.Report("MCP413", from, to, fmt.Sprintf("`%s` is not embedded", d.Name), report.Fix("//go:embed skills"))
		return
	}
	root, err := os.OpenRoot(b.Pkg.Dir)
	if err != nil {
		b.Report("MCP413", from, to, "the package cannot be read: "+err.Error())
		return
	}
	defer root.Close()
	files, complete := embedded(root.FS(), d)
	dirs := outermost(files, d.Embed)
	if !complete {
		b.Report("MCP413", from, to, fmt.Sprintf("the files of `%s` are not there, and mcpgen reads them", d.Name),
			report.Fix("make the files before mcpgen runs"))
	} else if len(dirs) == 0 {
		b.Report("MCP413", from, to, fmt.Sprintf("`%s` has no %s", d.Name, skilldir.Manifest),
			report.Fix("embed a directory of directories with that file"))
	}
	k := &ir.Skills{
		Pos: b.Res.Pos(d.Primary.Pos, d.Primary.End), Decl: filepath.Base(d.File.Path) + ": " + d.Name, Var: d.Name,
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		b.dir(d, spec, k, ir.SkillDir{Path: dir, URI: "skill://" + path.Join(spec.Path.V, dirs[dir])}, files)
	}
	b.Server.Skills = append(b.Server.Skills, k)
	b.Server.SkillRules = b.methodRules()
	b.decls = append(b.decls, d)
}

// methodRules are the limits and the middleware that the server has for all: what a caller may see of the skills is
// decided for each.
func (b *builder) methodRules() *ir.Rules {
	rules := b.GuardOf(&variable.Set{Decl: new(load.Decl)}, "")
	if rules == nil || rules.Use == nil && rules.Limit == (ir.Limit{}) {
		return nil
	}
	return &ir.Rules{Use: rules.Use, Limit: rules.Limit}
}

// Finish reports resources, and directories of other skills, that lie in the directory of a skill, and names that two
// skills have.
func (b *builder) Finish() {
	b.names()
	for i, k := range b.Server.Skills {
		for _, d := range k.Dirs {
			for n := range i {
				b.apart(i, d, n)
			}
			for _, r := range b.resources.All {
				if d.Has(r.URI) {
					from, to := source.ValueOf(r.Spec.URI.Arg)
					b.Report("MCP207", from, to, fmt.Sprintf("`%s` lies in the skill `%s`, which has the embedded files only",
						r.URI, d.URI), report.Fix("embed a file, or write another URI"))
				}
			}
		}
	}
}

// names reports skills that have the name of an earlier one.
func (b *builder) names() {
	first := map[string]string{}
	for i, k := range b.Server.Skills {
		from, to := source.NameOf(b.decls[i])
		for _, d := range k.Dirs {
			name := path.Base(d.URI)
			other, ok := first[name]
			if !ok {
				first[name] = d.URI
			} else if other != d.URI {
				b.Report("MCP414", from, to, fmt.Sprintf("`%s` has the name of `%s`, by which models choose", d.URI, other),
					report.Fix("rename the directory, and the skill in its "+skilldir.Manifest))
			}
		}
	}
}

// apart reports directories of the n-th declaration that lie in d, of the i-th, or d in them.
func (b *builder) apart(i int, d ir.SkillDir, n int) {
	from, to := source.NameOf(b.decls[i])
	ofrom, oto := source.NameOf(b.decls[n])
	o := b.Server.Skills[n]
	for _, e := range o.Dirs {
		if !d.Apart(e) {
			b.Report("MCP207", from, to, fmt.Sprintf("`%s` and `%s` of `%s` are not apart: all files in the directory of a "+
				"skill belong to it", d.URI, e.URI, o.Var), b.Related(ofrom, oto, "declared here first"),
				report.Fix("path=…, another one"))
		}
	}
}

// Capabilities adds that there are resources.
func (b *builder) Capabilities(c *ir.Capabilities) {
	for _, k := range b.Server.Skills {
		c.Resources = c.Resources || len(k.Files) > 0 && !k.Files[0].Proto.Off
	}
}

// refinements may stand beside a skill. Others would refine its files, and not the methods that tell of them.
var refinements = []string{"access", "availability", "allow"}

// refined refuses directives that would refine some of what belongs to a skill and not the rest.
func (b *builder) refined(d *load.Decl) {
	for _, m := range d.Directives {
		if m.Bad || m.Def == nil || m.Def.Primary || slices.Contains(refinements, m.Name) {
			continue
		}
		b.Report("MCP108", m.NamePos, m.NameEnd(), fmt.Sprintf("`%s` cannot stand beside `skill`", m.Name),
			report.Hint("beside a skill: "+strings.Join(refinements, " ")), report.Fix("remove the line"))
	}
}

// prefixPattern is that of the segments before the name of a skill.
var prefixPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~-]*(/[A-Za-z0-9][A-Za-z0-9._~-]*)*$`)

// prefix checks what stands before the paths of skills.
func (b *builder) prefix(spec *directive.Skill) bool {
	if !spec.Path.Set() || prefixPattern.MatchString(spec.Path.V) {
		return true
	}
	from, to := source.ValueOf(spec.Path.Arg)
	b.Report("MCP413", from, to, fmt.Sprintf(
		"`%s` cannot stand before the path of a skill: segments of letters, digits and ._~- with / between", spec.Path.V),
		report.Fix(prefixLike(spec.Path.V)))
	return false
}

// prefixLike makes a prefix of what is none.
func prefixLike(s string) string {
	segments := strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' })
	for i, x := range segments {
		segments[i] = strings.Trim(notInPrefix.ReplaceAllString(x, "-"), "-._~")
	}
	segments = slices.DeleteFunc(segments, func(x string) bool { return x == "" })
	if len(segments) == 0 {
		return "remove the option, or write path=acme"
	}
	return "path=" + strings.Join(segments, "/")
}

// notInPrefix matches what segments cannot have.
var notInPrefix = regexp.MustCompile(`[^A-Za-z0-9._~-]+`)

// dir adds the resources of a directory with a skill.
func (b *builder) dir(d *load.Decl, spec *directive.Skill, k *ir.Skills, at ir.SkillDir, all map[string][]byte) {
	dir, uri := at.Path, at.URI
	files := map[string][]byte{}
	for name, content := range all {
		if rel, ok := strings.CutPrefix(name, dir+"/"); ok {
			files[rel] = content
		} else if dir == "." {
			files[name] = content
		}
	}
	tree := skilldir.Read(files, uri)
	manifests, problems := check(tree, files)
	at.Manifests = manifests
	broken := false
	from, to := source.NameOf(d)
	for _, p := range problems {
		code := "MCP413"
		if p.advice {
			code = "MCP414"
		}
		broken = broken || !p.advice
		b.Report(code, from, to, fmt.Sprintf("%s:%d: %s", path.Join(dir, p.path), p.line, p.message), report.Fix(p.fix))
	}
	if broken {
		return
	}
	for _, f := range tree.Files {
		address := directive.URI{V: f.URI}
		address.Arg = &directive.Arg{Pos: d.Primary.Pos, End: d.Primary.End}
		var first *ir.Resource
		if len(k.Files) > 0 {
			first = k.Files[0]
		}
		like := &directive.Resource{URI: address, Tags: spec.Tags, Bind: spec.Bind}
		r := b.resources.Add(d, like, first, func(r *ir.Resource) {
			r.Name, r.Description, r.MIME, r.Result, r.SkillFile = f.Name, f.Description, f.MIME, ir.ResultTextBytes, true
		})
		if r != nil {
			k.Files = append(k.Files, r)
		}
	}
	k.Dirs = append(k.Dirs, at)
}

// embedded are the files of d, with their contents. It is false if some do not exist.
func embedded(pkg fs.FS, d *load.Decl) (out map[string][]byte, ok bool) {
	out, ok = map[string][]byte{}, true
	for _, p := range d.Embed {
		files, err := embedfile.Files(pkg, p.Text)
		ok = ok && err == nil
		for _, name := range files {
			out[name], _ = fs.ReadFile(pkg, name) // the go command says what cannot be read
		}
	}
	return out, ok
}

// outermost are the directories with a skill that lie in no other, with the paths that they have for clients.
func outermost(files map[string][]byte, patterns []embedfile.Pattern) map[string]string {
	out := map[string]string{}
	for _, name := range slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return strings.Count(a, "/") - strings.Count(b, "/")
	}) {
		dir := path.Dir(name)
		if path.Base(name) != skilldir.Manifest || within(out, dir) {
			continue
		}
		out[dir] = shown(dir, patterns)
	}
	return out
}

func within(dirs map[string]string, dir string) bool {
	for o := range dirs {
		if dir == o || strings.HasPrefix(dir, o+"/") || o == "." {
			return true
		}
	}
	return false
}

// shown returns the path of a directory below the embedded directory that it lies in; for an embedded directory it is
// its name.
func shown(dir string, patterns []embedfile.Pattern) string {
	for _, pattern := range patterns {
		p := strings.TrimPrefix(pattern.Text, "all:")
		if i := strings.IndexAny(p, "*?["); i >= 0 {
			p = path.Dir(p[:i] + "x")
		}
		if rest, ok := strings.CutPrefix(dir, p+"/"); ok {
			return rest
		}
	}
	return path.Base(dir)
}
