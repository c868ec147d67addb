// Package source reads declarations and directives as a person sees them: where their parts stand, what signatures they
// have, and what their comments say.
package source

import (
	"go/types"

	"github.com/mcpgen/mcpgen/internal/load"
)

// EachSpec calls f for each declaration whose feature directive has a spec of type T and no mistakes.
func EachSpec[T any](pkg *load.Package, f func(*load.Decl, T)) {
	for _, d := range pkg.Decls {
		if d.Primary == nil || d.Primary.Bad {
			continue
		}
		if spec, ok := d.Primary.Spec.(T); ok {
			f(d, spec)
		}
	}
}

// Signature returns the signature of an annotated method or function, or nil if it did not
// type-check, which the loader has reported.
func Signature(d *load.Decl) *types.Signature {
	f, ok := d.Obj.(*types.Func)
	if !ok {
		return nil
	}
	sig := f.Signature()
	for v := range sig.Params().Variables() {
		if Invalid(v.Type()) {
			return nil
		}
	}
	for v := range sig.Results().Variables() {
		if Invalid(v.Type()) {
			return nil
		}
	}
	return sig
}

// Invalid reports whether t did not type-check.
func Invalid(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Invalid
}
