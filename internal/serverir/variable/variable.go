// Package variable finds out how the variables of templates and the arguments of prompts are read from text.
package variable

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// VarFor returns the place of the variable that parameter p of d stands for, or -1. A var line of the
// resource may say it; else the names are equal, or equal but for case and underscores.
func (b *Reader) VarFor(s *Set, d *load.Decl, p *types.Var) int {
	loose, n := -1, 0
	if gotype.Blank(p.Name()) {
		return loose
	}
	for i, v := range s.Vars {
		switch {
		case v.Param != "" && d == s.Decl:
			if v.Param == p.Name() {
				return i
			}
		case v.Name == p.Name():
			return i
		case goname.SameName(v.Name, p.Name()):
			loose, n = i, n+1
		}
	}
	if n > 1 {
		from, to := source.ParamRange(p)
		b.Report("MCP301", from, to, fmt.Sprintf("parameter `%s` could stand for several variables", p.Name()),
			report.Hint("variables: "+report.OrNone(Names(s.Vars))), report.Fix("name it exactly like one of them"))
	}
	return loose
}

// Reader finds out how the variables of templates and the arguments of prompts are read.
type Reader struct {
	*gotype.Scope
	// Holders are the parameters or fields of readers that take the variables.
	Holders map[*ir.Var]*types.Var

	limits map[*ir.Var]*directive.Limits
}

// Set are the variables of one declaration.
type Set struct {
	Decl *load.Decl
	Vars []*ir.Var
	// Args says that they are the arguments of a prompt; else they are variables of a URI.
	Args bool
}

// Names are the names of variables.
func Names(vars []*ir.Var) []string {
	var out []string
	for _, v := range vars {
		out = append(out, v.Name)
	}
	return out
}

// KindOf finds out how a value of type t is written in a URI.
func (b *Reader) KindOf(s *Set, v *ir.Var, t types.Type, p *types.Var) {
	v.Type = b.GoType(t)
	b.HiddenType(t)
	basic, _ := t.Underlying().(*types.Basic)
	switch _, pointer := gotype.PointedTo(t); {
	case pointer: // to a pointer, or in a list
		b.unreadable(s, v, t, p)
	case gotype.IsNamed(t, "time", "Time"):
		v.Kind = ir.VarTime
	case gotype.IsNamed(t, "time", "Duration"):
		v.Kind = ir.VarDuration
	case gotype.UnmarshalsText(t):
		v.Kind, v.Prints = ir.VarText, gotype.MarshalsText(t)
		b.limitText(v, t)
		if !s.Args && !v.Prints {
			from, to := source.ParamType(s.Decl, p)
			b.Report("MCP303", from, to, fmt.Sprintf("`%s` can be read from a URI but not written into one", b.TypeText(t)),
				report.Fix(fmt.Sprintf("add MarshalText to `%s`", b.TypeText(t))))
		}
	case b.LimitOf(t, gotype.FromText).Values != nil:
		v.Kind = ir.VarEnum
		b.limitText(v, t)
		if basic != nil && basic.Info()&types.IsInteger != 0 {
			v.Bits = max(bits(basic), 32)
		}
	case basic != nil && basic.Info()&types.IsString != 0:
		v.Kind = ir.VarString
	case basic != nil && basic.Info()&types.IsBoolean != 0:
		v.Kind = ir.VarBool
	case basic != nil && basic.Info()&types.IsUnsigned != 0 && basic.Kind() != types.Uintptr:
		v.Kind, v.Bits = ir.VarUint, bits(basic)
	case basic != nil && basic.Info()&types.IsInteger != 0:
		v.Kind, v.Bits = ir.VarInt, bits(basic)
	case basic != nil && basic.Info()&types.IsFloat != 0:
		v.Kind, v.Bits = ir.VarFloat, bits(basic)
	default:
		b.unreadable(s, v, t, p)
	}
}

