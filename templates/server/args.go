package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// asToolResult are the runtime functions that turn results into tool results.
var asToolResult = map[ir.ToolResultKind]string{
	ir.ToolText: "AsToolText", ir.ToolStructured: "AsStructured", ir.ToolDone: "AsDone",
	ir.ToolBlock: "AsBlock", ir.ToolBlocks: "AsBlocks", ir.ToolWrapped: "AsResult",
	ir.ToolRaw: "ToolResultOf",
}

// emitSchemas writes the schemas of a tool.
//
//	// notesSearchInput is the JSON schema of the arguments of search.
//	var notesSearchInput = json.RawMessage(`{…}`)
func emitSchemas(f *serverFile, t *ir.Tool) {
	schema := func(name, of, text string) {
		f.note(name + " is the JSON schema of the " + of + " of " + t.Name + ".")
		f.Var().Add(jenutil.Ident(name)).Op("=").Add(rawJSON(text, 0))
	}
	if !t.NoInput() {
		schema(t.Input, "arguments", t.InputSchema)
	}
	if t.OutputSchema != "" {
		schema(t.Output, "result", t.OutputSchema)
	}
}

// emitCall writes the function that runs a tool.
//
//	func callSearch(impl *NotesImpl, c *mcprt.Call, args []byte) (mcprt.ToolResult, error) {
//		var in SearchIn
//		if err := mcprt.Arguments(args, decodeSearchIn, &in); err != nil {
//			return mcprt.ToolResult{}, err
//		}
//		out, err := impl.Notes.Search(c, in)
//		return mcprt.EncodeStructured(encodeFound, &out, err)
//	}
func emitCall(f *serverFile, s *ir.Server, t *ir.Tool) {
	params := []jen.Code{callParam()}
	if takesArgs(t) {
		params = append(params, jen.Id("args").Index().Byte())
	}
	var body, args []jen.Code
	if t.Args != nil && !t.RawArgs {
		decode := jen.Err().Op(":=").Add(jenutil.RT("Arguments")).Call(jen.Id("args"), jenutil.Ident(t.Args.Decode),
			jenutil.AddrOf(jen.Id("in")))
		body = append(body, jen.Var().Id("in").Add(jenutil.GoType(t.Args.Type)),
			jen.If(decode, jen.Err().Op("!=").Nil()).Block(jen.Return(jenutil.RT("ToolResult").Values(), jen.Err())))
	}
	for _, p := range t.Callee.Params {
		arg := toolArg(p)
		if t.RawArgs && p.Kind == ir.ParamArgs {
			arg = jen.Id("args")
		}
		args = append(args, arg)
	}
	results := []jen.Code{callOf(&t.Callee, args...)}
	if len(t.Touches) > 0 {
		run, names := touchCode(t, results[0])
		body, results = append(body, run...), names
	}
	result := jen.List(results...)
	if t.Encode != nil {
		if len(t.Touches) == 0 {
			body = append(body, jen.List(jen.Id("out"), jen.Err()).Op(":=").Add(results[0]))
		}
		with := "EncodeStructured"
		if t.Result == ir.ToolWrapped {
			with = "EncodeResult"
		}
		result = encoded(with, t.Encode, t.OutPointer && t.Result != ir.ToolWrapped)
	} else if as := asToolResult[t.Result]; as != "" {
		result = jenutil.RT(as).Call(results...)
	}
	f.handler(s, calls(&t.Callee), t.CallName, params...).
		Params(jenutil.RT("ToolResult"), jen.Error()).
		Block(append(body, jen.Return(result))...)
}

// takesArgs reports whether the function that runs t gets the arguments. The runtime refuses them for others.
func takesArgs(t *ir.Tool) bool { return t.RawArgs || t.Args != nil }

func toolArg(p ir.Param) jen.Code {
	switch {
	case p.Kind == ir.ParamArg:
		return jen.Id("in").Dot(jenutil.Name(p.Field))
	case p.Kind != ir.ParamArgs:
		return specialArg(p)
	case p.Type != nil && p.Type.Kind == ir.GoPointer:
		return jenutil.AddrOf(jen.Id("in"))
	}
	return jen.Id("in")
}

// emitArgs writes the decoders of the argument structs.
func emitArgs(f *serverFile) {
	for _, a := range f.pkg.Args {
		if f.first(a.Decode) {
			emitArgDecoder(f.of(a.File), a)
		}
	}
}

// emitArgDecoder writes one decoder.
//
//	// decodeSearchIn reads arguments into a SearchIn.
//	func decodeSearchIn(d *wire.Decoder, v *SearchIn) {
//		var seen uint64
//		for d.Object(); d.Next(); {
//			switch string(d.Name()) {
//			case "query":
//				v.Query = d.String()
//				seen |= 1 << 0
//			default:
//				d.Fail("unknown argument")
//			}
//		}
//		d.Require(seen, "query")
//	}
func emitArgDecoder(f *serverFile, a *ir.ArgStruct) {
	body := membersCode(jen.Id("v"), a.Fields, 0)
	if a.Value != nil {
		body = decodeValue(jen.Parens(jenutil.Deref(jen.Id("v"))), a.Value, 0)
	}
	if a.Declare != nil {
		emitArgType(f, a)
	}
	f.note(a.Decode + " reads arguments into a " + a.Type.Name + ".")
	f.Func().Add(jenutil.Ident(a.Decode)).
		Params(jen.Id("d").Add(jenutil.Decoder()), jen.Id("v").Add(jenutil.PtrTo(jenutil.GoType(a.Type)))).
		Block(body...)
}

