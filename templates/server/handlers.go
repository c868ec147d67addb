package server

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitHandlers writes the functions that call the annotated declarations.
func emitHandlers(f *serverFile, s *ir.Server) {
	for _, r := range s.Resources {
		f := f.of(r.Callee.File)
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
		f := f.of(t.Callee.File)
		emitSchemas(f, t)
		if t.Reads == nil {
			emitCall(f, s, t)
		}
	}
	for _, p := range s.Prompts {
		f := f.of(p.Callee.File)
		emitGet(f, s, p)
		emitPolicies(f, s, varsOfPrompt(p))
		for _, c := range p.Completers {
			if c.Callee != nil {
				emitComplete(f, s, varsOfPrompt(p), c)
			}
		}
	}
	for _, x := range s.Extensions {
		for _, m := range x.Methods {
			emitMethod(f.of(m.Callee.File), s, m)
		}
	}
}

// handler starts the function that calls something annotated. One that calls methods gets the values that have them.
//
//	func readNote(impl *NotesImpl, c *mcprt.Call)
func (f *serverFile) handler(s *ir.Server, bound bool, name string, params ...jen.Code) *jen.Statement {
	if bound {
		params = append([]jen.Code{implParam(s)}, params...)
	}
	f.Line()
	return f.Func().Add(jenutil.Ident(name)).Params(params...)
}

// implParam is impl *NotesImpl.
func implParam(s *ir.Server) jen.Code {
	return jen.Id("impl").Add(jenutil.PtrTo(jenutil.Ident(s.Names.Impl)))
}

// callParam is the call that a handler gets.
func callParam() jen.Code { return jen.Id("c").Add(jenutil.PtrTo(jenutil.RT("Call"))) }

// handlerCode is a handler as a value of the tables. With is the function of the runtime that binds it to its values.
//
//	mcprt.With(impl, readNote)
func handlerCode(with string, bound bool, name string) jen.Code {
	if !bound {
		return jenutil.Ident(name)
	}
	return jenutil.RT(with).Call(jen.Id("impl"), jenutil.Ident(name))
}

// calls reports whether the handler for c calls a method, and so needs a value that has it.
func calls(c *ir.Callee) bool { return c.Kind == ir.CalleeMethod }

// readsBound is calls for what reads a resource.
func readsBound(r *ir.Resource) bool {
	return calls(&r.Callee) || r.Struct != nil || r.Root != nil && r.Root.Recv != ""
}

// readCode is what reads a resource, as a value of the tables.
func readCode(r *ir.Resource) jen.Code { return handlerCode("With", readsBound(r), r.Names.Read) }

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
//	return mcprt.AsText(impl.Notes.Note(c, name))
func contentsCode(r *ir.Resource, results ...jen.Code) []jen.Code {
	if r.Encode != nil {
		return []jen.Code{
			jen.List(jen.Id("out"), jen.Err()).Op(":=").List(results...),
			jen.Return(encoded("EncodeContents", r.Encode, r.OutPointer)),
		}
	}
	if as := asResult[r.Result]; as != "" {
		return []jen.Code{jen.Return(jenutil.RT(as).Call(results...))}
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
		out = jenutil.AddrOf(out)
	}
	return jenutil.RT(with).Call(jenutil.Ident(e.Name), out, jen.Err())
}

// emitRead writes the function that reads a resource.
//
//	func readNote(impl *NotesImpl, c *mcprt.Call) (mcprt.Contents, error) {
//		v, err := readNoteVars(c.Vars)
//		if err != nil {
//			return mcprt.Contents{}, err
//		}
//		return mcprt.AsText(impl.Notes.Note(c, v.Name))
//	}
func emitRead(f *serverFile, s *ir.Server, r *ir.Resource) {
	args := []jen.Code{callOf(&r.Callee, f.callArgs(r, &r.Callee)...)}
	call := callParam()
	if r.Callee.Kind == ir.CalleeVar || r.Callee.Kind == ir.CalleeConst {
		args = []jen.Code{jenutil.Ident(r.Callee.Name), jen.Nil()}
		call = jenutil.PtrTo(jenutil.RT("Call"))
	}
	f.handler(s, readsBound(r), r.Names.Read, call).
		Params(jenutil.RT("Contents"), jen.Error()).
		Block(append(f.readVars(r, &r.Callee, jenutil.RT("Contents").Values()), contentsCode(r, args...)...)...)
}

