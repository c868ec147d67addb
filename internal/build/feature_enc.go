package build

import (
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// encoder returns the function that writes values of type t, or nil if encoding/json has to. Each type
// has one in the package.
func (b *features) encoder(t types.Type) *ir.Encoder {
	named := t
	t = types.Unalias(t)
	key := types.TypeString(t, nil)
	if e := b.encoders[key]; e != nil {
		return e
	}
	if !b.namable(named) || !b.encodable(t) {
		return nil
	}
	b.hiddenType(t)
	e := &ir.Encoder{Type: b.goType(named), Name: b.encoderName(t)}
	b.encoders[key] = e
	b.p.Encoders = append(b.p.Encoders, e)
	w := &encoding{b: b, around: []types.Type{t}}
	if isStruct(t) {
		e.Value = w.structValue(t)
	} else {
		e.Value = w.value(t)
	}
	return e
}

// encodable reports whether generated code does better than encoding/json.
func (b *features) encodable(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return !marshalsJSON(t) && !marshalsText(t) && !isNamed(t, "time", "Time") && b.reaches(t)
	case *types.Slice, *types.Array, *types.Map:
		elem := u.(interface{ Elem() types.Type }).Elem()
		return !marshalsJSON(t) && !marshalsText(t) && !isInterface(elem)
	}
	return false
}

func isInterface(t types.Type) bool {
	_, ok := t.Underlying().(*types.Interface)
	return ok
}

// reaches reports whether generated code can name all members of a struct.
func (b *features) reaches(t types.Type) bool {
	return !slices.ContainsFunc(jsonFields(t), func(f *jsonField) bool {
		_, ok := b.selector(t, f)
		return !ok
	})
}

// encoderName returns a free name: encodeItem, else encodeStoreItem and so on.
func (b *features) encoderName(t types.Type) string {
	return b.freeFunc("encode", t, func(name string) bool {
		return slices.ContainsFunc(b.p.Encoders, func(e *ir.Encoder) bool { return e.Name == name })
	})
}

// encoding describes one type. around are the types that hold the value at hand without a function of
// their own in between: one that comes again would be written for ever.
type encoding struct {
	b      *features
	around []types.Type
}

// value says how values of type t are written.
func (w *encoding) value(t types.Type) ir.EncValue {
	t = types.Unalias(t)
	_, plain := t.(*types.Basic)
	v := ir.EncValue{Kind: ir.EncJSON, Plain: plain}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return v
	case *types.Pointer:
		if elem := types.Unalias(u.Elem()); !isInterface(elem) && typeName(t) == nil {
			inner := w.value(elem)
			v.Kind, v.Elem = ir.EncPointer, &inner
		}
		return v
	}
	switch {
	case isNamed(t, "encoding/json", "RawMessage"):
		v.Kind = ir.EncRaw
	case isNamed(t, "time", "Time"):
		v.Kind = ir.EncTime
	case marshalsJSON(t), isNamed(t, "encoding/json", "Number"):
	case marshalsText(t):
		v.Kind = ir.EncText
	default:
		w.plain(&v, t)
	}
	return v
}

// plain says how a type without methods of its own is written.
func (w *encoding) plain(v *ir.EncValue, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		v.Kind = basicEnc(u)
	case *types.Slice:
		if byteElem(u.Elem()) {
			if isBytes(u) { // else left to encoding/json
				v.Kind = ir.EncBytes
			}
			return
		}
		w.elem(v, t, u.Elem(), ir.EncList)
	case *types.Array:
		w.elem(v, t, u.Elem(), ir.EncList)
	case *types.Map:
		if key, ok := u.Key().Underlying().(*types.Basic); ok && key.Info()&types.IsString != 0 && !marshalsText(u.Key()) {
			w.elem(v, t, u.Elem(), ir.EncMap)
		}
	case *types.Struct:
		if e := w.b.encoder(t); e != nil {
			e.Recursive = e.Recursive || e.Value.Kind == 0
			v.Kind, v.Encoder = ir.EncCall, e
		} else if w.b.reaches(t) && !w.inside(t) {
			*v = (&encoding{w.b, append(slices.Clip(w.around), t)}).structValue(t)
		}
	}
}

