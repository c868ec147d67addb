package server

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitUpdated writes the method that tells subscribers of a resource that it may have changed.
//
//	func (s *NotesServer) NoteUpdated(name string) {
//		s.ResourceUpdated(NoteURI(name))
//	}
func emitUpdated(f *serverFile, s *ir.Server, r *ir.Resource) {
	if r.Names.Updated == "" {
		return
	}
	what, uri := r.URI, jen.Code(jen.Lit(r.URI))
	var params []jen.Code
	if r.Template != nil {
		names := f.localNames(r)
		params = paramList(f.varParams(r))
		what = r.Names.URI + "(" + strings.Join(names, ", ") + ")"
		uri = jenutil.Ident(r.Names.URI).Call(idents(names)...)
	}
	if len(r.Aliases) > 0 {
		what += ", and of its other addresses,"
	}
	f.note(r.Names.Updated + " tells the subscribers of " + what + " that it may have changed. It never blocks.")
	body := []jen.Code{jen.Id("s").Dot("ResourceUpdated").Call(uri)}
	for _, a := range r.Aliases {
		if a.AliasOf != nil {
			continue // has the same topics
		}
		body = append(body, jen.Id("s").Dot("ResourceUpdated").Call(aliasURI(a, r, idents(f.localNames(r)))))
	}
	f.method(s, r.Names.Updated).Params(params...).Block(body...)
}

// aliasURI is the URI of an alias of r; values are those of the variables of r.
//
//	NoteAliasURI(name)
func aliasURI(a, r *ir.Resource, values []jen.Code) jen.Code {
	if a.Template == nil {
		return jen.Lit(a.URI)
	}
	var args []jen.Code
	for _, v := range a.Vars {
		i := slices.IndexFunc(r.Vars, func(o *ir.Var) bool { return o.Param == v.Param })
		args = append(args, values[i])
	}
	return jenutil.Ident(a.Names.URI).Call(args...)
}

// emitListChanged writes the method that tells clients to list again.
//
//	func (s *NotesServer) NoteListChanged() {
//		s.ResourceListChanged()
//	}
func emitListChanged(f *serverFile, s *ir.Server, r *ir.Resource) {
	if r.List == nil || r.Names.ListChanged == "" {
		return
	}
	what := r.List.Callee.Name + " may give another answer now"
	if r.List.Walk {
		what = "there may be other files of " + r.URI + " now"
	}
	f.note(r.Names.ListChanged + " tells clients that " + what + ". It never blocks.")
	f.method(s, r.Names.ListChanged).Params().Block(
		jen.Id("s").Dot("ResourceListChanged").Call())
}

// method starts a method of the server.
//
//	func (s *NotesServer) NoteUpdated
func (f *serverFile) method(s *ir.Server, name string) *jen.Statement {
	return f.Func().Params(jen.Id("s").Add(jenutil.PtrTo(jenutil.Ident(s.Names.Type)))).Add(jenutil.Ident(name))
}
