package gotype

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// Generated functions have parameters and variables with these names, which hide declarations of the package: of
// functions that they call, and of types that they mention.
var (
	localsOfCalls = regexp.MustCompile(`^(args|c|err|h|in)$`)
	localsOfTypes = regexp.MustCompile(`^(v|d|err|ok|(e|n|name|seen)[0-9]*)$`)
)

// HiddenFunc reports a function, variable or constant that a local name of generated code would hide.
func (b *Scope) HiddenFunc(name string) { b.hiddenByLocal(name, localsOfCalls) }

// HiddenType reports a type that a local name of generated code would hide.
func (b *Scope) HiddenType(t types.Type) {
	if obj := TypeName(t); obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == b.Pkg.Path {
		b.hiddenByLocal(obj.Name(), localsOfTypes)
	}
}

// HiddenFuncBy is HiddenFunc for code with one more local name.
func (b *Scope) HiddenFuncBy(name, local string) {
	if name == local {
		b.hide(name)
	}
}

// HiddenParam reports the type of a parameter, or what it points to, if the handler that makes the value has a variable
// of that name: impl, c or one of locals.
func (b *Scope) HiddenParam(t types.Type, locals ...string) {
	t, _ = PointedTo(t)
	obj := TypeName(t)
	if obj == nil || obj.Pkg() == nil || obj.Pkg().Path() != b.Pkg.Path {
		return
	}
	if name := obj.Name(); name == "impl" || name == "c" || slices.Contains(locals, name) {
		b.hide(name)
	}
}

func (b *Scope) hiddenByLocal(name string, locals *regexp.Regexp) {
	if locals.MatchString(name) {
		b.hide(name)
	}
}

// hide reports the declaration of a name that generated code hides, once.
func (b *Scope) hide(name string) {
	obj := b.Hides(name)
	if obj == nil || b.hidden[obj] {
		return
	}
	b.hidden[obj] = true
	b.Report("MCP803", obj.Pos(), obj.Pos()+token.Pos(len(name)),
		fmt.Sprintf("generated code has a variable `%s` of its own, which hides this declaration", name),
		report.Fix("rename it"))
}
