package serverir

import (
	"cmp"
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
)

// toolName is the form of names that the protocol asks for.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// resourceTools are the tools that astools=generic adds; the runtime knows them by these names.
var resourceTools = []string{"list_resources", "read_resource"}

// buildTool turns one tool directive into IR.
func (b *serverBuilder) buildTool(d *load.Decl, spec *directive.Tool) {
	t := &ir.Tool{
		Pos: b.res.Pos(d.Primary.Pos, d.Primary.End), Callee: b.callee(d),
		Name: spec.Name.V, Title: spec.Title.V, Description: spec.Desc.V,
		Icons: b.icons(d), Meta: b.meta(d),
	}
	if !spec.Name.Set() {
		t.Name = joinLower(d.Name, "_")
	}
	if !spec.Desc.Set() {
		t.Description = descriptionOf(d.Doc, d.Name)
	}
	if t.Description == "" {
		b.undescribed(d)
	}
	t.Proto, t.Toggle, t.Tags = b.protoOf(d), b.toggleOf(d), texts(&spec.Tags)
	t.Description = b.deprecated(d, t.Description)
	b.toolHints(t, spec)
	b.toolRefinements(d)
	b.toolNameFree(t, d, spec)
	t.CallName = b.handlerName("call", d, func(name string) bool {
		return slices.ContainsFunc(b.server.Tools, func(o *ir.Tool) bool { return o.CallName == name })
	})
	b.server.Tools = append(b.server.Tools, t)
	b.tools = append(b.tools, d)
	if sig := signature(d); sig != nil {
		b.guard(d, d.Name)
		b.toolSignature(t, d, sig, spec)
	}
	t.Rules = b.guardOf(&resource{Resource: &ir.Resource{}, decl: d}, "")
}

// undescribed warns of a tool of which a model knows the name only.
func (b *serverBuilder) undescribed(d *load.Decl) {
	from, to := nameOf(d)
	b.report("MCP609", from, to,
		fmt.Sprintf("tool `%s` has no description: a model chooses tools by what they say they do", d.Name),
		fix("write a doc comment that says what it does and when to call it, or desc="))
}

// toolHints notes what the directive says, and nothing else: clients have defaults of their own.
func (b *serverBuilder) toolHints(t *ir.Tool, spec *directive.Tool) {
	hint := func(k directive.Bool) *bool {
		if !k.Set() {
			return nil
		}
		return new(k.V)
	}
	t.ReadOnly, t.Destructive, t.Idempotent = hint(spec.Readonly), hint(spec.Destructive), hint(spec.Idempotent)
	t.OpenWorld = hint(spec.Open)
	if spec.Closed.Set() {
		t.OpenWorld = new(!spec.Closed.V)
	}
	if spec.Readonly.V && spec.Destructive.V {
		b.contradiction(spec.Destructive, spec.Readonly, "`destructive` has no meaning with `readonly`")
	}
	if spec.Open.Set() && spec.Closed.Set() && spec.Open.V == spec.Closed.V {
		b.contradiction(spec.Closed, spec.Open, "`closed` contradicts `open`")
	}
}

func (b *serverBuilder) contradiction(k, other directive.Bool, message string) {
	b.report("MCP604", k.Arg.Pos, k.Arg.End, message, b.related(other.Arg.Pos, other.Arg.End, "the other one"),
		fix("drop one"))
}

// toolRefinements refuses refining directives that only resources have.
func (b *serverBuilder) toolRefinements(d *load.Decl) {
	for _, m := range d.Directives {
		if m.Bad {
			continue
		}
		switch m.Spec.(type) {
		case *directive.Annotate, *directive.Cache, *directive.Var, *directive.Alias:
			b.report("MCP108", m.NamePos, m.NameEnd(), fmt.Sprintf("`%s` cannot stand on a tool", m.Name),
				hint("beside a tool: icon meta"), fix("remove the line"))
		}
	}
}

