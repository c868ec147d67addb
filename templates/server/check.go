package server

import (
	"strconv"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// checksOf writes the conditions on the value x.
//
//	d.Must(v.Limit >= 1, "must be at least 1")
func checksOf(x *jen.Statement, v *ir.ArgValue) []jen.Code {
	var out []jen.Code
	for i := range v.Checks {
		if code := checkCode(x.Clone(), v, &v.Checks[i]); code != nil {
			out = append(out, code)
		}
	}
	return out
}

func checkCode(x *jen.Statement, v *ir.ArgValue, c *ir.Check) jen.Code {
	length := func() *jen.Statement { return jenutil.Wire("Length").Call(x) }
	items := func() *jen.Statement { return jen.Len(x) }
	n := func() jen.Code { return jenutil.Number(c.Text) }
	if v.Kind == ir.ArgFloat && c.Kind <= ir.CheckMultiple {
		return exactCode(c)
	}
	switch c.Kind {
	case ir.CheckMin:
		return must(x.Op(">=").Add(n()), "must be at least "+c.Text)
	case ir.CheckMax:
		return must(x.Op("<=").Add(n()), "must be at most "+c.Text)
	case ir.CheckAbove:
		return must(x.Op(">").Add(n()), "must be more than "+c.Text)
	case ir.CheckBelow:
		return must(x.Op("<").Add(n()), "must be less than "+c.Text)
	case ir.CheckMultiple:
		return must(x.Op("%").Add(n()).Op("==").Lit(0), "must be a multiple of "+c.Text)
	case ir.CheckMinLength:
		return must(length().Op(">=").Add(n()), "must have at least "+quantity(c.Text, "character"))
	case ir.CheckMaxLength:
		return must(length().Op("<=").Add(n()), "must have at most "+quantity(c.Text, "character"))
	case ir.CheckMinItems:
		return must(items().Op(">=").Add(n()), "must have at least "+quantity(c.Text, "element"))
	case ir.CheckMaxItems:
		return must(items().Op("<=").Add(n()), "must have at most "+quantity(c.Text, "element"))
	case ir.CheckUnique:
		return must(jenutil.Wire("Unique").Call(x), "must not have two equal elements")
	case ir.CheckPattern:
		return must(jenutil.Ident(c.Name).Call().Dot("MatchString").Call(plainText(x, v)), "must match "+shortText(c.Text))
	case ir.CheckFormat:
		f := formats[c.Text]
		return must(jenutil.Wire(f.function).Call(plainText(x, v)), "must be "+f.noun)
	case ir.CheckOneOf:
		return oneOfCode(x, v, c)
	}
	return nil
}

// must is a condition and what to say if it does not hold.
func must(ok jen.Code, reason string) jen.Code {
	return jen.Id("d").Dot("Must").Call(ok, jen.Lit(reason))
}

// exactCode is a condition on a number with a fraction: on its text, because limits that differ can be one float64.
//
//	d.Must(d.Compare("0.5") >= 0, "must be at least 0.5")
func exactCode(c *ir.Check) jen.Code {
	order := jen.Id("d").Dot("Compare").Call(jen.Lit(c.Text))
	switch c.Kind {
	case ir.CheckMin:
		return must(order.Op(">=").Lit(0), "must be at least "+c.Text)
	case ir.CheckMax:
		return must(order.Op("<=").Lit(0), "must be at most "+c.Text)
	case ir.CheckAbove:
		return must(order.Op(">").Lit(0), "must be more than "+c.Text)
	case ir.CheckBelow:
		return must(order.Op("<").Lit(0), "must be less than "+c.Text)
	}
	return must(jen.Id("d").Dot("MultipleOf").Call(jen.Lit(c.Text)), "must be a multiple of "+c.Text)
}

// plainText is x as a string.
func plainText(x *jen.Statement, v *ir.ArgValue) *jen.Statement {
	if v.Type.Kind == ir.GoNamed && v.Type.Path == "" && v.Type.Name == "string" {
		return x
	}
	return jen.String().Call(x)
}

// oneOfCode is wire.OneOf(d, v.Rank, 1, 10), or d.NumberOf("0.5", "1") for numbers with a fraction. For bytes it is
// wire.EachOf(d, v.Ranks, 1, 10).
func oneOfCode(x *jen.Statement, v *ir.ArgValue, c *ir.Check) jen.Code {
	if v.Kind == ir.ArgFloat {
		return jen.Id("d").Dot("NumberOf").Call(jenutil.Strings(c.Values)...)
	}
	args := []jen.Code{jen.Id("d"), x}
	for _, value := range c.Values {
		if c.Numbers {
			args = append(args, jenutil.Number(value))
			continue
		}
		args = append(args, constCode(v, value))
	}
	if v.Kind == ir.ArgBytes {
		return jenutil.Wire("EachOf").Call(args...)
	}
	return jenutil.Wire("OneOf").Call(args...)
}

// constCode is a text or a number of the type of v as an untyped constant.
func constCode(v *ir.ArgValue, value string) jen.Code {
	switch v.Kind {
	case ir.ArgInt, ir.ArgFloat:
		return jenutil.Number(value)
	case ir.ArgBool:
		return jen.Lit(isTrue(value))
	}
	return jen.Lit(value)
}

// format is how a format of texts is checked, and what it is called.
type format struct{ function, noun string }

var formats = map[string]format{
	"date-time": {"IsDateTime", "a time such as 2026-07-28T12:00:00Z"},
	"date":      {"IsDate", "a day such as 2026-07-28"},
	"email":     {"IsEmail", "an email address"},
	"uri":       {"IsURI", "a URI"},
	"uuid":      {"IsUUID", "a UUID"},
	"ipv4":      {"IsIPv4", "an IPv4 address"},
	"ipv6":      {"IsIPv6", "an IPv6 address"},
	"hostname":  {"IsHostname", "the name of a host"},
}

func quantity(n, noun string) string {
	if n == "1" {
		return n + " " + noun
	}
	return n + " " + noun + "s"
}

// shortText cuts a pattern for a message.
func shortText(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// emitPatterns writes the variables of the regular expressions.
//
//	// patternProject matches ^[A-Z]+$.
//	var patternProject = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z]+$`) })
func emitPatterns(f *serverFile) {
	for _, p := range f.pkg.Patterns {
		compiled := jen.Qual("regexp", "MustCompile").Call(patternLit(p.Expr))
		f.note(p.Name + " matches " + jenutil.Flat(shortText(p.Expr)) + ".")
		f.Var().Add(jenutil.Ident(p.Name)).Op("=").Qual("sync", "OnceValue").Call(
			jen.Func().Params().Add(jenutil.PtrTo(jen.Qual("regexp", "Regexp"))).Block(jen.Return(compiled)))
	}
}

// patternLit is a raw string where that is the same text.
func patternLit(s string) jen.Code {
	if strconv.CanBackquote(s) {
		return jenutil.RawString(s)
	}
	return jen.Lit(s)
}

// defaultCode sets the value of a member that may be left out.
//
//	v.Limit = 20
func defaultCode(x *jen.Statement, v *ir.ArgValue, texts []string) []jen.Code {
	switch v.Kind {
	case ir.ArgSlice:
		return defaultSlice(x, v, texts)
	case ir.ArgArray:
		var out []jen.Code
		for i, text := range texts {
			out = append(out, defaultCode(x.Clone().Index(jen.Lit(i)), v.Elem, []string{text})...)
		}
		return out
	case ir.ArgPointer:
		if isScalar(v.Elem) && !v.Elem.Hidden {
			return []jen.Code{x.Clone().Op("=").Add(jen.New(jenutil.GoType(v.Elem.Type).Call(constCode(v.Elem, texts[0]))))}
		}
		return append([]jen.Code{jenutil.Wire("New").Call(jenutil.AddrOf(x.Clone()))},
			defaultCode(jen.Parens(jenutil.Deref(x.Clone())), v.Elem, texts)...)
	}
	return []jen.Code{x.Clone().Op("=").Add(constCode(v, texts[0]))}
}

// defaultSlice sets a list.
//
//	v.Tags = []string{"a", "b"}
func defaultSlice(x *jen.Statement, v *ir.ArgValue, texts []string) []jen.Code {
	var all, each []jen.Code
	for _, text := range texts {
		grow := jenutil.Wire("Grow").Call(jenutil.AddrOf(x.Clone()))
		if !isScalar(v.Elem) {
			each = append(each, defaultCode(jen.Parens(jenutil.Deref(grow)), v.Elem, []string{text})...)
			continue
		}
		all = append(all, constCode(v.Elem, text))
	}
	switch {
	case each != nil:
		return each
	case v.Hidden:
		return []jen.Code{x.Clone().Op("=").Append(append([]jen.Code{x.Clone()}, all...)...)}
	}
	return []jen.Code{x.Clone().Op("=").Add(jenutil.GoType(v.Type)).Values(all...)}
}

// isScalar reports whether a value is read by one call.
func isScalar(v *ir.ArgValue) bool {
	switch v.Kind {
	case ir.ArgStruct_, ir.ArgObject, ir.ArgJSON, ir.ArgPointer, ir.ArgSlice, ir.ArgArray, ir.ArgMap:
		return false
	}
	return true
}
