package server

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// asPromptResult are the runtime functions that turn results into prompts.
var asPromptResult = map[ir.PromptResultKind]string{
	ir.PromptText: "AsPromptText", ir.PromptMessage: "AsMessage", ir.PromptMessages: "AsMessages",
	ir.PromptRaw: "PromptResultOf",
}

// varsOfPrompt is p as a resource whose variables are the arguments, for the emitters of both.
func varsOfPrompt(p *ir.Prompt) *ir.Resource {
	return &ir.Resource{Callee: p.Callee, Vars: p.Vars(), Completers: p.Completers, Rules: p.Rules,
		Names: ir.ResourceNames{ReadVars: p.ArgsName}}
}

// promptLit declares one prompt.
//
//	{ // desk.go: (*Desk).Review
//		Entry: &protocol.Prompt{…},
//		Get:   mcprt.With(impl, getReview),
//	}
func promptLit(p *ir.Prompt) jen.Code {
	var entry, m jenutil.Members
	entry.Text("Name", p.Name)
	entry.Text("Title", p.Title)
	entry.Text("Description", p.Description)
	if len(p.Args) > 0 {
		entry.Add("Arguments", jen.Index().Add(jenutil.Protocol("PromptArgument")).Add(argumentsLit(p)))
	}
	entry.Add("Icons", iconsCode(p.Icons))
	entry.Add("Meta", metaCode(p.Meta))
	m.Add("Entry", jenutil.Ref(jenutil.Protocol("Prompt"), entry.Lines("")))
	m.Add("Revisions", protoCode(p.Proto))
	m.Add("Tags", textsCode(p.Tags))
	m.Add("Guard", rulesCode(p.Rules))
	m.Add("Get", handlerCode("With", calls(&p.Callee), p.GetName))
	m.Flag("Asks", p.Callee.Takes(ir.ParamPeer))
	m.Flag("ListChanges", p.ListChanges())
	m.Flag("Logs", p.Callee.Takes(ir.ParamLogger))
	if len(p.Completers) > 0 {
		m.Add("Complete", completersCode(varsOfPrompt(p)))
	}
	return m.Lines(p.Callee.File + ": " + p.Callee.Decl)
}

// argumentsLit are the arguments as lists show them.
//
//	{
//		{Name: "number", Description: "Ticket number.", Required: new(true)},
//	}
func argumentsLit(p *ir.Prompt) jen.Code {
	var list jenutil.Elements
	for _, a := range p.Args {
		var m jenutil.Members
		m.Text("Name", a.Name)
		m.Text("Title", a.Title)
		m.Text("Description", a.Desc)
		if !a.Op.InQuery() {
			m.Add("Required", jen.New(jen.True()))
		}
		list.Add(m.Inline())
	}
	return list.Lines()
}

// emitArguments writes the function that reads the arguments of a prompt.
//
//	// reviewArgs reads the arguments of review.
//	func reviewArgs(v *mcprt.Vars) (project string, number int, err error) {
//		project = v.RawText(0, "project")
//		number = mcprt.VarInt[int](v, 1, "number")
//		return project, number, v.Err()
//	}
func emitArguments(f *serverFile, p *ir.Prompt) {
	if len(p.Args) == 0 || !f.first(p.ArgsName) {
		return
	}
	r := varsOfPrompt(p)
	into, values := f.readInto(r, "x")
	results := append(f.varParams(r), typed{"err", &ir.GoType{Kind: ir.GoNamed, Name: "error"}})
	f.note(p.ArgsName + " reads the arguments of " + p.Name + ".")
	f.Func().Add(jenutil.Ident(p.ArgsName)).Params(jen.Id("v").Add(jenutil.PtrTo(jenutil.RT("Vars")))).
		Params(paramList(results)...).
		Block(append(readEach(r, values), jen.Return(append(slices.Clip(into), jen.Id("v").Dot("Err").Call())...))...)
}

// emitGet writes the function that fills in a prompt.
//
//	func getReview(impl *DeskImpl, c *mcprt.Call) (mcprt.PromptResult, error) {
//		project, number, err := reviewArgs(c.Vars)
//		if err != nil {
//			return mcprt.PromptResult{}, err
//		}
//		return mcprt.AsMessages(impl.Desk.Review(c, project, number))
//	}
func emitGet(f *serverFile, s *ir.Server, p *ir.Prompt) {
	r := varsOfPrompt(p)
	result := callOf(&p.Callee, f.callArgs(r, &p.Callee)...)
	if as := asPromptResult[p.Result]; as != "" {
		result = jenutil.RT(as).Call(result)
	}
	f.handler(s, calls(&p.Callee), p.GetName, callParam()).
		Params(jenutil.RT("PromptResult"), jen.Error()).
		Block(append(f.readVars(r, &p.Callee, jenutil.RT("PromptResult").Values()), jen.Return(result))...)
}
