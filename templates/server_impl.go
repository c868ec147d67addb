package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
)

// emitImpl declares what the constructor takes and what it returns.
//
//	// NotesImpl holds the values whose annotated methods NotesServer calls.
//	type NotesImpl struct {
//		// Notes answers for Index and Note.
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
			what = "answers for " + wordList(r.Serves) + "."
		}
		fields = append(fields,
			snip.Note(r.Field+" "+what),
			snip.Ident(r.Field).Add(snip.GoType(r.Type)))
	}
	f.note(doc)
	f.Type().Add(snip.Ident(s.Names.Impl)).Struct(fields...)
	f.note(s.Names.Type + " is the MCP server " + s.Name + ". Its methods are safe for concurrent use.")
	f.Type().Add(snip.Ident(s.Names.Type)).Struct(snip.PtrTo(snip.MCP("Server")))
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
//		srv, err := mcprt.NewServer(notesFeatures(impl), opts)
//		if err != nil {
//			return nil, err
//		}
//		return &NotesServer{Server: srv}, nil
//	}
func emitConstructor(f *serverFile, s *ir.Server) {
	doc, impl, args := " returns the server. Nil opts means the defaults.", "_", []jen.Code(nil)
	if len(s.Receivers) > 0 {
		doc = " returns a server that answers from impl. Nil opts means the defaults."
		impl, args = "impl", []jen.Code{jen.Id("impl")}
	}
	var body []jen.Code
	for _, r := range s.Receivers {
		if r.Pointer {
			body = append(body, needImpl(s, r.Field))
		}
		for _, path := range r.Through {
			body = append(body, needImpl(s, r.Field+"."+path))
		}
	}
	fails := "It fails if an option is out of range."
	if len(body) > 0 {
		fails = "It fails if a field of impl is nil or an option is out of range."
	}
	if len(s.Receivers) == len(s.Mounts) {
		args = nil // nothing of it is for the features
	}
	if len(s.Mounts) > 0 {
		fails = "It fails if a field of impl is nil, an option is out of range or two servers in impl want the same address or name."
	}
	body = append(body,
		jen.List(jen.Id("srv"), jen.Err()).Op(":=").Add(newServer(s, snip.Ident(s.Names.Features).Call(args...))),
		snip.IfErr(jen.Nil(), jen.Err()),
		jen.Return(snip.Ref(snip.Ident(s.Names.Type), jen.Values(jen.Id("Server").Op(":").Id("srv"))), jen.Nil()))

	f.note(s.Names.New+doc, fails)
	f.Func().Add(snip.Ident(s.Names.New)).
		Params(snip.Ident(impl).Add(snip.Ident(s.Names.Impl)), jen.Id("opts").Add(snip.PtrTo(snip.MCP("Options")))).
		Params(snip.PtrTo(snip.Ident(s.Names.Type)), jen.Error()).
		Block(body...)
}

// newServer calls the runtime.
//
//	mcprt.NewServer(notesFeatures(impl), opts)
//	mcprt.Join(officeFeatures(), opts, impl.Notes, impl.Tickets)
func newServer(s *ir.Server, features jen.Code) jen.Code {
	if len(s.Mounts) == 0 {
		return snip.RT("NewServer").Call(features, jen.Id("opts"))
	}
	args := []jen.Code{features, jen.Id("opts")}
	for _, m := range s.Mounts {
		member := jen.Id("impl").Dot(snip.Name(m.Field))
		if m.Prefix != "" {
			member = snip.RT("Prefixed").Call(jen.Lit(m.Prefix), member)
		}
		args = append(args, member)
	}
	return snip.RT("Join").Call(args...)
}

// needImpl checks one field of impl, or a pointer that its value embeds.
func needImpl(s *ir.Server, path string) jen.Code {
	return jen.If(within(jen.Id("impl"), path).Op("==").Nil()).Block(
		jen.Return(jen.Nil(), snip.RT("MissingImpl").Call(jen.Lit(s.Names.Impl+"."+path))))
}
