package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/snip"
)

// handlerUse says whether a server has handler methods, and whether they need the impl struct.
type handlerUse struct{ any, impl bool }

// handlersOf looks through everything that becomes a handler method.
func handlersOf(s *ir.Server) handlerUse {
	var use handlerUse
	see := func(c *ir.Callee) {
		use.any = true
		use.impl = use.impl || c.Kind == ir.CalleeMethod
	}
	for _, r := range s.Resources {
		for _, c := range calleesOf(r) {
			if c.Kind == ir.CalleeType {
				source := r.Struct.Kind == ir.StructSource
				use = handlerUse{any: use.any || source, impl: use.impl || source}
			} else if c != &r.Callee || !r.Fixed {
				see(c)
			}
		}
		for _, p := range policiesOf(r.Rules) {
			see(&p.Callee)
		}
		if r.Root != nil {
			use.impl = use.impl || r.Root.Recv != ""
		}
	}
	for _, t := range s.Tools {
		if t.Reads == nil {
			see(&t.Callee)
		}
	}
	for _, p := range s.Prompts {
		for _, c := range calleesOf(varsOfPrompt(p)) {
			see(c)
		}
		for _, policy := range policiesOf(p.Rules) {
			see(&policy.Callee)
		}
	}
	return use
}

// emitHandlers writes the methods that call the annotated declarations.
//
//	// notesHandlers calls the annotated declarations.
//	type notesHandlers struct {
//		impl NotesImpl
//	}
func emitHandlers(f *serverFile, s *ir.Server) {
	uses := handlersOf(s)
	if !uses.any {
		return
	}
	var fields []jen.Code
	if uses.impl {
		fields = append(fields, jen.Id("impl").Add(snip.Ident(s.Names.Impl)))
	}
	f.note(s.Names.Handlers + " calls the annotated declarations.")
	f.Type().Add(snip.Ident(s.Names.Handlers)).Struct(fields...)
	for _, r := range s.Resources {
		switch {
		case r.Struct != nil && r.Struct.Kind == ir.StructSource:
			emitSourceHandlers(f, s, r)
		case r.Root != nil:
			emitFiles(f, s, r)
			emitReadFile(f, s, r)
		case r.Struct == nil && !r.Fixed:
			emitRead(f, s, r)
		}
		emitPolicies(f, s, r)
		if r.Watch != nil {
			emitWatch(f, s, r)
		}
		for _, c := range r.Completers {
			if c.Callee != nil {
				emitComplete(f, s, r, c)
			}
		}
	}
	for _, t := range s.Tools {
		if t.Reads == nil {
			emitCall(f, s, t)
		}
	}
	for _, p := range s.Prompts {
		emitGet(f, s, p)
		emitPolicies(f, s, varsOfPrompt(p))
		for _, c := range p.Completers {
			if c.Callee != nil {
				emitComplete(f, s, varsOfPrompt(p), c)
			}
		}
	}
}

// handler starts a handler method for c.
//
//	func (h *notesHandlers) readNote
func (f *serverFile) handler(s *ir.Server, c *ir.Callee, name string) *jen.Statement {
	recv := snip.PtrTo(snip.Ident(s.Names.Handlers))
	if c.Kind == ir.CalleeMethod {
		recv = jen.Id("h").Add(recv)
	}
	f.Line()
	return f.Func().Params(recv).Add(snip.Ident(name))
}

// asResult are the runtime functions that turn results into contents.
var asResult = map[ir.ResultKind]string{
	ir.ResultText: "AsText", ir.ResultBlob: "AsBlob", ir.ResultTextBytes: "AsTextBytes", ir.ResultStream: "AsStream",
	ir.ResultTextStream: "AsTextStream",
	ir.ResultJSON:       "AsJSON", ir.ResultMarshaler: "AsMarshaler", ir.ResultContent: "AsContent",
	ir.ResultContents: "AsContents", ir.ResultContentSeq: "AsContentSeq",
	ir.ResultRaw: "ContentsOf",
}

// contentsCode turns the results of a reader, a call or a value and an error, into contents.
//
//	return mcprt.AsText(h.impl.Notes.Note(c, name))
func contentsCode(r *ir.Resource, results ...jen.Code) []jen.Code {
	if r.Encode != nil {
		return []jen.Code{
			jen.List(jen.Id("out"), jen.Err()).Op(":=").List(results...),
			jen.Return(encoded("EncodeContents", r.Encode, r.OutPointer)),
		}
	}
	if as := asResult[r.Result]; as != "" {
		return []jen.Code{jen.Return(snip.RT(as).Call(results...))}
	}
	return []jen.Code{jen.Return(results...)}
}

// encoded turns out and err into what a runtime function makes of their JSON. A value is passed by its address: for all
// pointers the compiler makes one instance of a function.
//
//	mcprt.EncodeContents(encodeOrigin, &out, err)
func encoded(with string, e *ir.Encoder, pointer bool) *jen.Statement {
	out := jen.Id("out")
	if !pointer {
		out = snip.AddrOf(out)
	}
	return snip.RT(with).Call(snip.Ident(e.Name), out, jen.Err())
}