// unreadable reports a type whose values are not made of text.
func (b *Reader) unreadable(s *Set, v *ir.Var, t types.Type, p *types.Var) {
	from, to := source.ParamType(s.Decl, p)
	place := "a URI"
	if s.Args {
		place = "the text of an argument"
	}
	fix := b.readable(t)
	if _, slice := t.Underlying().(*types.Slice); slice && !s.Args {
		fix = "write " + several(v) + " in the template"
	}
	b.Report("MCP303", from, to,
		fmt.Sprintf("`%s` cannot be read from %s; use string, bool, number, time, enum or a TextUnmarshaler", b.TypeText(t),
			place),
		report.Fix(fix))
}

// several is the expression of a template whose variable is a slice, and what it takes.
func several(v *ir.Var) string {
	if v.Op == uritemplate.OpQuery || v.Op == uritemplate.OpContinue {
		return fmt.Sprintf("`{?%s*}`, which may come several times,", v.Name)
	}
	return fmt.Sprintf("`{/%s*}`, which takes several segments,", v.Name)
}

// readable says how t could be read from a URI.
func (b *Reader) readable(t types.Type) string {
	if obj := gotype.TypeName(t); obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == b.Pkg.Path {
		return fmt.Sprintf("add UnmarshalText and MarshalText to `%s`", b.TypeText(t))
	}
	return "use one of these types"
}

// bits is the size of a number; 0 for int and uint, whose size is that of the machine.
func bits(t *types.Basic) int {
	if t == nil {
		return 0
	}
	digits := strings.TrimLeft(t.Name(), "uintfloa")
	n, _ := strconv.Atoi(digits)
	if t.Kind() == types.Byte {
		return 8
	}
	return n
}

// limitText notes what an enum directive allows v, which is of type t.
func (b *Reader) limitText(v *ir.Var, t types.Type) {
	limit := b.LimitOf(t, gotype.FromText)
	v.Late = limit.Late
	for _, c := range limit.Values {
		v.Values = append(v.Values, fmt.Sprint(c))
	}
}

// Completion proposes the values of variable i, or of an element of it, if its type leaves only a few.
func Completion(v *ir.Var, i int) (c ir.Completer, ok bool) {
	if v.Elem != nil && !v.Op.InQuery() {
		return c, false // all elements of a path are one text
	}
	v = kindOf(v)
	switch {
	case v.Kind == ir.VarBool:
		return ir.Completer{Var: i, Values: []string{"false", "true"}}, true
	case v.Late:
		return ir.Completer{Var: i, Values: v.Values, Of: v.Type}, v.Prints
	}
	return ir.Completer{Var: i, Values: v.Values}, v.Values != nil
}

// SameType checks that a list, watch or complete function takes a variable as the type that the
// reader gives it.
func (b *Reader) SameType(s *Set, v *ir.Var, p *types.Var) {
	q := b.Holders[v]
	if q == nil || types.Identical(q.Type(), p.Type()) {
		return
	}
	from, to := source.ParamRange(p)
	qfrom, qto := source.ParamRange(q)
	b.Report("MCP303", from, to, fmt.Sprintf("variable `%s` is `%s` here but `%s` in `%s`", v.Name, b.TypeText(p.Type()),
		b.TypeText(q.Type()), s.Decl.Name),
		b.Related(qfrom, qto, "the reader's parameter"),
		report.Fix(fmt.Sprintf("take `%s %s`", p.Name(), b.TypeText(q.Type()))))
}

// ExampleOf is a value that a default of v could have.
func ExampleOf(v *ir.Var) string {
	switch v.Kind {
	case ir.VarBool:
		return "false"
	case ir.VarInt, ir.VarUint, ir.VarFloat:
		return "100"
	case ir.VarEnum:
		return v.Values[0]
	case ir.VarText:
		if v.Values != nil && !v.Late {
			return v.Values[0]
		}
	case ir.VarTime, ir.VarDuration:
		return "-1h"
	}
	return `""`
}
