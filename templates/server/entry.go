package server

import (
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// resourceLit declares one resource or template.
//
//	{ // notes.go: (*Notes).Note
//		Template:  &protocol.ResourceTemplate{…},
//		Read:      mcprt.With(impl, readNote),
//		Subscribe: true,
//	}
func resourceLit(r *ir.Resource) jen.Code {
	var m jenutil.Members
	if r.Template == nil {
		m.Add("Entry", jenutil.Ref(jenutil.Protocol("Resource"), entryLit(r, "URI")))
	} else {
		m.Add("Template", jenutil.Ref(jenutil.Protocol("ResourceTemplate"), entryLit(r, "URITemplate")))
	}
	if r.AliasOf != nil {
		m.Text("AliasOf", r.AliasOf.URI)
	}
	m.Add("Revisions", protoCode(r.Proto))
	m.Add("Tags", textsCode(r.Tags))
	if r.Cache != (ir.CachePolicy{}) {
		m.Add("Cache", jenutil.RT("Cache").Add(cacheLit(r.Cache)))
	}
	m.Add("Guard", rulesCode(r.Rules))
	switch {
	case r.App != nil:
		appMembers(r, &m)
	case r.Struct != nil:
		liveMembers(r, &m)
	case r.Fixed:
		m.Add("Static", jen.New(fixedCode(r)))
	default:
		m.Add("Read", readCode(r))
	}
	m.Flag("Asks", r.Callee.Takes(ir.ParamPeer))
	m.Flag("ListChanges", r.ListChanges())
	m.Flag("Logs", r.Callee.Takes(ir.ParamLogger))
	m.Flag("Subscribe", r.Subscribe)
	if r.Subscribe && r.Names.Topic != "" {
		m.Add("Topic", jenutil.Ident(r.Names.Topic))
	}
	switch {
	case r.Watch != nil || r.Struct != nil && r.Struct.Names.Watcher != "":
		m.Add("Watch", handlerCode("With", r.Watch == nil || calls(r.Watch), r.Names.Watch))
	case r.PollMillis > 0:
		m.Add("Watch", pollCode(r, readCode(r)))
	}
	if r.List != nil {
		m.Add("List", listCode(r))
		if r.Template != nil && !r.List.Walk && (r.Struct == nil || r.Struct.Kind == ir.StructSource) {
			m.Add("CheckVars", jenutil.RT("CheckVars").Call(jenutil.Ident(r.Names.ReadVars)))
		}
		if r.List.Page > 0 {
			m.Add("ListPage", jen.Lit(r.List.Page))
		}
	}
	if len(r.Completers) > 0 {
		m.Add("Complete", completersCode(r))
	}
	return m.Lines(r.Callee.File + ": " + r.Callee.Decl)
}

// entryLit is what lists show of a resource or a template; uri is the member for its address.
func entryLit(r *ir.Resource, uri string) jen.Code {
	var m jenutil.Members
	m.Text(uri, r.URI)
	m.Text("Name", r.Name)
	m.Text("Title", r.Title)
	m.Text("Description", r.Description)
	m.Text("MIMEType", r.MIME)
	switch {
	case r.SizeOf:
		m.Add("Size", jen.New(jen.Int64().Call(jen.Len(jenutil.Ident(r.Callee.Name)))))
	case r.Size >= 0 && r.Template == nil:
		m.Add("Size", jen.New(jen.Int64().Call(jen.Lit(int(r.Size)))))
	}
	m.Add("Annotations", annotationsCode(r))
	m.Add("Icons", iconsCode(r.Icons))
	m.Add("Meta", metaCode(r.Meta))
	return m.Lines("")
}

// annotationsCode returns the annotations of a resource, nil if it has none.
//
//	&protocol.Annotations{
//		Audience: []protocol.Role{"user"},
//		Priority: new(0.8),
//	}
func annotationsCode(r *ir.Resource) jen.Code {
	var m jenutil.Members
	if len(r.Audience) > 0 {
		m.Add("Audience", jen.Index().Add(jenutil.Protocol("Role")).Values(jenutil.Strings(r.Audience)...))
	}
	if r.Priority != nil {
		m.Add("Priority", jen.New(jen.Lit(*r.Priority)))
	}
	m.Text("LastModified", r.Modified)
	if len(m) == 0 {
		return nil
	}
	return jenutil.Ref(jenutil.Protocol("Annotations"), m.Lines(""))
}

// iconsCode returns a list of icons, nil if there are none.
//
//	[]protocol.Icon{
//		{Src: "https://example.com/book.svg", MIMEType: "image/svg+xml"},
//	}
func iconsCode(icons []ir.Icon) jen.Code {
	var list jenutil.Elements
	for _, icon := range icons {
		var m jenutil.Members
		m.Text("Src", icon.Src)
		m.Text("MIMEType", icon.MIME)
		m.Add("Sizes", textsCode(icon.Sizes))
		m.Text("Theme", icon.Theme)
		list.Add(m.Inline())
	}
	if len(list) == 0 {
		return nil
	}
	return jen.Index().Add(jenutil.Protocol("Icon")).Add(list.Lines())
}

// metaCode returns the _meta of an entry, nil if there is none.
//
//	&protocol.MetaObject{Extra: wire.Extra{
//		{Name: "com.example/owner", Value: json.RawMessage(`"finance"`)},
//	}}
func metaCode(entries []ir.MetaEntry) jen.Code {
	var list jenutil.Elements
	for _, e := range entries {
		list.Add(jen.Values(
			jen.Id("Name").Op(":").Lit(e.Key),
			jen.Id("Value").Op(":").Add(rawJSON(e.Value, metaDepth))))
	}
	if len(list) == 0 {
		return nil
	}
	return jenutil.Ref(jenutil.Protocol("MetaObject"),
		jen.Values(jen.Id("Extra").Op(":").Add(jenutil.Wire("Extra")).Add(list.Lines())))
}

// metaDepth is how far to the right the members of an entry stand.
const metaDepth = 5

// rawJSON is a JSON text at a depth of indentation.
func rawJSON(text string, depth int) jen.Code {
	return jen.Qual("encoding/json", "RawMessage").Call(jenutil.JSON(text, depth))
}

// cacheLit is {TTL: 30 * time.Second, Public: true}.
func cacheLit(c ir.CachePolicy) jen.Code {
	var m jenutil.Members
	if c.TTLMillis != 0 {
		m.Add("TTL", jenutil.Duration(time.Duration(c.TTLMillis)*time.Millisecond))
	}
	m.Flag("Public", c.Public)
	return m.Inline()
}

// fixedCode is the content of a resource that never changes: mcprt.Text(Readme).
func fixedCode(r *ir.Resource) jen.Code {
	value := jenutil.Ident(r.Callee.Name)
	switch r.Result {
	case ir.ResultBlob:
		return jenutil.RT("Blob").Call(value)
	case ir.ResultTextBytes:
		return jenutil.RT("TextBytes").Call(value)
	}
	if isNamed(r.Callee.Type) {
		value = jen.String().Call(value)
	}
	return jenutil.RT("Text").Call(value)
}

// isNamed reports whether t is a declared type, which a string must be converted from.
func isNamed(t *ir.GoType) bool { return t != nil && t.Kind == ir.GoNamed && t.Path != "" }

// listCode is mcprt.ListSeq(impl.Notes.ListNotes, noteEntry).
func listCode(r *ir.Resource) jen.Code {
	if r.Struct != nil && r.List.Callee.Kind == ir.CalleeType {
		return structList(r)
	}
	form := "ListSeq"
	switch {
	case r.List.Walk:
		return jenutil.RT("WalkFiles").Call(walkedFiles(r))
	case r.List.Enum:
		return jenutil.RT(form).Call(jenutil.Ident(r.Names.List), jenutil.Ident(r.Names.Entry))
	case r.List.Paged:
		form = "ListPages"
	}
	if r.List.Callee.Takes(ir.ParamCaller) {
		form += "For"
	}
	return jenutil.RT(form).Call(calleeCode(jen.Id("impl"), &r.List.Callee), jenutil.Ident(r.Names.Entry))
}

// calleeCode is a function as a value: impl.Notes.Note for a method, Motd for a function.
func calleeCode(impl *jen.Statement, c *ir.Callee) *jen.Statement {
	if c.Kind == ir.CalleeMethod {
		return selected(impl, c.Recv).Dot(jenutil.Name(c.Name))
	}
	return jenutil.Ident(c.Name)
}

// completersCode lists the completers of a template.
//
//	[]mcprt.Completer{{Var: "name", Values: mcprt.WithPrefix(impl, completeNoteName)}}
func completersCode(r *ir.Resource) jen.Code {
	var list jenutil.Elements
	for _, c := range r.Completers {
		var m jenutil.Members
		m.Text("Var", r.Vars[c.Var].Name)
		switch {
		case c.Callee != nil:
			m.Add("Values", handlerCode("WithPrefix", calls(c.Callee), c.Name))
		case c.Listed:
			m.Add("Listed", jen.True())
		default:
			m.Add("Values", constantsCode(&c))
		}
		list.Add(m.Inline())
	}
	return jen.Index().Add(jenutil.RT("Completer")).Add(list.Short())
}

// constantsCode completes from constants: those of a type whose method reads them are written by its other method.
//
//	mcprt.CompleteFrom("low", "high")
//	mcprt.CompleteFrom(mcprt.TextsOf[Colour](0, 255)...)
func constantsCode(c *ir.Completer) jen.Code {
	if c.Of == nil {
		return jenutil.RT("CompleteFrom").Call(jenutil.Strings(c.Values)...)
	}
	texts := jenutil.RT("TextsOf").Types(jenutil.GoType(c.Of)).Call(jenutil.Numbers(c.Values)...)
	return jenutil.RT("CompleteFrom").Call(jenutil.Spread(texts))
}

// toolLit declares one tool.
//
//	{ // notes.go: (*Notes).Search
//		Entry: &protocol.Tool{…},
//		Call:  mcprt.WithArgs(impl, callSearch),
//	}
func toolLit(t *ir.Tool) jen.Code {
	var entry, m jenutil.Members
	entry.Text("Name", t.Name)
	entry.Text("Title", t.Title)
	entry.Text("Description", t.Description)
	entry.Add("Icons", iconsCode(t.Icons))
	if t.NoInput() {
		entry.Add("InputSchema", jenutil.RT("NoInput"))
	} else {
		entry.Add("InputSchema", jenutil.Ident(t.Input))
	}
	if t.OutputSchema != "" {
		entry.Add("OutputSchema", jenutil.Ident(t.Output))
	}
	entry.Add("Annotations", hintsCode(t))
	entry.Add("Execution", executionCode(t))
	entry.Add("Meta", metaCode(t.Meta))
	m.Add("Entry", jenutil.Ref(jenutil.Protocol("Tool"), entry.Lines("")))
	m.Add("Revisions", protoCode(t.Proto))
	m.Add("Tags", textsCode(t.Tags))
	m.Add("Guard", rulesCode(t.Rules))
	m.Flag("OnlyApps", t.OnlyApps)
	if t.Task != "" {
		m.Add("Task", jenutil.RT("Task"+goname.UpperFirst(t.Task)))
	}
	m.Flag("TaskRequired", t.Task != "" && t.TaskRequired)
	m.Add("Check", argumentsCheck(t))
	m.Flag("ListChanges", t.ListChanges())
	m.Flag("Logs", t.Callee.Takes(ir.ParamLogger))
	if t.Reads != nil {
		m.Add("Reads", jenutil.RT("ReadsTemplate").Call(
			append([]jen.Code{jen.Lit(t.Reads.URI), jenutil.Ident(t.CallName)}, kindsCode(t.Reads)...)...))
		return m.Lines(t.Callee.File + ": " + t.Callee.Decl)
	}
	if takesArgs(t) {
		m.Add("Call", handlerCode("WithArgs", calls(&t.Callee), t.CallName))
	} else {
		m.Add("Call", jenutil.RT("WithoutArgs").Call(handlerCode("With", calls(&t.Callee), t.CallName)))
	}
	m.Flag("Asks", t.Callee.Takes(ir.ParamPeer))
	return m.Lines(t.Callee.File + ": " + t.Callee.Decl)
}

// argumentsCheck is what looks at the arguments of a call before it becomes a task, nil if nothing does.
//
//	mcprt.CheckArguments(decodeSearchIn)
func argumentsCheck(t *ir.Tool) jen.Code {
	switch {
	case t.Task == "" || t.RawArgs || t.Reads != nil:
		return nil
	case t.Args == nil:
		return jenutil.RT("NoArguments")
	}
	return jenutil.RT("CheckArguments").Call(jenutil.Ident(t.Args.Decode))
}

// executionCode returns what clients of 2025-11-25 know of the tasks of a tool, nil if it has none.
//
//	&protocol.ToolExecution{TaskSupport: protocol.TaskSupportOptional}
func executionCode(t *ir.Tool) jen.Code {
	if t.Task == "" {
		return nil
	}
	support := "TaskSupportOptional"
	if t.TaskRequired {
		support = "TaskSupportRequired"
	}
	var m jenutil.Members
	m.Add("TaskSupport", jenutil.Protocol(support))
	return jenutil.Ref(jenutil.Protocol("ToolExecution"), m.Inline())
}

// hintsCode returns the hints of a tool, nil if it has none.
//
//	&protocol.ToolAnnotations{ReadOnlyHint: new(true)}
func hintsCode(t *ir.Tool) jen.Code {
	var m jenutil.Members
	m.Add("ReadOnlyHint", boolPtr(t.ReadOnly))
	m.Add("DestructiveHint", boolPtr(t.Destructive))
	m.Add("IdempotentHint", boolPtr(t.Idempotent))
	m.Add("OpenWorldHint", boolPtr(t.OpenWorld))
	switch len(m) {
	case 0:
		return nil
	case 1:
		return jenutil.Ref(jenutil.Protocol("ToolAnnotations"), m.Inline())
	}
	return jenutil.Ref(jenutil.Protocol("ToolAnnotations"), m.Lines(""))
}
