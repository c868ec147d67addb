package serverir

import (
	"encoding/json"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/load"
)

// jsonKind is how encoding/json treats values of a Go type.
type jsonKind uint8

const (
	shapeAny       jsonKind = iota // an interface, or a type with its own JSON methods
	shapeRaw                       // json.RawMessage
	shapeTime                      // time.Time
	shapeText                      // read with UnmarshalText, written with MarshalText
	shapeNumeral                   // json.Number
	shapeEnum                      // one of constants
	shapeString                    //
	shapeBool                      //
	shapeInt                       //
	shapeUint                      //
	shapeFloat                     //
	shapeBytes                     // []byte, in base64
	shapeSlice                     //
	shapeArray                     //
	shapeMap                       // keys are strings, integers or have text methods
	shapePointer                   //
	shapeStruct                    //
	shapeInterface                 // with methods: nothing can be read into it
	shapeMapped                    // read and written by functions with a type directive
	shapeNone                      // no JSON form
)

// shapeOf finds out how values of t are read from JSON.
func (b *serverBuilder) shapeOf(t types.Type) jsonKind { return b.shapeFor(t, true) }

// shapeFor finds out how values of t are read from JSON, if in is set, or written.
func (b *serverBuilder) shapeFor(t types.Type, in bool) jsonKind {
	if b.mappingOf(t) != nil {
		return shapeMapped
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if onlyPointers(t) {
			return shapeNone
		}
		return shapePointer
	case *types.Interface:
		if in && u.NumMethods() > 0 {
			return shapeInterface
		}
		return shapeAny
	}
	switch {
	case isNamed(t, "encoding/json", "RawMessage"):
		return shapeRaw
	case isNamed(t, "encoding/json", "Number"):
		return shapeNumeral
	case isNamed(t, "time", "Time"):
		return shapeTime
	case in && unmarshalsJSON(t) || marshalsJSON(t):
		return shapeAny
	case !in && marshalsText(t):
		return shapeText
	case b.constants(t) != nil:
		return shapeEnum
	case in && unmarshalsText(t):
		return shapeText
	}
	return b.plainShape(t, in)
}

// onlyPointers reports whether t points to nothing but pointers, without an end.
func onlyPointers(t types.Type) bool {
	var seen []types.Type
	for {
		p, ok := t.Underlying().(*types.Pointer)
		if !ok {
			return false
		}
		if slices.Contains(seen, t) {
			return true
		}
		seen, t = append(seen, t), types.Unalias(p.Elem())
	}
}

func unmarshalsJSON(t types.Type) bool { return hasTextMethod(t, "UnmarshalJSON", "[]byte", "error") }
func marshalsJSON(t types.Type) bool   { return hasTextMethod(t, "MarshalJSON", "", "[]byte", "error") }

// plainShape is the shape of a type without methods of its own.
func (b *serverBuilder) plainShape(t types.Type, in bool) jsonKind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return basicShape(u.Info())
	case *types.Slice:
		if byteElem(u.Elem(), in) {
			return shapeBytes
		}
		return shapeSlice
	case *types.Array:
		return shapeArray
	case *types.Map:
		if b.keyShape(types.Unalias(u.Key()), in) == shapeNone {
			return shapeNone
		}
		return shapeMap
	case *types.Struct:
		return shapeStruct
	}
	return shapeNone
}

// byteElem reports whether a slice of t is base64: its elements are bytes without methods.
func byteElem(t types.Type, in bool) bool {
	e, ok := t.Underlying().(*types.Basic)
	if !ok || e.Kind() != types.Byte {
		return false
	}
	if in {
		return !unmarshalsJSON(t) && !unmarshalsText(t)
	}
	return !marshalsJSON(t) && !marshalsText(t)
}

func basicShape(info types.BasicInfo) jsonKind {
	switch {
	case info&types.IsString != 0:
		return shapeString
	case info&types.IsBoolean != 0:
		return shapeBool
	case info&types.IsUnsigned != 0:
		return shapeUint
	case info&types.IsInteger != 0:
		return shapeInt
	case info&types.IsFloat != 0:
		return shapeFloat
	}
	return shapeNone
}