// emitRead writes the method that reads a resource.
//
//	func (h *notesHandlers) readNote(c *mcprt.Call) (mcprt.Contents, error) {
//		name, err := noteVars(c.Vars)
//		if err != nil {
//			return mcprt.Contents{}, err
//		}
//		return mcprt.AsText(h.impl.Notes.Note(c, name))
//	}
func emitRead(f *serverFile, s *ir.Server, r *ir.Resource) {
	args := []jen.Code{callOf(&r.Callee, f.callArgs(r, &r.Callee)...)}
	call := jen.Id("c").Add(snip.PtrTo(snip.RT("Call")))
	if r.Callee.Kind == ir.CalleeVar || r.Callee.Kind == ir.CalleeConst {
		args = []jen.Code{snip.Ident(r.Callee.Name), jen.Nil()}
		call = snip.PtrTo(snip.RT("Call"))
	}
	f.handler(s, &r.Callee, r.Names.Read).
		Params(call).
		Params(snip.RT("Contents"), jen.Error()).
		Block(append(f.readVars(r, &r.Callee, snip.RT("Contents").Values()), contentsCode(r, args...)...)...)
}

// emitWatch writes the method that watches a resource.
//
//	func (h *notesHandlers) watchNote(c *mcprt.Call) (iter.Seq2[time.Time, error], error) {
//		…
//		return h.impl.Notes.WatchNote(c, name), nil
//	}
func emitWatch(f *serverFile, s *ir.Server, r *ir.Resource) {
	seq := jen.Qual("iter", "Seq2").Types(jen.Qual("time", "Time"), jen.Error())
	f.handler(s, r.Watch, r.Names.Watch).
		Params(jen.Id("c").Add(snip.PtrTo(snip.RT("Call")))).
		Params(seq, jen.Error()).
		Block(append(f.readVars(r, r.Watch, jen.Nil()), jen.Return(callOf(r.Watch, f.callArgs(r, r.Watch)...), jen.Nil()))...)
}

// callOf calls an annotated function with the context and args.
func callOf(c *ir.Callee, args ...jen.Code) *jen.Statement {
	return calleeCode(jen.Id("h").Dot("impl"), c).Call(append([]jen.Code{jen.Id("c")}, args...)...)
}

// readVars reads the variables that a function takes. zero is returned with an error.
//
//	name, err := noteVars(c.Vars)
//	if err != nil {
//		return zero, err
//	}
func (f *serverFile) readVars(r *ir.Resource, c *ir.Callee, zero jen.Code) []jen.Code {
	return f.readVarsOr(r, c, snip.IfErr(zero, jen.Err()))
}

// readVarsOr is readVars with another end if a variable cannot be read.
func (f *serverFile) readVarsOr(r *ir.Resource, c *ir.Callee, failed jen.Code) []jen.Code {
	used := usedVars(c)
	if len(used) == 0 {
		return nil
	}
	var list []jen.Code
	for i, name := range f.localNames(r) {
		if !slices.Contains(used, i) {
			name = "_"
		}
		list = append(list, snip.Ident(name))
	}
	list = append(list, jen.Err())
	return []jen.Code{
		jen.List(list...).Op(":=").Add(snip.Ident(r.Names.Vars)).Call(jen.Id("c").Dot("Vars")),
		failed,
	}
}

// usedVars are the places of the variables that a function takes.
func usedVars(c *ir.Callee) []int {
	var used []int
	for _, p := range c.Params {
		switch p.Kind {
		case ir.ParamVar:
			used = append(used, p.Var)
		case ir.ParamVarsOf:
			for _, field := range p.Fields {
				used = append(used, field.Var)
			}
		}
	}
	return used
}

// callArgs are the arguments after the context of a reader or a watcher.
func (f *serverFile) callArgs(r *ir.Resource, c *ir.Callee) []jen.Code {
	names := f.localNames(r)
	var args []jen.Code
	for _, p := range c.Params {
		switch p.Kind {
		case ir.ParamVar:
			args = append(args, snip.Ident(names[p.Var]))
		case ir.ParamVarsOf:
			args = append(args, varsStruct(p, names))
		case ir.ParamFile:
			args = append(args, jen.Id("file"))
		default:
			args = append(args, specialArg(p))
		}
	}
	return args
}

// varsStruct is a struct of variables: ReportVars{Year: year, Week: week}.
func varsStruct(p ir.Param, names []string) jen.Code {
	var m snip.Members
	for _, field := range p.Fields {
		m.Add(field.Name, snip.Ident(names[field.Var]))
	}
	if p.Type.Kind == ir.GoPointer {
		return snip.Ref(snip.GoType(p.Type.Elem), m.Inline())
	}
	return snip.GoType(p.Type).Add(m.Inline())
}

// specialArg is an argument that comes from the request, as package mcp shows it: the call, or what a method of it
// returns.
func specialArg(p ir.Param) jen.Code {
	switch p.Kind {
	case ir.ParamCall:
		return jen.Parens(snip.PtrTo(snip.MCP("Call"))).Call(jen.Id("c"))
	case ir.ParamCaller:
		return snip.MCP("Caller").Call(jen.Id("c").Dot("Caller").Call())
	case ir.ParamProgress:
		return snip.MCP("Progress").Call(jen.Id("c").Dot("Progress").Call())
	case ir.ParamLogger:
		return jen.Id("c").Dot("Logger").Call()
	case ir.ParamClient:
		return snip.MCP("Client").Call(jen.Id("c").Dot("Client").Call())
	}
	return jen.Id("c")
}
