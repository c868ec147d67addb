package serverir

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/tool"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// mounts builds the mounted servers, and gives the Impl struct a field for each.
func (b *serverBuilder) mounts() {
	if b.ServerDecl == nil {
		return
	}
	spec := b.ServerDecl.Primary.Spec.(*directive.Server)
	for _, item := range spec.Mount.V {
		path, name := b.Pkg.MountPath(item.V)
		m := b.mounted(item, path, name)
		if m == nil || !b.mountPrefix(item, m) {
			continue
		}
		m.Path, m.Field = path, names.TypeName(strings.TrimPrefix(m.Prefix+"-"+m.Server.Name, "-"))
		if b.mountedTwice(item, *m) {
			continue
		}
		b.mountCollides(item, *m) // what comes behind it is compared with it all the same
		pkg, _ := b.Res.Mounted(path)
		typ := &ir.GoType{Kind: ir.GoNamed, Path: path, PkgName: pkg.Name, Name: m.Server.Names.Type}
		b.Server.Receivers = append(b.Server.Receivers, ir.Receiver{
			Field: m.Field, Type: &ir.GoType{Kind: ir.GoPointer, Elem: typ}, Pointer: true,
			Doc: "is the server of package " + pkg.Name + ", whose features this one offers too.",
		})
		b.Server.Mounts = append(b.Server.Mounts, *m)
	}
}

// mountPrefix sets the prefix of an item, as in crm_=./accounts, for the names of tools and prompts.
func (b *serverBuilder) mountPrefix(item directive.Item, m *ir.Mount) bool {
	prefix, _, ok := strings.Cut(item.V, "=")
	if !ok {
		return true
	}
	if len(prefix) > 64 || !tool.NamePattern.MatchString(prefix) {
		from := item.Arg.At(item.From)
		b.Report("MCP109", from, from+token.Pos(max(1, len(prefix))),
			fmt.Sprintf("`%s` cannot stand before names: 1 to 64 of A-Z a-z 0-9 _ . -",
				prefix), report.Fix("mount=crm_="+item.V[len(prefix)+1:]))
		return false
	}
	m.Prefix = prefix
	good := true
	eachServer(m.Server, func(s *ir.Server) {
		for _, c := range s.Called() {
			*c.Name = prefix + *c.Name
			good = good && (c.Word != "tool" || tool.NamePattern.MatchString(*c.Name))
		}
	})
	if !good {
		b.mountFault(item, fmt.Sprintf("with the prefix `%s` a name of a tool of `%s` is longer than 128 characters", prefix,
			m.Server.Name), "use a shorter prefix")
	}
	return good
}

// mounted builds the server that an item of mount= names.
func (b *serverBuilder) mounted(item directive.Item, path, name string) *ir.Mount {
	pkg, why := b.Res.Mounted(path)
	if path == b.Pkg.Path || b.mounting[path] {
		why = "it would contain itself"
	}
	if why != "" {
		b.mountFault(item, fmt.Sprintf("package `%s` cannot be mounted: %s", path, why),
			"name the import path of another package with directives")
		return nil
	}
	p := b.featuresOf(pkg)
	if p == nil {
		if !pkg.Target { // else its mistakes have been reported
			b.mountFault(item, fmt.Sprintf("package `%s` cannot be mounted: it has mistakes", path),
				"mcpgen "+path+" tells which")
		}
		return nil
	}
	var names []string
	for _, s := range p.Servers {
		if s.Name == name || name == "" && len(p.Servers) == 1 {
			return &ir.Mount{Server: s}
		}
		names = append(names, s.Name)
	}
	message := fmt.Sprintf("package `%s` has no server `%s`", path, name)
	if name == "" {
		message = fmt.Sprintf("package `%s` has several servers", path)
	}
	base, _, _ := strings.Cut(item.V, "#")
	b.mountFault(item, message+": "+strings.Join(names, ", "), "mount="+base+"#"+names[0])
	return nil
}

// featuresOf returns the IR of a package; nil if it has mistakes.
func (b *serverBuilder) featuresOf(pkg *load.Package) *ir.GoPackage {
	mounting := map[string]bool{b.Pkg.Path: true}
	for path := range b.mounting {
		mounting[path] = true
	}
	out := new(diag.List)
	p := featuresIn(b.Res, pkg, out, mounting)
	if out.HasErrors() {
		return nil
	}
	return p
}

// mountFault reports what is wrong with one item of mount=.
func (b *serverBuilder) mountFault(item directive.Item, message, better string) {
	b.Report("MCP501", item.Arg.At(item.From), item.Arg.At(item.To), message, report.Fix(better))
}

// mountedTwice reports a mount whose field another mount has, or a type with methods here.
func (b *serverBuilder) mountedTwice(item directive.Item, m ir.Mount) bool {
	if !slices.ContainsFunc(b.Server.Receivers, func(r ir.Receiver) bool { return r.Field == m.Field }) {
		return false
	}
	from, to := item.Arg.At(item.From), item.Arg.At(item.To)
	b.Report("MCP803", from, to, fmt.Sprintf("field `%s` of `%s` is needed twice", m.Field,
		names.Server(b.Server.Name).Impl),
		report.Fix("put something before its names: mount=crm_="+item.V[strings.Index(item.V, "=")+1:]))
	return true
}

// mountCollides reports everything that both the mounted server and one before it serve.
func (b *serverBuilder) mountCollides(item directive.Item, m ir.Mount) {
	before := map[[2]string]ir.Called{} // by word and name
	eachServer(b.Server, func(o *ir.Server) {
		for _, c := range o.Called() {
			if key := [2]string{c.Word, *c.Name}; before[key].Name == nil {
				before[key] = c
			}
		}
	})
	eachServer(m.Server, func(s *ir.Server) {
		for _, r := range s.Resources {
			b.resourceCollides(item, m, r, b.Server)
		}
		b.nameCollides(item, m, s.Called(), before)
	})
	b.declaredTwice(item, m)
	b.skillCollides(item, m)
}