// keyShape says what names the keys of a map of type key are: shapeString, shapeInt, shapeUint, shapeText or shapeNone.
// A string is written as it is, whatever its methods are; encoding/json does the same.
func (b *serverBuilder) keyShape(key types.Type, in bool) jsonKind {
	basic, ok := key.Underlying().(*types.Basic)
	text := ok && basic.Info()&types.IsString != 0
	switch {
	case in && unmarshalsText(key), !in && !text && valueMarshalsText(key):
		return shapeText
	case ok && basic.Info()&(types.IsString|types.IsInteger) != 0:
		return basicShape(basic.Info())
	}
	return shapeNone
}

// valueMarshalsText reports whether a t itself, not only a *t, has MarshalText.
func valueMarshalsText(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, false, nil, "MarshalText")
	return obj != nil && marshalsText(t)
}

// constants returns the only values of t, strings or json.Number, or nil if t takes any. Only an enum
// directive limits a type to its constants.
func (b *serverBuilder) constants(t types.Type) []any {
	obj := typeName(t)
	basic, ok := t.Underlying().(*types.Basic)
	if obj == nil || obj.Pkg() == nil || !ok || basic.Info()&(types.IsString|types.IsInteger) == 0 || !b.isEnum(obj) {
		return nil
	}
	if basic.Info()&types.IsString == 0 && unmarshalsText(t) {
		return nil // only its methods know the words for the numbers
	}
	return valuesOf(b.res.Constants(obj))
}

// valuesOf returns different values in declared order.
func valuesOf(all []load.Constant) []any {
	var out []any
	for _, c := range all {
		var v any = json.Number(c.Value.ExactString())
		if c.Value.Kind() == constant.String {
			v = constant.StringVal(c.Value)
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// namable reports whether generated code can write t.
func (b *serverBuilder) namable(t types.Type) bool {
	switch t := t.(type) {
	case *types.Alias:
		return b.reachable(t.Obj()) && b.allNamable(t.TypeArgs()) || b.namable(t.Rhs())
	case *types.Basic:
		return true
	case *types.Named:
		return b.reachable(t.Obj()) && b.allNamable(t.TypeArgs())
	case *types.Pointer:
		return b.namable(t.Elem())
	case *types.Slice:
		return b.namable(t.Elem())
	case *types.Array:
		return b.namable(t.Elem())
	case *types.Map:
		return b.namable(t.Key()) && b.namable(t.Elem())
	case *types.Interface:
		return t.Empty()
	}
	return false
}

func (b *serverBuilder) allNamable(list *types.TypeList) bool {
	for t := range list.Types() {
		if !b.namable(t) {
			return false
		}
	}
	return true
}

// reachable reports whether generated code may refer to a type by its name: it stands at the top of its package,
// is exported or of the package itself, and that package may be imported.
func (b *serverBuilder) reachable(obj *types.TypeName) bool {
	pkg := obj.Pkg()
	switch {
	case pkg == nil || obj.Parent() != pkg.Scope():
		return pkg == nil
	case pkg.Path() == b.pkg.Path:
		return true
	}
	return obj.Exported() && pkg.Name() != "main" && importableFrom(pkg.Path(), b.pkg.Path)
}

// importableFrom reports whether the package at from may import the one at path: packages below a folder
// "internal" are for those around that folder.
func importableFrom(path, from string) bool {
	elems := strings.Split(path, "/")
	if elems[0] == "vendor" { // of the standard library
		return false
	}
	for i, elem := range slices.Backward(elems) {
		if elem == "internal" {
			parent := strings.Join(elems[:i], "/")
			return parent != "" && (from == parent || strings.HasPrefix(from, parent+"/"))
		}
	}
	return true
}

// wordOf is a word for t in generated names: Node, or PageItem for Page[Item].
func wordOf(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		var w strings.Builder
		w.WriteString(upperFirst(t.Obj().Name()))
		for arg := range t.TypeArgs().Types() {
			w.WriteString(wordOf(arg))
		}
		return w.String()
	case *types.Basic:
		return upperFirst(t.Name())
	case *types.Pointer:
		return wordOf(t.Elem())
	case *types.Slice:
		return wordOf(t.Elem()) + "s"
	case *types.Array:
		return wordOf(t.Elem()) + "s"
	case *types.Map:
		return wordOf(t.Key()) + wordOf(t.Elem())
	}
	return "Value"
}
