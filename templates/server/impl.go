package server

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitImpl declares what the constructor takes and what it returns.
//
//	// NotesImpl holds the values whose annotated methods NotesServer calls.
//	type NotesImpl struct {
//		// Notes receives the calls of its annotated methods.
//		Notes *Notes
//	}
//
//	// NotesServer is the MCP server notes. Its methods are safe for concurrent use.
//	type NotesServer struct {
//		*mcp.Server
//	}
func emitImpl(f *serverFile, s *ir.Server) {
	doc := s.Names.Impl + " holds the values whose annotated methods " + s.Names.Type + " calls."
	if len(s.Mounts) > 0 {
		doc = s.Names.Impl + " holds what " + s.Names.Type + " is made of."
	}
	if len(s.Receivers) == 0 {
		doc = s.Names.Impl + " is empty, because no method of a value is annotated for " + s.Names.Type + "."
	}
	var fields []jen.Code
	for _, r := range s.Receivers {
		what := r.Doc
		if what == "" {
			what = "receives the calls of its annotated methods."
		}
		fields = append(fields,
			jenutil.Note(r.Field+" "+what),
			jenutil.Ident(r.Field).Add(jenutil.GoType(r.Type)))
	}
	f.note(doc)
	f.Type().Add(jenutil.Ident(s.Names.Impl)).Struct(fields...)
	f.note(s.Names.Type + " is the MCP server " + s.Name + ". Its methods are safe for concurrent use.")
	f.Type().Add(jenutil.Ident(s.Names.Type)).Struct(
		append([]jen.Code{jenutil.PtrTo(jenutil.MCP("Server"))}, eventFields(s)...)...)
}

// wordList writes "A", "A and B" or "A, B and C".
func wordList(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// emitConstructor writes the function that programs call.
//
//	func NewNotesServer(impl NotesImpl, opts *mcp.Options) (*NotesServer, error) {
//		if impl.Notes == nil {
//			return nil, mcprt.MissingImpl("NotesImpl.Notes")
//		}
//		srv, err := mcprt.NewServer(notesFeatures(&impl), opts)
//		if err != nil {
//			return nil, err
//		}
//		return &NotesServer{Server: srv}, nil
//	}
func emitConstructor(f *serverFile, s *ir.Server) {
	doc, impl, args := " returns the server. Nil opts means the defaults.", "_", []jen.Code(nil)
	if len(s.Receivers) > 0 {
		doc = " returns a server that answers from impl. Nil opts means the defaults."
		impl, args = "impl", []jen.Code{jenutil.AddrOf(jen.Id("impl"))}
	}
	var body []jen.Code
	needs := s.Needs()
	for _, path := range needs {
		body = append(body, needImpl(s, path, jen.Nil()))
	}
	fails := "It fails if an option is out of range."
	if len(body) > 0 {
		fails = "It fails if a field of impl is nil or an option is out of range."
	}
	if len(s.Receivers) == len(s.Mounts) {
		args = nil // nothing of it is for the features
	}
	if len(s.Mounts) > 0 {
		fails = "It fails if a field of impl is nil, an option is out of range or two servers in impl want the same " +
			"address or name."
	}
	if len(s.Names.Needs) > 0 {
		first := jenutil.Ident(s.Names.Needs[0]).Call(jenutil.AddrOf(jen.Id("impl")))
		defer emitNeeds(f, s, needs)
		failed := jen.Block(jen.Return(jen.Nil(), jen.Err()))
		body = []jen.Code{jen.If(jen.Err().Op(":=").Add(first), jen.Err().Op("!=").Nil()).Add(failed)}
	}
	body = append(body, construct(s, jenutil.Ident(s.Names.Features).Call(args...))...)

	f.note(s.Names.New+doc, fails)
	f.Func().Add(jenutil.Ident(s.Names.New)).
		Params(jenutil.Ident(impl).Add(jenutil.Ident(s.Names.Impl)),
			jen.Id("opts").Add(jenutil.PtrTo(jenutil.MCP("Options")))).
		Params(jenutil.PtrTo(jenutil.Ident(s.Names.Type)), jen.Error()).
		Block(body...)
}

// construct makes the server and returns it.
//
//	srv, err := mcprt.NewServer(notesFeatures(&impl), opts)
//	if err != nil {
//		return nil, err
//	}
//	return &NotesServer{Server: srv}, nil
func construct(s *ir.Server, features jen.Code) []jen.Code {
	if hasEvents(s) {
		return withEvents(s, features)
	}
	return []jen.Code{
		jen.List(jen.Id("srv"), jen.Err()).Op(":=").Add(newServer(s, features)),
		jenutil.IfErr(jen.Nil(), jen.Err()),
		jen.Return(jenutil.Ref(jenutil.Ident(s.Names.Type), jen.Values(jen.Id("Server").Op(":").Id("srv"))), jen.Nil()),
	}
}

// emitNeeds writes the checks of a large Impl struct in functions of limited size. Each ends in a call of the next.
//
//	func mixNeeds1(impl *MixImpl) error {
//		if impl.Notes == nil {
//			return mcprt.MissingImpl("MixImpl.Notes")
//		}
//		…
//		return mixNeeds2(impl)
//	}
func emitNeeds(f *serverFile, s *ir.Server, needs []string) {
	parts := slices.Collect(slices.Chunk(needs, ir.MaxSwitch))
	for i, name := range s.Names.Needs {
		var body []jen.Code
		for _, path := range parts[i] {
			body = append(body, needImpl(s, path))
		}
		next := jen.Nil()
		if i+1 < len(s.Names.Needs) {
			next = jenutil.Ident(s.Names.Needs[i+1]).Call(jen.Id("impl"))
		}
		f.Line()
		f.Func().Add(jenutil.Ident(name)).Params(jen.Id("impl").Add(jenutil.PtrTo(jenutil.Ident(s.Names.Impl)))).Error().
			Block(append(body, jen.Return(next))...)
	}
}

// newServer calls the runtime.
//
//	mcprt.NewServer(notesFeatures(&impl), opts)
//	mcprt.Join(officeFeatures(), opts, impl.Notes, impl.Tickets)
func newServer(s *ir.Server, features jen.Code) jen.Code {
	if len(s.Mounts) == 0 {
		return jenutil.RT("NewServer").Call(features, jen.Id("opts"))
	}
	args := []jen.Code{features, jen.Id("opts")}
	for _, m := range s.Mounts {
		member := jen.Id("impl").Dot(jenutil.Name(m.Field))
		if m.Prefix != "" {
			member = jenutil.RT("Prefixed").Call(jen.Lit(m.Prefix), member)
		}
		args = append(args, member)
	}
	return jenutil.RT("Join").Call(args...)
}

// needImpl checks one field of impl, or a pointer that its value embeds. An error is returned behind other results.
func needImpl(s *ir.Server, path string, others ...jen.Code) jen.Code {
	missing := jenutil.RT("MissingImpl").Call(jen.Lit(s.Names.Impl + "." + path))
	return jen.If(selected(jen.Id("impl"), path).Op("==").Nil()).Block(jen.Return(append(others, missing)...))
}
