package serverir

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// Features turns the annotated declarations of pkg into what its mcp_gen.go is written from. What is
// wrong with them is added to out; the result is only fit for emitting if out has no errors.
func Features(res *load.Result, pkg *load.Package, out *diag.List) *ir.GoPackage {
	return featuresIn(res, pkg, out, nil)
}

// featuresIn is Features for a package that others mount: mounting are the packages on the way to it.
func featuresIn(res *load.Result, pkg *load.Package, out *diag.List, mounting map[string]bool) *ir.GoPackage {
	b := &serverBuilder{
		res: res, pkg: pkg, out: out, mounting: mounting,
		p:     &ir.GoPackage{Path: pkg.Path, Name: pkg.Name, Dir: pkg.Dir},
		noted: map[*types.TypeName]bool{}, hidden: map[types.Object]bool{}, forms: map[string]*form{},
		otherNames: map[string]types.Type{},
		argLineOf:  map[*types.Var]*directive.PromptArg{},
		args:       map[string]*ir.ArgStruct{}, encoders: map[string]*ir.Encoder{}, mappings: map[string]*mapping{},
		taken:    map[string]claimed{},
		unparsed: lostDirectives(pkg, out),
	}
	b.unnamed()
	eachSpec(pkg, b.mapType)
	b.endlessTypes()
	eachSpec(pkg, b.checkEnum)
	eachSpec(pkg, b.buildForm)
	b.hiddenPredeclared()
	b.strayArgs()
	b.guardsElsewhere()
	b.limitValues()
	servers := b.servers()
	found := make([]diag.List, len(servers))
	builders := make([]*serverBuilder, len(servers))
	for i, s := range servers {
		builders[i] = b.forServer(s, &found[i])
		builders[i].build()
	}
	takeShared(b.p, b.taken)
	for _, s := range builders { // last: these names give way to all others
		s.placeNames()
	}
	b.mergeDiagnostics(servers, found)
	b.unusedMappings()
	b.order()
	return b.p
}

// forServer returns the builder of one server of the package. It shares with b what the output has once.
func (b *serverBuilder) forServer(s boundServer, out *diag.List) *serverBuilder {
	return &serverBuilder{
		res: b.res, pkg: s.pkg, out: out, whole: b, name: s.name, mounting: b.mounting,
		p: b.p, noted: b.noted, hidden: b.hidden, forms: b.forms, otherNames: b.otherNames,
		argLineOf: b.argLineOf, plainIn: map[*load.Decl]types.Type{}, args: b.args, encoders: b.encoders,
		mappings: b.mappings, taken: b.taken,
		server:   &ir.Server{},
		byName:   map[string]*resource{},
		byURI:    map[string]int{},
		unparsed: b.unparsed, broken: brokenResources(s.pkg), misnamed: map[*ir.Var]bool{},
		holders: map[*ir.Var]*types.Var{}, updated: map[*resource]bool{},
	}
}

// build makes one server.
func (b *serverBuilder) build() {
	b.buildServer()
	b.defaultsMistakes()
	eachSpec(b.pkg, b.buildResource)
	eachSpec(b.pkg, b.buildPrompt)
	// What belongs to a resource or a prompt names it, wherever it stands: so this comes second.
	eachSpec(b.pkg, b.buildList)
	eachSpec(b.pkg, b.buildWatch)
	eachSpec(b.pkg, b.buildCompletes)
	eachSpec(b.pkg, b.buildTool)
	b.finish()
}

// serverBuilder is the state of one run over one package, or over what one of its servers offers: pkg then has
// the declarations of that server only.
type serverBuilder struct {
	// whole is the state of the package, and name the server; nil and empty for the package itself.
	whole *serverBuilder
	name  string
	// mounting are the packages that mount this one.
	mounting map[string]bool
	res      *load.Result
	pkg      *load.Package
	out      *diag.List
	p        *ir.GoPackage
	server   *ir.Server
	// serverDecl is the comment with the server directive; nil without one.
	serverDecl *load.Decl
	// resources are in source order; byName finds them by Go name and by MCP name.
	resources []*resource
	// doubles are resources at the address of another one, which is reported; nothing serves them.
	doubles []*resource
	byName  map[string]*resource
	// byURI has the places in resources; templates finds those that may overlap.
	byURI     map[string]int
	templates uritemplate.Index
	// unparsed says that some directive of the package could not be recognised; broken has the names of
	// resources that could not be built.
	unparsed bool
	broken   map[string]bool
	// misnamed are the variables whose param= names no parameter, which has been reported.
	misnamed map[*ir.Var]bool
	// holders are the parameters or fields of readers that take the variables.
	holders map[*ir.Var]*types.Var
	// updated are the resources that some tool says it changes.
	updated map[*resource]bool
	// tools remembers where each tool was declared, in the order of server.Tools.
	tools []*load.Decl
	// typedTools says that each template becomes a tool.
	typedTools bool
	// prompts are in source order.
	prompts []*prompt
	// noted are the types whose constants close nothing, which has been said.
	noted map[*types.TypeName]bool
	// hidden are the declarations that generated code could not refer to, which has been said.
	hidden map[types.Object]bool
	// forms describe the named types as JSON, by direction and text.
	forms map[string]*form
	// otherNames are names for types that generated code cannot name otherwise, by their text.
	otherNames map[string]types.Type
	// argLineOf has the arg lines about fields that were made of parameters of tools, and plainIn the structs of such
	// fields.
	argLineOf map[*types.Var]*directive.PromptArg
	plainIn   map[*load.Decl]types.Type
	// args are the structs with generated decoders, by the text of their type.
	args map[string]*ir.ArgStruct
	// encoders are the types with generated encoders, by their text.
	encoders map[string]*ir.Encoder
	// mappings are the types that functions with a type directive read and write, by their text.
	mappings map[string]*mapping
	// taken are the generated names of the package.
	taken map[string]claimed
}