// membersCode reads the members of an object into the struct v, or the one that it points to.
func membersCode(v *jen.Statement, fields []ir.ArgField, depth int) []jen.Code {
	need := requiredOf(fields, depth)
	var body, cases []jen.Code
	for i := range fields {
		field := &fields[i]
		x := selected(v, field.GoName)
		read := decodeValue(x, &field.Value, depth)
		if field.Nullable {
			read = orNull(x, field, read)
		}
		if field.Required {
			read = append(read, need.mark(field.JSONName))
		}
		behind := ensureCode(v, field)
		if field.Default != nil {
			body = append(append(body, behind...), defaultCode(x, &field.Value, field.Default)...)
			behind = nil
		}
		cases = append(cases, jen.Case(jen.Lit(field.JSONName)).Block(append(behind, read...)...))
	}
	cases = append(cases, jen.Default().Block(jen.Id("d").Dot("Fail").Call(jen.Lit("unknown argument"))))
	body = append(body, need.declare()...)
	body = append(body, eachMember(jen.Switch(jen.String().Call(jen.Id("d").Dot("Name").Call())).Block(cases...)))
	return append(body, need.check()...)
}

// ensureCode makes the embedded structs that a member stands in.
//
//	wire.Ensure(&v.Base)
func ensureCode(v *jen.Statement, field *ir.ArgField) (out []jen.Code) {
	for _, name := range field.Behind {
		out = append(out, jenutil.Wire("Ensure").Call(jenutil.AddrOf(selected(v, name))))
	}
	return out
}

// emitArgType declares the struct that the parameters of a tool are read into.
//
//	// addArgs has the arguments that decodeAddArgs reads.
//	type addArgs struct {
//		A int
//		B int
//	}
func emitArgType(f *serverFile, a *ir.ArgStruct) {
	var fields []jen.Code
	for _, field := range a.Declare.Fields {
		fields = append(fields, jenutil.Ident(field.Name).Add(jenutil.GoType(field.Type)))
	}
	f.note(a.Type.Name + " has the arguments that " + a.Decode + " reads.")
	f.Type().Add(jenutil.Ident(a.Type.Name)).Struct(fields...)
}

// eachMember is a loop over the members of an object.
//
//	for d.Object(); d.Next(); {
//		…
//	}
func eachMember(body ...jen.Code) jen.Code {
	d := func(name string) jen.Code { return jen.Id("d").Dot(jenutil.Name(name)).Call() }
	return jen.For(d("Object"), d("Next"), jen.Empty()).Block(body...)
}

// required numbers the members that an object must have.
type required struct {
	names []string
	// seen is the variable that notes them.
	seen string
}

func requiredOf(fields []ir.ArgField, depth int) required {
	r := required{seen: numbered("seen", depth)}
	for _, f := range fields {
		if f.Required {
			r.names = append(r.names, f.JSONName)
		}
	}
	return r
}

// declare declares the set of members seen: a word of bits, or several.
func (r required) declare() []jen.Code {
	switch words := (len(r.names) + 63) / 64; words {
	case 0:
		return nil
	case 1:
		return []jen.Code{jen.Var().Add(jenutil.Ident(r.seen)).Uint64()}
	default:
		return []jen.Code{jen.Var().Add(jenutil.Ident(r.seen)).Index(jen.Lit(words)).Uint64()}
	}
}

// bit returns the word for a member and the number of its bit.
func (r required) bit(name string) (word *jen.Statement, bit jen.Code) {
	i := 0
	for i < len(r.names) && r.names[i] != name {
		i++
	}
	word = jenutil.Ident(r.seen)
	if len(r.names) > 64 {
		word = word.Index(jen.Lit(i / 64))
	}
	return word, jen.Lit(1).Op("<<").Lit(i % 64)
}

// mark is seen |= 1 << 0.
func (r required) mark(name string) jen.Code {
	word, bit := r.bit(name)
	return word.Op("|=").Add(bit)
}

// check reports the members that were not seen.
//
//	d.Require(seen, "query")
func (r required) check() []jen.Code {
	var out []jen.Code
	for i := 0; i < len(r.names); i += 64 {
		word, _ := r.bit(r.names[i])
		args := append([]jen.Code{word}, jenutil.Strings(r.names[i:min(i+64, len(r.names))])...)
		out = append(out, jen.Id("d").Dot("Require").Add(jenutil.Args(args...)))
	}
	return out
}

// orNull reads a value that may be null.
//
//	if d.Null() {
//		v.Limit = nil
//	} else {
//		…
//	}
func orNull(x *jen.Statement, field *ir.ArgField, read []jen.Code) []jen.Code {
	isNull := jen.Id("d").Dot("Null").Call()
	if field.Default == nil {
		return []jen.Code{jen.If(jen.Op("!").Add(isNull)).Block(read...)}
	}
	return []jen.Code{jen.If(isNull).Block(x.Clone().Op("=").Nil()).Else().Block(read...)}
}
