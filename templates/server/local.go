package server

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// ownNames are the identifiers that bodies with variables of a template use themselves.
const ownNames = " b c context e err given impl iter mcp mcprt out p prefix r s strconv strings time uri v wire x" +
	" yield "

// localNames returns the parameter names of the variables of r: those of the representation, but
// with "Var" behind one that would hide something that the bodies need.
func (f *serverFile) localNames(r *ir.Resource) []string {
	taken := f.needed(r)
	var names []string
	for _, v := range r.Vars {
		name := v.Param
		for taken[name] || strings.Contains(ownNames, " "+name+" ") || token.IsKeyword(name) ||
			types.Universe.Lookup(name) != nil {
			name += "Var"
		}
		taken[name] = true
		names = append(names, name)
	}
	return names
}

// needed are the names that the bodies mention and that a variable must not hide.
func (f *serverFile) needed(r *ir.Resource) map[string]bool {
	taken := map[string]bool{}
	hide := func(t *ir.GoType) {
		taken[f.imports[t.Path]] = true
		taken[t.Name] = true
	}
	for _, v := range r.Vars {
		walkType(v.Type, hide)
	}
	for _, name := range reflect.ValueOf(r.Names).Fields() {
		taken[name.String()] = true
	}
	if r.Root != nil {
		taken["file"], taken[f.imports["io/fs"]] = true, true
	}
	if r.Struct != nil {
		taken["ctx"], taken["w"], taken["ok"] = true, true, true
	}
	for _, c := range calleesOf(r) {
		if c.Kind != ir.CalleeMethod {
			taken[c.Name] = true
		}
		for _, param := range c.Params {
			walkType(param.Type, hide)
		}
	}
	return taken
}

// readInto is what a body calls what it has read, and the values of the variables there. They are the fields of a
// struct called as local, or as local with "Var" behind it; the arguments of a prompt have a variable each.
//
//	v    v.Name, v.Limit
func (f *serverFile) readInto(r *ir.Resource, local string) (into, values []jen.Code) {
	if r.Names.Vars == "" {
		values = idents(f.localNames(r))
		return values, values
	}
	for taken := f.needed(r); taken[local]; {
		local += "Var"
	}
	for _, v := range r.Vars {
		values = append(values, jenutil.Ident(local).Dot(jenutil.Name(v.GoName)))
	}
	return []jen.Code{jenutil.Ident(local)}, values
}

// readVarsCode reads the variables from v.
//
//	x, err := readNoteVars(v)
func readVarsCode(r *ir.Resource, into []jen.Code, v jen.Code) jen.Code {
	return jen.List(append(slices.Clip(into), jen.Err())...).Op(":=").Add(jenutil.Ident(r.Names.ReadVars)).Call(v)
}

// calleesOf are the functions that belong to a resource.
func calleesOf(r *ir.Resource) []*ir.Callee {
	out := []*ir.Callee{&r.Callee}
	if r.Watch != nil {
		out = append(out, r.Watch)
	}
	for i := range r.Completers {
		if c := r.Completers[i].Callee; c != nil {
			out = append(out, c)
		}
	}
	return out
}

// typed is a name with its type.
type typed struct {
	name string
	typ  *ir.GoType
}

// varParams are the variables of r as parameters.
func (f *serverFile) varParams(r *ir.Resource) []typed {
	var out []typed
	for i, name := range f.localNames(r) {
		out = append(out, typed{name, paramType(r.Vars[i])})
	}
	return out
}

// paramType is the type of a variable as a parameter.
func paramType(v *ir.Var) *ir.GoType {
	if v.Pointer {
		return &ir.GoType{Kind: ir.GoPointer, Elem: v.Type}
	}
	return v.Type
}

// paramList writes parameters, those of the same type together.
//
//	year, week int, name string
func paramList(params []typed) []jen.Code {
	var out []jen.Code
	for i, p := range params {
		code := jenutil.Ident(p.name)
		if i+1 == len(params) || !sameType(p.typ, params[i+1].typ) {
			code.Add(jenutil.GoType(p.typ))
		}
		out = append(out, code)
	}
	return out
}

func sameType(a, b *ir.GoType) bool { return reflect.DeepEqual(a, b) }

// idents are names as expressions.
func idents(names []string) []jen.Code {
	var out []jen.Code
	for _, name := range names {
		out = append(out, jenutil.Ident(name))
	}
	return out
}