// toolNameFree checks the name of a tool. What is wrong with the rest of the tool is said in the same run.
func (b *serverBuilder) toolNameFree(t *ir.Tool, d *load.Decl, spec *directive.Tool) {
	from, to := nameOf(d)
	if spec.Name.Set() {
		from, to = valueOf(spec.Name.Arg)
	}
	if !toolName.MatchString(t.Name) {
		b.report("MCP109", from, to, fmt.Sprintf("`%s` is not a name for a tool: 1 to 128 of A-Z a-z 0-9 _ . -", t.Name),
			fix("name=search_notes"))
		return
	}
	if b.server.ResourceTools && slices.Contains(resourceTools, t.Name) {
		b.report("MCP207", from, to, fmt.Sprintf("tool `%s` is one of those that `astools=` adds", t.Name),
			fix("give it another name=…"))
		return
	}
	i := slices.IndexFunc(b.server.Tools, func(o *ir.Tool) bool { return o.Name == t.Name })
	if i < 0 {
		return
	}
	first := b.tools[i]
	ofrom, oto := nameOf(first)
	if other := first.Primary.Spec.(*directive.Tool); other.Name.Set() {
		ofrom, oto = valueOf(other.Name.Arg)
	}
	b.report("MCP207", from, to, fmt.Sprintf("tool `%s` is already declared by `%s`", t.Name, first.Name),
		b.related(ofrom, oto, "declared here first"), fix("give one of them another name=…"))
}

// handlerName is the method that calls d: callSearch, else callNotesSearch and so on.
func (b *serverBuilder) handlerName(prefix string, d *load.Decl, taken func(name string) bool) string {
	name := prefix + upperFirst(d.Name)
	if taken(name) {
		name = prefix + upperFirst(cmp.Or(d.Recv, b.pkg.Name)) + upperFirst(d.Name)
	}
	for n, base := 2, name; taken(name); n++ {
		name = base + strconv.Itoa(n)
	}
	return name
}

// toolSignature reads the parameters and results.
func (b *serverBuilder) toolSignature(t *ir.Tool, d *load.Decl, sig *types.Signature, spec *directive.Tool) {
	if sig.TypeParams().Len()+sig.RecvTypeParams().Len() > 0 {
		from, to := nameOf(d)
		b.report("MCP401", from, to, "a tool cannot have type parameters", hint("valid form: "+directive.ToolForm),
			fix("write a function without, which calls this one"))
		return
	}
	if !b.hasContext(d, sig, "tool", directive.ToolForm) {
		return
	}
	in := b.toolParams(t, d, sig, spec)
	b.toolResult(t, d, sig)
	if spec.Schema.Set() {
		b.givenSchema(t, spec)
		return
	}
	t.InputSchema = b.inputSchema(in)
}

// toolParams reads the parameters after the context and returns the struct of arguments, or nil: the only parameter
// that the runtime does not fill, or one made of all of them.
func (b *serverBuilder) toolParams(t *ir.Tool, d *load.Decl, sig *types.Signature,
	spec *directive.Tool) (in types.Type) {
	var own []*types.Var
	for i := 1; i < sig.Params().Len(); i++ {
		if p := sig.Params().At(i); !special(p.Type()) {
			own = append(own, p)
		}
	}
	if !spec.Schema.Set() && b.takesPlain(own) {
		return b.plainArguments(t, d, sig, own)
	}
	b.noArgLines(d, own)
	for i := 1; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		if special(p.Type()) {
			t.Callee.Params = append(t.Callee.Params, b.specialParam(p))
			continue
		}
		from, to := paramType(d, p)
		if spec.Schema.Set() || isNamed(p.Type(), "encoding/json", "RawMessage") {
			b.rawArguments(t, p, spec, from, to)
			continue
		}
		if message := b.notArguments(p.Type()); message != "" {
			b.report("MCP401", from, to, message, hint("valid form: "+directive.ToolForm),
				fix("take one struct with a field for each argument"))
			return nil
		}
		t.Callee.Params = append(t.Callee.Params, ir.Param{Kind: ir.ParamArgs, Type: b.paramGoType(p.Type())})
		in, _ = pointedTo(p.Type())
		if b.checkJSON(in, true, from, to) {
			t.Args = b.argStruct(in)
		}
	}
	return in
}

// notArguments says why a parameter of type t cannot be the arguments; empty if it can.
func (b *serverBuilder) notArguments(t types.Type) string {
	in, _ := pointedTo(t)
	switch {
	case !isStruct(in) || isNamed(in, "time", "Time"):
		return fmt.Sprintf("the arguments of a tool are one struct; found %s", b.typeText(t))
	case !b.namable(in):
		return fmt.Sprintf("the struct of arguments needs a name; found %s", b.typeText(t))
	case unmarshalsJSON(in) || unmarshalsText(in):
		return fmt.Sprintf("`%s` reads itself, so its arguments are not known", b.typeText(in))
	}
	return ""
}
