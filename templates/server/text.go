package server

import (
	"strconv"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// textOf is the text of a variable's value as a string. x must be addressable.
//
//	strconv.Itoa(limit)
func textOf(v *ir.Var, x *jen.Statement) *jen.Statement {
	switch v.Kind {
	case ir.VarBool:
		return jen.Qual("strconv", "FormatBool").Call(as(v.Type, "bool", x))
	case ir.VarInt:
		return intText(v, x)
	case ir.VarUint:
		return jen.Qual("strconv", "FormatUint").Call(as(v.Type, "uint64", x), jen.Lit(10))
	case ir.VarFloat:
		return jen.Qual("strconv", "FormatFloat").Call(as(v.Type, "float64", x), jen.LitRune('f'), jen.Lit(-1),
			jen.Lit(v.Bits))
	case ir.VarTime:
		return x.Dot("UTC").Call().Dot("Format").Call(layoutCode(v, "RFC3339Nano"))
	case ir.VarDuration:
		return x.Dot("String").Call()
	case ir.VarText:
		return jenutil.RT("TextOf").Call(jenutil.AddrOf(x))
	case ir.VarEnum:
		if v.Bits > 0 {
			return intText(v, x)
		}
	}
	return as(v.Type, "string", x)
}

// varText is the text of x, the value of v as a parameter, which may be a pointer.
func varText(v *ir.Var, x *jen.Statement) *jen.Statement {
	switch {
	case !v.Pointer || v.Kind == ir.VarTime || v.Kind == ir.VarDuration:
		return textOf(v, x)
	case v.Kind == ir.VarText:
		return jenutil.RT("TextOf").Call(x)
	}
	return textOf(v, jenutil.Deref(x))
}

func intText(v *ir.Var, x *jen.Statement) *jen.Statement {
	if isBasic(v.Type, "int") {
		return jen.Qual("strconv", "Itoa").Call(x)
	}
	return jen.Qual("strconv", "FormatInt").Call(as(v.Type, "int64", x), jen.Lit(10))
}

// as converts x, which is of type t, to a predeclared type, if it is not of that type already.
func as(t *ir.GoType, basic string, x *jen.Statement) *jen.Statement {
	if isBasic(t, basic) {
		return x
	}
	return jenutil.Ident(basic).Call(x)
}

// from converts x, which is of a predeclared type, to t, if t is another type.
func from(t *ir.GoType, basic string, x *jen.Statement) *jen.Statement {
	if isBasic(t, basic) {
		return x
	}
	return jenutil.GoType(t).Call(x)
}

func isBasic(t *ir.GoType, name string) bool {
	return t.Kind == ir.GoNamed && t.Path == "" && t.Name == name
}

// layoutCode is the layout of a time: that of the declaration, else a constant of package time.
func layoutCode(v *ir.Var, constant string) jen.Code {
	if v.Layout != "" {
		return jen.Lit(v.Layout)
	}
	return jen.Qual("time", constant)
}

// valueLit is the value that text stands for, as a constant of the variable's type.
func valueLit(v *ir.Var, text string) *jen.Statement {
	switch v.Kind {
	case ir.VarBool:
		return jen.Lit(isTrue(text))
	case ir.VarInt, ir.VarUint, ir.VarFloat:
		return jenutil.Number(text)
	case ir.VarEnum:
		if v.Bits > 0 {
			return jenutil.Number(text)
		}
	case ir.VarText:
		if v.Late {
			return jenutil.Number(text)
		}
	case ir.VarDuration:
		return durationLit(text)
	}
	return jen.Lit(text)
}

func isTrue(text string) bool { return text == "true" || text == "1" }

// durationLit is a duration given in the syntax of Go or in nanoseconds.
func durationLit(text string) *jen.Statement {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return jenutil.Duration(time.Duration(n))
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(jenutil.BadIRError{What: "not a duration", Text: text})
	}
	return jenutil.Duration(d)
}

// differs is the condition that a variable has not its default, so that a URI must hold it. It is
// nil if that cannot be told from the value.
//
//	limit != 100
func differs(v *ir.Var, x *jen.Statement) *jen.Statement {
	switch v.Kind {
	case ir.VarTime:
		return jen.Op("!").Add(x.Dot("IsZero").Call())
	case ir.VarText, ir.VarSlice:
		return nil
	case ir.VarBool:
		if isTrue(v.Default) {
			return jen.Op("!").Add(x)
		}
		return x
	}
	return x.Op("!=").Add(valueLit(v, v.Default))
}
