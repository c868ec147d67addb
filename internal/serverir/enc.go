package serverir

import (
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// encoder returns the function that writes values of type t, or nil if encoding/json has to.
func (b *serverBuilder) encoder(t types.Type) *ir.Encoder {
	f := b.formOf(t, false)
	if !f.holds() && !f.isMapped() || !b.writable(b.nameOf(f)) || b.endless(f) || !b.reaches(f, nil) {
		return nil
	}
	return b.encFunc(f)
}

// encFunc returns the function that writes a type. Each has one in the package.
func (b *serverBuilder) encFunc(f *form) *ir.Encoder {
	key := types.TypeString(f.typ, nil)
	if e := b.encoders[key]; e != nil {
		e.Recursive = e.Recursive || e.Value.Kind == 0
		return e
	}
	b.hiddenType(f.typ)
	e := &ir.Encoder{Type: b.goType(b.nameOf(f)), Name: b.encoderName(f.typ)}
	b.encoders[key] = e
	b.p.Encoders = append(b.p.Encoders, e)
	e.Value = b.encWritten(f)
	return e
}

func isInterface(t types.Type) bool {
	_, ok := t.Underlying().(*types.Interface)
	return ok
}

// reaches reports whether generated code can name all members of the structs in f.
func (b *serverBuilder) reaches(f *form, seen []*form) bool {
	if slices.Contains(seen, f) {
		return true
	}
	seen = append(slices.Clip(seen), f)
	for _, m := range f.members {
		if _, ok := b.selector(f.typ, m.jsonField); !ok || !b.reaches(m.value, seen) {
			return false
		}
	}
	return f.elem == nil || b.reaches(f.elem, seen)
}

// encoderName returns a free name: encodeItem, else encodeStoreItem and so on.
func (b *serverBuilder) encoderName(t types.Type) string {
	return b.freeFunc("encode", t, func(name string) bool {
		return slices.ContainsFunc(b.p.Encoders, func(e *ir.Encoder) bool { return e.Name == name })
	})
}

// encKindOf is how values of a shape are written; an enum is written as what it is.
var encKindOf = map[jsonKind]ir.EncKind{
	shapeAny: ir.EncJSON, shapeRaw: ir.EncRaw, shapeTime: ir.EncTime, shapeText: ir.EncText, shapeNumeral: ir.EncJSON,
	shapeString: ir.EncString,
	shapeBool:   ir.EncBool, shapeInt: ir.EncInt, shapeUint: ir.EncUint, shapeFloat: ir.EncFloat, shapeBytes: ir.EncBytes,
	shapeSlice: ir.EncList, shapeArray: ir.EncList, shapeMap: ir.EncMap, shapePointer: ir.EncPointer,
	shapeStruct: ir.EncStruct,
}

// encValue says how values are written: by a function, or written out where they stand.
func (b *serverBuilder) encValue(f *form) ir.EncValue {
	if b.hasFunction(f) {
		return ir.EncValue{Kind: ir.EncCall, Encoder: b.encFunc(f)}
	}
	return b.encWritten(f)
}

// encWritten is encValue for a value that is written out.
func (b *serverBuilder) encWritten(f *form) ir.EncValue {
	v := ir.EncValue{Kind: encKindOf[f.shape], Keys: keyKindOf[f.key]}
	_, v.Plain = f.typ.(*types.Basic)
	switch f.shape {
	case shapeEnum:
		v.Kind = encKindOf[basicShape(f.typ.Underlying().(*types.Basic).Info())]
	case shapeMapped:
		b.encMapped(&v, f)
	case shapeFloat:
		if f.typ.Underlying().(*types.Basic).Kind() == types.Float32 {
			v.Kind = ir.EncFloat32
		}
	case shapeBytes:
		v.Plain = types.Identical(f.typ.Underlying().(*types.Slice).Elem(), types.Typ[types.Byte])
	case shapePointer:
		v.Plain = typeName(f.typ) == nil
		if isInterface(f.elem.typ) {
			v.Kind = ir.EncJSON
			return v
		}
	case shapeStruct:
		v.Fields = b.encFields(f)
	}
	if f.elem != nil {
		v.Elem = new(b.encValue(f.elem))
	}
	return v
}

// encFields writes out the members of a struct.
func (b *serverBuilder) encFields(f *form) (out []ir.EncField) {
	for _, m := range f.members {
		name, _ := b.selector(f.typ, m.jsonField)
		field := ir.EncField{GoName: name, Name: m.name, Omit: m.omits, Behind: m.behind, Type: b.goType(m.field().Type()),
			Value: b.encValue(m.value)}
		if m.inQuotes {
			quote(&field.Value)
		}
		out = append(out, field)
	}
	return out
}

// quote puts a value in quotes, or what its pointer points to.
func quote(v *ir.EncValue) {
	if v.Kind == ir.EncPointer {
		v = v.Elem
	}
	v.Quoted = true
}

// omits returns the conditions that leave a field out.
func (b *serverBuilder) omits(f *jsonField) []ir.OmitKind {
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
func (b *serverBuilder) omitZero(t types.Type) ir.OmitKind {
	_, pointer := t.Underlying().(*types.Pointer)
	switch {
	case pointer && hasTextMethod(t, "IsZero", "", "bool"):
		return ir.OmitPointer
	case isInterface(t) && !t.Underlying().(*types.Interface).Empty():
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