// emitWatch writes the function that watches a resource.
//
//	func watchNote(impl *NotesImpl, c *mcprt.Call) (iter.Seq2[time.Time, error], error) {
//		…
//		return impl.Notes.WatchNote(c, v.Name), nil
//	}
func emitWatch(f *serverFile, s *ir.Server, r *ir.Resource) {
	seq := jen.Qual("iter", "Seq2").Types(jen.Qual("time", "Time"), jen.Error())
	f.handler(s, calls(r.Watch), r.Names.Watch, callParam()).
		Params(seq, jen.Error()).
		Block(append(f.readVars(r, r.Watch, jen.Nil()), jen.Return(callOf(r.Watch, f.callArgs(r, r.Watch)...), jen.Nil()))...)
}

// callOf calls an annotated function with the context and args.
func callOf(c *ir.Callee, args ...jen.Code) *jen.Statement {
	return calleeCode(jen.Id("impl"), c).Call(append([]jen.Code{jen.Id("c")}, args...)...)
}

// readVars reads the variables that a function takes. zero is returned with an error.
//
//	v, err := readNoteVars(c.Vars)
//	if err != nil {
//		return zero, err
//	}
func (f *serverFile) readVars(r *ir.Resource, c *ir.Callee, zero jen.Code) []jen.Code {
	return f.readVarsOr(r, c, jenutil.IfErr(zero, jen.Err()))
}

// readVarsOr is readVars with another end if a variable cannot be read.
func (f *serverFile) readVarsOr(r *ir.Resource, c *ir.Callee, failed jen.Code) []jen.Code {
	used := usedVars(c)
	if len(used) == 0 {
		return nil
	}
	into, _ := f.readInto(r, "v")
	if r.Names.Vars == "" { // a prompt
		for i := range into {
			if !slices.Contains(used, i) {
				into[i] = jen.Id("_")
			}
		}
	}
	return []jen.Code{readVarsCode(r, into, jen.Id("c").Dot("Vars")), failed}
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
	_, values := f.readInto(r, "v")
	var args []jen.Code
	for _, p := range c.Params {
		switch p.Kind {
		case ir.ParamVar:
			args = append(args, values[p.Var])
		case ir.ParamVarsOf:
			args = append(args, varsStruct(p, values))
		case ir.ParamFile:
			args = append(args, jen.Id("file"))
		default:
			args = append(args, specialArg(p))
		}
	}
	return args
}

// varsStruct is a struct of variables that the user has declared: WeekOf{Year: v.Year, Week: v.Week}.
func varsStruct(p ir.Param, values []jen.Code) jen.Code {
	var m jenutil.Members
	for _, field := range p.Fields {
		m.Add(field.Name, values[field.Var])
	}
	if p.Type.Kind == ir.GoPointer {
		return jenutil.Ref(jenutil.GoType(p.Type.Elem), m.Inline())
	}
	return jenutil.GoType(p.Type).Add(m.Inline())
}

// specialArg is an argument that comes from the request, as package mcp shows it: the call, or what a method of it
// returns.
func specialArg(p ir.Param) jen.Code {
	switch p.Kind {
	case ir.ParamCall:
		return jen.Parens(jenutil.PtrTo(jenutil.MCP("Call"))).Call(jen.Id("c"))
	case ir.ParamCaller:
		return jenutil.MCP("Caller").Call(jen.Id("c").Dot("Caller").Call())
	case ir.ParamProgress:
		return jenutil.MCP("Progress").Call(jen.Id("c").Dot("Progress").Call())
	case ir.ParamLogger:
		return jen.Id("c").Dot("Logger").Call()
	case ir.ParamPeer:
		return jenutil.MCP("Peer").Call(jen.Id("c").Dot("Peer").Call())
	}
	return jen.Id("c")
}
