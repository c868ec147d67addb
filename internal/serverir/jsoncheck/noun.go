package jsoncheck

import (
	"fmt"
	"go/types"
)

// nounOf says what a type without a JSON form is.
func (w *checker) nounOf(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return "a channel"
	case *types.Pointer:
		return "a pointer to nothing but pointers"
	case *types.Signature:
		return "a function"
	case *types.Interface:
		return fmt.Sprintf("an interface with methods (`%s`)", w.b.TypeText(t))
	case *types.Map:
		return fmt.Sprintf("a map with keys of type `%s`", w.b.TypeText(u.Key()))
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 {
			return "a complex number"
		}
	}
	return fmt.Sprintf("`%s`", w.b.TypeText(t))
}
