package gotype

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"

	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// Generated functions have parameters and variables with these names, which hide declarations of the package: of
// functions that they call, and of types that they mention.
var (
	localsOfCalls = regexp.MustCompile(`^(args|c|err|h|in)$`)
	localsOfTypes = regexp.MustCompile(`^(v|d|err|ok|(e|n|name|seen)[0-9]*)$`)
)

// HiddenFunc reports a function, variable or constant that generated code could not refer to.
func (b *Scope) HiddenFunc(name string) { b.hiddenByLocal(name, localsOfCalls) }

// HiddenType reports a type that generated code could not refer to.
func (b *Scope) HiddenType(t types.Type) {
	if obj := TypeName(t); obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == b.Pkg.Path {
		b.hiddenByLocal(obj.Name(), localsOfTypes)
	}
}

func (b *Scope) hiddenByLocal(name string, locals *regexp.Regexp) {
	if !locals.MatchString(name) {
		return
	}
	obj := b.Hides(name)
	if obj == nil || b.hidden[obj] {
		return
	}
	b.hidden[obj] = true
	b.Report("MCP803", obj.Pos(), obj.Pos()+token.Pos(len(name)),
		fmt.Sprintf("generated code has a variable `%s` of its own, which hides this declaration", name),
		report.Fix("rename it"))
}
