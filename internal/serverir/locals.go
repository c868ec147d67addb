package serverir

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
)

// Generated functions have parameters and variables with these names, which hide declarations of the package: of
// functions that they call, and of types that they mention.
var (
	localsOfCalls = regexp.MustCompile(`^(args|c|err|h|in)$`)
	localsOfTypes = regexp.MustCompile(`^(v|d|err|ok|(e|n|name|seen)[0-9]*)$`)
)

// hiddenFunc reports a function, variable or constant that generated code could not refer to.
func (b *serverBuilder) hiddenFunc(name string) { b.hiddenByLocal(name, localsOfCalls) }

// hiddenType reports a type that generated code could not refer to.
func (b *serverBuilder) hiddenType(t types.Type) {
	if obj := typeName(t); obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == b.pkg.Path {
		b.hiddenByLocal(obj.Name(), localsOfTypes)
	}
}

func (b *serverBuilder) hiddenByLocal(name string, locals *regexp.Regexp) {
	if !locals.MatchString(name) {
		return
	}
	obj := b.hides(name)
	if obj == nil || b.hidden[obj] {
		return
	}
	b.hidden[obj] = true
	b.report("MCP803", obj.Pos(), obj.Pos()+token.Pos(len(name)),
		fmt.Sprintf("generated code has a variable `%s` of its own, which hides this declaration", name), fix("rename it"))
}