// resource is a resource and where it was declared.
type resource struct {
	*ir.Resource
	decl *load.Decl
	spec *directive.Resource
	// alias is the resource that this one is a further address of; nil for most.
	alias *resource
	// prompt is the prompt whose arguments the variables are; nil for resources. The URI and the spec of
	// such a resource are not set.
	prompt *prompt
}

// unnamed refuses features that nothing can call, because their name is blank.
func (b *serverBuilder) unnamed() {
	for _, d := range b.pkg.Decls {
		if d.Primary == nil || d.Primary.Bad || d.Name != "_" {
			continue
		}
		d.Primary.Bad = true
		from, to := nameOf(d)
		b.report("MCP108", from, to, fmt.Sprintf("`%s` cannot stand on a declaration that is called `_`", d.Primary.Name),
			fix("give it a name"))
	}
}

// checkEnum insists on constants.
func (b *serverBuilder) checkEnum(d *load.Decl, _ *directive.EnumOf) {
	obj, ok := d.Obj.(*types.TypeName)
	if !ok || len(b.res.Constants(obj)) > 0 {
		return
	}
	b.report("MCP110", d.Primary.NamePos, d.Primary.NameEnd(), fmt.Sprintf("`enum` needs constants of type `%s`", d.Name),
		fix(fmt.Sprintf("declare them in this package, such as const First %s = …", d.Name)))
}

// eachSpec calls f for each declaration whose feature directive has a spec of type T and no mistakes.
func eachSpec[T any](pkg *load.Package, f func(*load.Decl, T)) {
	for _, d := range pkg.Decls {
		if d.Primary == nil || d.Primary.Bad {
			continue
		}
		if spec, ok := d.Primary.Spec.(T); ok {
			f(d, spec)
		}
	}
}

// report adds a diagnostic about the source between from and to. The options add its details.
func (b *serverBuilder) report(code string, from, to token.Pos, message string, options ...func(*diag.Diagnostic)) {
	d := diag.New(code, b.res.Pos(from, to), "%s", message)
	for _, o := range options {
		o(&d)
	}
	b.out.Add(d)
}

// fix says what to write instead.
func fix(text string) func(*diag.Diagnostic) {
	return func(d *diag.Diagnostic) { d.Fix = text }
}

// hint stands under the caret.
func hint(text string) func(*diag.Diagnostic) {
	return func(d *diag.Diagnostic) { d.Hint = text }
}

// replace is a fix that puts text in the place of the source between from and to.
func (b *serverBuilder) replace(from, to token.Pos, text string) func(*diag.Diagnostic) {
	return func(d *diag.Diagnostic) {
		d.Fix = text
		b.edit(from, to, text)(d)
	}
}

// edit makes the fix applicable by machines: it puts text in the place of the source between from and to. While some
// directive of the package cannot be read, a mistake may only be its consequence, and there is no edit.
func (b *serverBuilder) edit(from, to token.Pos, text string) func(*diag.Diagnostic) {
	if b.unparsed {
		return func(*diag.Diagnostic) {}
	}
	return func(d *diag.Diagnostic) {
		d.Edits = append(d.Edits, diag.EditOf(b.res.Fset, from, to, text))
		d.Becomes = append(d.Becomes, b.becomes(from, to, text)...)
	}
}

// becomes are the directives, in normal form, that an edit leaves in the place of those that it touches: the one with
// the argument or the name there, or those that the text has itself.
func (b *serverBuilder) becomes(from, to token.Pos, text string) []string {
	for _, d := range b.pkg.Decls {
		for _, dir := range d.Directives {
			if from < dir.Pos || dir.End < to {
				continue
			}
			if from == dir.NamePos && to == dir.NameEnd() {
				other := *dir
				other.Name = text
				return []string{other.String()}
			}
			for _, a := range dir.Args {
				if value, ok := a.Replaced(from, to, text); ok {
					s, _ := dir.With(a, value)
					return []string{s}
				}
			}
		}
	}
	var out []string
	for line := range strings.Lines(text) {
		if dir, ok := directive.Parse(1, strings.TrimSpace(line)); ok {
			out = append(out, dir.String())
		}
	}
	return out
}

// meant is an edit that puts a name in the place of a misspelt one, if there is no doubt which of the names was meant.
func (b *serverBuilder) meant(from, to token.Pos, name string, names []string) func(*diag.Diagnostic) {
	if meant := directive.Meant(name, names); meant != "" {
		return b.edit(from, to, meant)
	}
	return func(*diag.Diagnostic) {}
}

// related points to a second place.
func (b *serverBuilder) related(from, to token.Pos, message string) func(*diag.Diagnostic) {
	pos := b.res.Pos(from, to)
	return func(d *diag.Diagnostic) { d.Related = append(d.Related, diag.Related{Pos: pos, Message: message}) }
}

// nameOf is the source range of a declaration's name.
func nameOf(d *load.Decl) (from, to token.Pos) {
	if d.Ident == nil {
		return d.Pos(), d.Pos()
	}
	return d.Ident.Pos(), d.Ident.End()
}

// valueOf is the source range of a directive's value, or of the whole argument if it has none.
func valueOf(a *directive.Arg) (from, to token.Pos) {
	if a.HasValue {
		return a.ValuePos(), a.ValueEnd()
	}
	return a.Pos, a.End
}