// inside reports whether the value at hand is part of a t.
func (w *encoding) inside(t types.Type) bool {
	return slices.ContainsFunc(w.around, func(o types.Type) bool { return types.Identical(o, t) })
}

func (w *encoding) elem(v *ir.EncValue, t, elem types.Type, kind ir.EncKind) {
	if len(w.around) > 1 && w.inside(t) {
		return
	}
	inner := (&encoding{w.b, append(slices.Clip(w.around), t)}).value(elem)
	v.Kind, v.Elem = kind, &inner
}

func basicEnc(u *types.Basic) ir.EncKind {
	switch info := u.Info(); {
	case info&types.IsString != 0:
		return ir.EncString
	case info&types.IsBoolean != 0:
		return ir.EncBool
	case info&types.IsUnsigned != 0:
		return ir.EncUint
	case info&types.IsInteger != 0:
		return ir.EncInt
	case u.Kind() == types.Float32:
		return ir.EncFloat32
	case info&types.IsFloat != 0:
		return ir.EncFloat
	}
	return ir.EncJSON
}

// byteElem reports whether a slice of t is written in base64.
func byteElem(t types.Type) bool {
	e, ok := t.Underlying().(*types.Basic)
	return ok && e.Kind() == types.Byte && !marshalsJSON(t) && !marshalsText(t)
}

// structValue writes out the members of a struct.
func (w *encoding) structValue(t types.Type) ir.EncValue {
	v := ir.EncValue{Kind: ir.EncStruct}
	for _, f := range jsonFields(t) {
		name, _ := w.b.selector(t, f)
		field := ir.EncField{GoName: name, Name: f.name, Omit: w.b.omits(f), Type: w.b.goType(f.field().Type()), Value: w.value(f.field().Type())}
		if f.quoted {
			quote(&field.Value)
		}
		for i, e := range f.path[:len(f.path)-1] {
			if _, pointer := types.Unalias(e.Type()).(*types.Pointer); pointer {
				var names []string
				for _, step := range f.path[:i+1] {
					names = append(names, step.Name())
				}
				field.Behind = append(field.Behind, strings.Join(names, "."))
			}
		}
		v.Fields = append(v.Fields, field)
	}
	return v
}

// quote puts a value in quotes, or what its pointer points to.
func quote(v *ir.EncValue) {
	if v.Kind == ir.EncPointer {
		v = v.Elem
	}
	v.Quoted = v.Kind <= ir.EncFloat32
}

// omits returns the conditions that leave a field out.
func (b *features) omits(f *jsonField) []ir.OmitKind {
	_, options, _ := strings.Cut(f.tag.Get("json"), ",")
	words := strings.Split(options, ",")
	var out []ir.OmitKind
	t := f.field().Type()
	if slices.Contains(words, "omitempty") {
		if kind := omitEmpty(t); kind != 0 {
			out = append(out, kind)
		}
	}
	if slices.Contains(words, "omitzero") {
		if kind := b.omitZero(t); len(out) == 0 || out[0] != kind {
			out = append(out, kind)
		}
	}
	return out
}

// omitEmpty is the condition of the option omitempty; 0 for types that are never empty.
func omitEmpty(t types.Type) ir.OmitKind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return omitBasic(u)
	case *types.Pointer, *types.Interface:
		return ir.OmitNil
	case *types.Slice, *types.Map:
		return ir.OmitEmpty
	}
	return 0
}

func omitBasic(u *types.Basic) ir.OmitKind {
	switch info := u.Info(); {
	case info&types.IsString != 0:
		return ir.OmitText
	case info&types.IsBoolean != 0:
		return ir.OmitFalse
	}
	return ir.OmitZero
}

// omitZero is the condition of the option omitzero.
func (b *features) omitZero(t types.Type) ir.OmitKind {
	_, pointer := t.Underlying().(*types.Pointer)
	switch {
	case pointer && hasTextMethod(t, "IsZero", "", "bool"), isInterface(t) && !t.Underlying().(*types.Interface).Empty():
		return ir.OmitOther
	case hasTextMethod(t, "IsZero", "", "bool"):
		return ir.OmitMethod
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return omitBasic(u)
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map:
		return ir.OmitNil
	case *types.Struct:
		if types.Comparable(t) && b.namable(t) && typeName(t) != nil {
			return ir.OmitStruct
		}
	}
	return ir.OmitOther
}