// skillCollides reports two skills, one of the mounted server and one of a server before it, if one lies in the
// directory of the other. It also reports resources of one server in the directory of a skill of the other.
func (b *serverBuilder) skillCollides(item directive.Item, m ir.Mount) {
	clash := func(uri, other string, first, second diag.Pos) {
		b.mountClash("MCP207", item, fmt.Sprintf("`%s` of `%s` and `%s` are not apart: all files in the directory of "+
			"a skill belong to it", uri, m.Path, other), first, second, apartFix)
	}
	eachServer(m.Server, func(s *ir.Server) {
		eachServer(b.Server, func(o *ir.Server) {
			eachSkillDir(s, func(k *ir.Skills, d ir.SkillDir) {
				eachSkillDir(o, func(l *ir.Skills, e ir.SkillDir) {
					if !d.Apart(e) {
						clash(d.URI, e.URI, l.Pos, k.Pos)
					}
				})
				for _, r := range o.Resources {
					if d.Has(r.URI) {
						clash(d.URI, r.URI, r.Pos, k.Pos)
					}
				}
			})
			eachSkillDir(o, func(l *ir.Skills, e ir.SkillDir) {
				for _, r := range s.Resources {
					if e.Has(r.URI) {
						clash(r.URI, e.URI, l.Pos, r.Pos)
					}
				}
			})
		})
	})
}

// eachSkillDir calls f for the directories with skills of s itself.
func eachSkillDir(s *ir.Server, f func(*ir.Skills, ir.SkillDir)) {
	for _, k := range s.Skills {
		for _, d := range k.Dirs {
			f(k, d)
		}
	}
}

// declaredTwice reports extensions, methods and events of the mounted server that another server before it has.
func (b *serverBuilder) declaredTwice(item directive.Item, m ir.Mount) {
	before := declaredBy(b.Server)
	mine := declaredBy(m.Server)
	for _, name := range slices.Sorted(maps.Keys(mine)) {
		if first, ok := before[name]; ok {
			b.mountClash("MCP207", item, fmt.Sprintf("%s of `%s` is already declared", name, m.Path), first, mine[name],
				apartFix)
		}
	}
}

// declaredBy returns the positions of the extensions, methods and events of s and its mounted servers, by their names
// in messages.
func declaredBy(s *ir.Server) map[string]diag.Pos {
	out := map[string]diag.Pos{}
	eachServer(s, func(s *ir.Server) {
		for _, x := range s.Extensions {
			out["extension `"+x.ID+"`"] = x.Pos
			for _, method := range x.Methods {
				out["method `"+method.Name+"`"] = method.Pos
			}
		}
		for _, e := range s.Events {
			out["event `"+e.Name+"`"] = e.Pos
		}
		for _, r := range s.Resources {
			if r.Event != nil {
				out["event `"+r.Event.Name+"`"] = r.Pos
			}
		}
	})
	return out
}

// nameCollides reports names of mine that another feature of the kind has before.
func (b *serverBuilder) nameCollides(item directive.Item, m ir.Mount, mine []ir.Called,
	before map[[2]string]ir.Called) {
	for _, n := range mine {
		o, ok := before[[2]string{n.Word, *n.Name}]
		if !ok {
			continue
		}
		b.mountClash("MCP207", item, fmt.Sprintf("%s `%s` of `%s` is already declared by `%s`", n.Word, *n.Name, m.Path,
			o.Decl), o.Pos, n.Pos,
			"rename one of them, or put something before the names of a part: mount=crm_="+item.V[strings.Index(item.V,
				"=")+1:])
	}
}

// resourceCollides reports what is before at the address of r, once, and all templates that match what r matches.
func (b *serverBuilder) resourceCollides(item directive.Item, m ir.Mount, r *ir.Resource, before *ir.Server) {
	same := false
	eachServer(before, func(s *ir.Server) {
		for _, o := range s.Resources {
			if o.URI == r.URI {
				if !same {
					b.mountClash("MCP207", item, fmt.Sprintf("`%s` of `%s` is already declared by `%s`", r.URI, m.Path, o.Callee.Decl),
						o.Pos, r.Pos, apartFix)
				}
				same = true
				continue
			}
			if o.Template == nil || r.Template == nil {
				continue
			}
			if witness, bad := uritemplate.Overlap(o.Template, r.Template); bad {
				b.mountClash("MCP206", item, fmt.Sprintf("`%s` and `%s` of `%s` both match `%s`, and neither is more specific",
					o.URI, r.URI, m.Path, witness), o.Pos, r.Pos, apartFix)
			}
		}
	})
}

// apartFix is the fix for two addresses that are the same.
const apartFix = "change one of them, or do not mount both"

func (b *serverBuilder) mountClash(code string, item directive.Item, message string, first, second diag.Pos,
	better string) {
	b.Report(code, item.Arg.At(item.From), item.Arg.At(item.To), message, report.Fix(better), func(d *diag.Diagnostic) {
		d.Related = append(d.Related, diag.Related{Pos: first, Message: "declared here first"},
			diag.Related{Pos: second, Message: "declared again here"})
	})
}

// eachServer calls f for s and all that it mounts.
func eachServer(s *ir.Server, f func(*ir.Server)) {
	f(s)
	for _, m := range s.Mounts {
		eachServer(m.Server, f)
	}
}
