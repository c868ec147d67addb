package structs

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/variable"
)

// taggedField is a field of a resource struct, or of one embedded in it, with an mcp tag.
type taggedField struct {
	v *types.Var
	// name leads to it through embedded structs: Base.ID.
	name string
	// role is the first word of the tag, and rest what follows.
	role string
	rest []string
	// member is its name in JSON.
	member string
}

// taggedFields finds the fields with an mcp tag.
func (b *Reader) taggedFields(s *types.Struct, prefix string) []*taggedField {
	var out []*taggedField
	for i := range s.NumFields() {
		v, tag := s.Field(i), reflect.StructTag(s.Tag(i))
		if !v.Exported() && v.Pkg().Path() != b.Pkg.Path || v.Name() == "_" {
			continue
		}
		text, ok := tag.Lookup("mcp")
		if inner, embedded := v.Type().Underlying().(*types.Struct); !ok && v.Embedded() && embedded {
			out = append(out, b.taggedFields(inner, prefix+v.Name()+".")...)
		}
		if !ok {
			continue
		}
		words := strings.Split(text, ",")
		member, _, _ := strings.Cut(tag.Get("json"), ",")
		out = append(out, &taggedField{v: v, name: prefix + v.Name(), role: words[0], rest: words[1:], member: member})
	}
	return out
}

// atTag reports a mistake in the tag of a field.
func (b *Reader) atTag(code string, f *taggedField, message string, options ...func(*diag.Diagnostic)) {
	from, to := b.TagRange(f.v, "mcp")
	if !from.IsValid() {
		from, to = source.ParamRange(f.v)
	}
	b.Report(code, from, to, message, options...)
}

// bindKeys finds the field of each variable.
func (b *Reader) bindKeys(r *binding.Resource, fields []*taggedField) {
	s := r.Struct
	s.Keys = make([]string, len(r.Vars))
	var strange []*taggedField
	for _, f := range fields {
		if f.role != "key" {
			continue
		}
		i := keyVar(r, f)
		switch {
		case i < 0:
			strange = append(strange, f)
		case s.Keys[i] != "":
			b.atTag("MCP405", f, fmt.Sprintf("`%s` is the second key for variable `%s`, which `%s` holds", f.name,
				r.Vars[i].Name, s.Keys[i]), report.Fix("remove one of the tags"))
		default:
			s.Keys[i] = f.name
			b.typeKey(r, r.Vars[i], f)
		}
	}
	var free []string
	for i, v := range r.Vars {
		if s.Keys[i] == "" {
			free = append(free, v.Name)
		}
	}
	for _, f := range strange {
		free = b.strangeKey(r, f, free)
	}
	for _, name := range free {
		b.noKey(r, b.VarNamed(r, name))
	}
}

