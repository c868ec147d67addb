package serverir

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
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
func (b *serverBuilder) taggedFields(s *types.Struct, prefix string) []*taggedField {
	var out []*taggedField
	for i := range s.NumFields() {
		v, tag := s.Field(i), reflect.StructTag(s.Tag(i))
		if !v.Exported() && v.Pkg().Path() != b.pkg.Path || v.Name() == "_" {
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
func (b *serverBuilder) atTag(code string, f *taggedField, message string, options ...func(*diag.Diagnostic)) {
	from, to := b.tagRange(f.v, "mcp")
	if !from.IsValid() {
		from, to = paramRange(f.v)
	}
	b.report(code, from, to, message, options...)
}

// bindKeys finds the field of each variable.
func (b *serverBuilder) bindKeys(r *resource, fields []*taggedField) {
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
				r.Vars[i].Name, s.Keys[i]), fix("remove one of the tags"))
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
		b.noKey(r, b.varNamed(r, name))
	}
}

// keyVar is the place of the variable that a key field stands for, or -1.
func keyVar(r *resource, f *taggedField) int {
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
		if i := slices.IndexFunc(r.Vars, func(v *ir.Var) bool { return sameName(v.Name, name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// strangeKey reports a key field that stands for no variable. It was probably meant for one of the free
// ones; the others are returned.
func (b *serverBuilder) strangeKey(r *resource, f *taggedField, free []string) []string {
	if len(r.Vars) == 0 {
		b.atTag("MCP405", f, fmt.Sprintf("`%s` is one resource, so `%s` needs no key", r.URI, r.decl.Name),
			fix("remove the tag, or write a URI with variables"))
		return free
	}
	wrong := f.v.Name()
	if len(f.rest) > 0 {
		wrong = strings.Join(f.rest, ",")
	}
	repair := fix("remove the tag")
	if len(free) > 0 {
		near := directive.Nearest(wrong, free)
		if near == "" {
			near = free[0]
		}
		repair = fix(fmt.Sprintf("mcp:\"key,%s\"", near))
		free = slices.DeleteFunc(free, func(name string) bool { return name == near })
	}
	b.atTag("MCP502", f, fmt.Sprintf("`%s` is not a variable of `%s`", wrong, r.URI),
		hint("variables: "+orNone(varNames(r))), repair)
	return free
}

// typeKey binds a variable to its field.
func (b *serverBuilder) typeKey(r *resource, v *ir.Var, f *taggedField) {
	b.typeVar(r, v, f.v)
	v.Param, v.GoName = unexported(upperFirst(f.v.Name())), upperFirst(f.v.Name())
	for _, o := range r.Vars {
		if o != v && o.GoName == v.GoName {
			v.Param, v.GoName = v.Name, upperFirst(v.Name)
		}
	}
	if v.Pointer || v.Kind == ir.VarSlice {
		b.atTag("MCP303", f, fmt.Sprintf("a key cannot be `%s`: two of them could be equal without being the same",
			b.typeText(f.v.Type())), fix("use one plain value"))
	}
}

// noKey reports a variable without a field. A field with its name is probably the one.
func (b *serverBuilder) noKey(r *resource, v *ir.Var) {
	from, to := nameOf(r.decl)
	vfrom, vto := b.varRange(r, v)
	better := []func(*diag.Diagnostic){fix(fmt.Sprintf("tag the field that holds it with `mcp:\"key,%s\"`", v.Name))}
	s := r.decl.Obj.Type().Underlying().(*types.Struct)
	for i := range s.NumFields() {
		f := s.Field(i)
		if _, tagged := reflect.StructTag(s.Tag(i)).Lookup("mcp"); !tagged && sameName(f.Name(), v.Name) {
			better = []func(*diag.Diagnostic){fix(fmt.Sprintf("tag the field `%s` with `mcp:\"key\"`", f.Name())),
				b.addTag(f, `mcp:"key"`)}
			break
		}
	}
	b.report("MCP404", from, to, fmt.Sprintf("keyed struct `%s` has no `mcp:\"key\"` field for variable `%s`", r.decl.Name,
		v.Name),
		append(better, b.related(vfrom, vto, "the variable"))...)
}

// addTag adds a key to the tag of a field.
func (b *serverBuilder) addTag(v *types.Var, text string) func(*diag.Diagnostic) {
	f := b.fieldNode(v)
	switch {
	case f == nil || len(f.Names) != 1:
		return func(*diag.Diagnostic) {}
	case f.Tag == nil:
		return b.edit(f.Type.End(), f.Type.End(), " `"+text+"`")
	case strings.HasPrefix(f.Tag.Value, "`"):
		return b.edit(f.Tag.End()-1, f.Tag.End()-1, " "+text)
	}
	return func(*diag.Diagnostic) {}
}

// roles are the words of mcp tags other than key, with what a field must be.
var roles = map[string]struct {
	want string
	fits func(t types.Type) bool
	of   func(s *ir.ResourceStruct) **ir.ResourceField
}{
	"text": {"a string or []byte", func(t types.Type) bool { return isString(t) || isBytes(t) },
		func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Body }},
	"blob":  {"[]byte", isBytes, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Body }},
	"name":  {"a string", isString, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Name }},
	"title": {"a string", isString, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Title }},
	"desc":  {"a string", isString, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Desc }},
	"mime":  {"a string", isString, func(s *ir.ResourceStruct) **ir.ResourceField { return &s.MIME }},
	"size": {"an integer", isBasicOf(types.IsInteger),
		func(s *ir.ResourceStruct) **ir.ResourceField { return &s.Size }},
	"modified": {"a time.Time", func(t types.Type) bool { return isNamed(t, "time", "Time") },
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
	return ok && isString(s.Elem())
}

// role notes what a field says about its value.
func (b *serverBuilder) role(r *resource, f *taggedField) {
	if f.role == "key" {
		return
	}
	rule, known := roles[f.role]
	if !known {
		from, to := b.tagRange(f.v, "mcp")
		options := []func(*diag.Diagnostic){hint("tags: " + strings.Join(roleNames, " ")), fix("use one of them")}
		if near := directive.Nearest(f.role, roleNames); near != "" {
			options[1] = fix(fmt.Sprintf("mcp:%q", near))
			if near == directive.Meant(f.role, roleNames) {
				options[1] = b.replace(from, to, fmt.Sprintf("mcp:%q", near))
			}
		}
		b.atTag("MCP405", f, fmt.Sprintf("unknown tag `%s`", f.role), options...)
		return
	}
	to := rule.of(r.Struct)
	switch {
	case len(f.rest) > 0:
		b.atTag("MCP405", f, fmt.Sprintf("nothing may follow `%s`", f.role), fix(fmt.Sprintf("mcp:%q", f.role)))
	case !rule.fits(f.v.Type()):
		b.atTag("MCP405", f, fmt.Sprintf("a field tagged `%s` is %s; found `%s`", f.role, rule.want, b.typeText(f.v.Type())),
			fix("change its type, or remove the tag"))
	case *to != nil:
		b.atTag("MCP405", f, fmt.Sprintf("`%s` has the same purpose as field `%s`", f.name, (*to).Name),
			fix("remove one of the tags"))
	default:
		*to = &ir.ResourceField{Name: f.name, Type: b.goType(f.v.Type())}
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
	case isString(fields[i].v.Type()):
		return ir.ResultText
	}
	return ir.ResultTextBytes
}