// keyVar is the place of the variable that a key field stands for, or -1.
func keyVar(r *binding.Resource, f *taggedField) int {
	named := func(name string) int {
		return slices.IndexFunc(r.Vars, func(v *ir.Var) bool { return v.Name == name })
	}
	if len(f.rest) > 0 {
		if len(f.rest) > 1 {
			return -1
		}
		return named(f.rest[0])
	}
	for _, name := range []string{f.v.Name(), f.member} {
		if i := slices.IndexFunc(r.Vars, func(v *ir.Var) bool { return goname.SameName(v.Name, name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// strangeKey reports a key field that stands for no variable. It was probably meant for one of the free
// ones; the others are returned.
func (b *Reader) strangeKey(r *binding.Resource, f *taggedField, free []string) []string {
	if len(r.Vars) == 0 {
		b.atTag("MCP405", f, fmt.Sprintf("`%s` is one resource, so `%s` needs no key", r.URI, r.Decl.Name),
			report.Fix("remove the tag, or write a URI with variables"))
		return free
	}
	wrong := f.v.Name()
	if len(f.rest) > 0 {
		wrong = strings.Join(f.rest, ",")
	}
	repair := report.Fix("remove the tag")
	if len(free) > 0 {
		near := directive.Nearest(wrong, free)
		if near == "" {
			near = free[0]
		}
		repair = report.Fix(fmt.Sprintf("mcp:\"key,%s\"", near))
		free = slices.DeleteFunc(free, func(name string) bool { return name == near })
	}
	b.atTag("MCP502", f, fmt.Sprintf("`%s` is not a variable of `%s`", wrong, r.URI),
		report.Hint("variables: "+report.OrNone(variable.Names(r.Vars))), repair)
	return free
}

// typeKey binds a variable to its field.
func (b *Reader) typeKey(r *binding.Resource, v *ir.Var, f *taggedField) {
	b.TypeVar(r, v, f.v)
	v.Param, v.GoName = goname.Unexported(goname.UpperFirst(f.v.Name())), goname.UpperFirst(f.v.Name())
	for _, o := range r.Vars {
		if o != v && o.GoName == v.GoName {
			v.Param, v.GoName = v.Name, goname.UpperFirst(v.Name)
		}
	}
	if v.Pointer || v.Kind == ir.VarSlice {
		b.atTag("MCP303", f, fmt.Sprintf("a key cannot be `%s`: two of them could be equal without being the same",
			b.TypeText(f.v.Type())), report.Fix("use one plain value"))
	}
}

// noKey reports a variable without a field. A field with its name is probably the one.
func (b *Reader) noKey(r *binding.Resource, v *ir.Var) {
	from, to := source.NameOf(r.Decl)
	vfrom, vto := b.VarRange(r, v)
	better := []func(*diag.Diagnostic){
		report.Fix(fmt.Sprintf("tag the field that holds it with `mcp:\"key,%s\"`", v.Name)),
	}
	s := r.Decl.Obj.Type().Underlying().(*types.Struct)
	for i := range s.NumFields() {
		f := s.Field(i)
		if _, tagged := reflect.StructTag(s.Tag(i)).Lookup("mcp"); !tagged && goname.SameName(f.Name(), v.Name) {
			better = []func(*diag.Diagnostic){report.Fix(fmt.Sprintf("tag the field `%s` with `mcp:\"key\"`", f.Name())),
				b.AddTag(f, `mcp:"key"`)}
			break
		}
	}
	if fix, found := keyFurtherIn(s, v.Name); found {
		better = []func(*diag.Diagnostic){report.Hint("keys are fields of the struct and of structs that it embeds"),
			report.Fix(fix)}
	}
	b.Report("MCP404", from, to, fmt.Sprintf("keyed struct `%s` has no `mcp:\"key\"` field for variable `%s`", r.Decl.Name,
		v.Name),
		append(better, b.Related(vfrom, vto, "the variable"))...)
}

// keyFurtherIn looks for a key for a variable where keys are not found: in the struct of a field, and in one that is
// embedded as a pointer, whose key would be gone with it. It says what to do instead.
func keyFurtherIn(s *types.Struct, name string) (fix string, found bool) {
	for f := range s.Fields() {
		t := f.Type()
		pointer, isPointer := t.Underlying().(*types.Pointer)
		if isPointer {
			t = pointer.Elem()
		}
		inner, ok := t.Underlying().(*types.Struct)
		if !ok || f.Embedded() && !isPointer {
			continue
		}
		for i := range inner.NumFields() {
			role, rest, _ := strings.Cut(reflect.StructTag(inner.Tag(i)).Get("mcp"), ",")
			if role != "key" || rest != name && (rest != "" || !goname.SameName(inner.Field(i).Name(), name)) {
				continue
			}
			if f.Embedded() {
				return fmt.Sprintf("embed `%s` without the pointer", f.Name()), true
			}
			return fmt.Sprintf("embed the struct with `%s`, or give the key a field beside `%s`", inner.Field(i).Name(),
				f.Name()), true
		}
	}
	return "", false
}

// roles are the words of mcp tags other than key, with what a field must be.
var roles = map[string]struct {
	want string
	fits func(t types.Type) bool
	of   func(s *ir.ResourceStruct) **ir.ResourceField
}{
	"text": {"a string or []byte", func(t types.Type) bool { return gotype.IsString(t) || gotype.IsBytes(t) },
		func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Body }},
	"blob":  {"[]byte", gotype.IsBytes, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Body }},
	"name":  {"a string", gotype.IsString, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Name }},
	"title": {"a string", gotype.IsString, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Title }},
	"desc":  {"a string", gotype.IsString, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Desc }},
	"mime":  {"a string", gotype.IsString, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.MIME }},
	"size": {"an integer", isBasicOf(types.IsInteger),
		func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Size }},
	"modified": {"a time.Time", func(t types.Type) bool { return gotype.IsNamed(t, "time", "Time") },
		func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Modified }},
	"priority": {"a float", isBasicOf(types.IsFloat),
		func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Priority }},
	"audience": {"a slice of strings", isStrings, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Audience }},
}

// roleNames are the words of mcp tags in the order of the documentation.
var roleNames = []string{"key", "text", "blob", "name", "title", "desc", "mime", "size", "modified", "priority",
	"audience"}

func isBasicOf(info types.BasicInfo) func(types.Type) bool {
	return func(t types.Type) bool {
		u, ok := t.Underlying().(*types.Basic)
		return ok && u.Info()&info != 0
	}
}

func isStrings(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	return ok && gotype.IsString(s.Elem())
}

// role notes what a field says about its value.
func (b *Reader) role(r *binding.Resource, f *taggedField) {
	if f.role == "key" {
		return
	}
	rule, known := roles[f.role]
	if !known {
		from, to := b.TagRange(f.v, "mcp")
		options := []func(*diag.Diagnostic){report.Hint("tags: " + strings.Join(roleNames, " ")),
			report.Fix("use one of them")}
		if near := directive.Nearest(f.role, roleNames); near != "" {
			options[1] = report.Fix(fmt.Sprintf("mcp:%q", near))
			if near == directive.Meant(f.role, roleNames) {
				options[1] = b.Replace(from, to, fmt.Sprintf("mcp:%q", near))
			}
		}
		b.atTag("MCP405", f, fmt.Sprintf("unknown tag `%s`", f.role), options...)
		return
	}
	to := rule.of(r.Struct)
	switch {
	case len(f.rest) > 0:
		b.atTag("MCP405", f, fmt.Sprintf("nothing may follow `%s`", f.role), report.Fix(fmt.Sprintf("mcp:%q", f.role)))
	case !rule.fits(f.v.Type()):
		b.atTag("MCP405", f, fmt.Sprintf("a field tagged `%s` is %s; found `%s`", f.role, rule.want, b.TypeText(f.v.Type())),
			report.Fix("change its type, or remove the tag"))
	case *to != nil:
		b.atTag("MCP405", f, fmt.Sprintf("`%s` has the same purpose as field `%s`", f.name, (*to).Name),
			report.Fix("remove one of the tags"))
	default:
		*to = &ir.ResourceField{Name: f.name, Type: b.GoType(f.v.Type())}
	}
}

// bodyKind says how the field with the content becomes contents; without one the struct is sent as JSON.
func bodyKind(body *ir.ResourceField, fields []*taggedField) ir.ResultKind {
	if body == nil {
		return ir.ResultJSON
	}
	i := slices.IndexFunc(fields, func(f *taggedField) bool { return f.name == body.Name })
	switch {
	case fields[i].role == "blob":
		return ir.ResultBlob
	case gotype.IsString(fields[i].v.Type()):
		return ir.ResultText
	}
	return ir.ResultTextBytes
}
