package serverir

import (
	"encoding/json"
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// keywordRules is the vocabulary of the jsonschema tag.
var keywordRules = []keywordRule{
	{name: "required", flag: true, read: func(p *ruleParser, _ target,
		_ tagWord) string {
		p.r.required = true
		return ""
	}},
	{name: "nullable", flag: true, read: func(p *ruleParser, _ target,
		_ tagWord) string {
		p.r.nullable = true
		return ""
	}},
	{name: "title", read: func(_ *ruleParser, t target, w tagWord) string { t.Title = w.value; return "" }},
	{name: "description", read: func(p *ruleParser, _ target, w tagWord) string { p.r.description = w.value; return "" }},
	{name: "readOnly", read: func(_ *ruleParser, t target, w tagWord) string { return readBool(&t.ReadOnly, w) }},
	{name: "writeOnly", read: func(_ *ruleParser, t target, w tagWord) string { return readBool(&t.WriteOnly, w) }},
	{name: "default", on: onText | onInt | onFloat | onBool | onList, read: readDefault},
	{name: "example", many: true, on: onText | onWord | onInt | onFloat | onBool, read: readExample},
	{name: "enum", many: true, on: onText | onInt | onFloat, read: readEnum},
	{name: "minimum", on: onInt | onFloat, read: bound(ir.CheckMin, func(t target) *json.Number { return &t.Minimum })},
	{name: "maximum", on: onInt | onFloat, read: bound(ir.CheckMax, func(t target) *json.Number { return &t.Maximum })},
	{name: "exclusiveMinimum", on: onInt | onFloat, read: bound(ir.CheckAbove,
		func(t target) *json.Number { return &t.ExclusiveMinimum })},
	{name: "exclusiveMaximum", on: onInt | onFloat, read: bound(ir.CheckBelow,
		func(t target) *json.Number { return &t.ExclusiveMaximum })},
	{name: "multipleOf", on: onInt | onFloat, read: readMultiple},
	{name: "minLength", on: onText, read: size(ir.CheckMinLength, func(t target) **uint64 { return &t.MinLength })},
	{name: "maxLength", on: onText, read: size(ir.CheckMaxLength, func(t target) **uint64 { return &t.MaxLength })},
	{name: "pattern", on: onText, read: readPattern},
	{name: "format", on: onText | onWord, read: readFormat},
	{name: "minItems", on: onList, read: size(ir.CheckMinItems, func(t target) **uint64 { return &t.MinItems })},
	{name: "maxItems", on: onList, read: size(ir.CheckMaxItems, func(t target) **uint64 { return &t.MaxItems })},
	{name: "uniqueItems", on: onList, read: readUnique},
}

func readBool(to *bool, w tagWord) string {
	v, err := strconv.ParseBool(w.value)
	if err != nil {
		return "must be true or false"
	}
	*to = v
	return ""
}

// readValue reads a value of the class of t.
func readValue(t target, w tagWord) (v any, wrong string) {
	switch {
	case t.has(onInt | onFloat):
		return number(t, w)
	case t.has(onBool):
		b, err := strconv.ParseBool(w.value)
		if err != nil {
			return nil, "must be true or false"
		}
		return b, ""
	}
	if !utf8.ValidString(w.value) {
		return nil, "must be valid UTF-8"
	}
	return w.value, ""
}

func number(t target, w tagWord) (any, string) {
	n, wrong := t.number(w.value)
	return n, wrong
}

func readDefault(p *ruleParser, t target, w tagWord) string {
	list := t.has(onList)
	if list {
		t = target{*t.elem, t.ruleSet}
		if !t.has(onText | onInt | onFloat | onBool) {
			return fmt.Sprintf("is not possible for lists of this type (%s)", t.noun)
		}
	}
	v, wrong := readValue(t, w)
	if wrong != "" {
		return wrong
	}
	p.r.fallback = append(p.r.fallback, fmt.Sprint(v))
	if !list {
		p.r.own.Default = v
		return ""
	}
	all, _ := p.r.own.Default.([]any)
	all = append(all, v)
	p.r.own.Default = all
	return ""
}

func readExample(_ *ruleParser, t target, w tagWord) string {
	v, wrong := readValue(t, w)
	if wrong == "" {
		t.Examples = append(t.Examples, v)
	}
	return wrong
}

func readEnum(_ *ruleParser, t target, w tagWord) string {
	v, wrong := readValue(t, w)
	switch {
	case wrong != "":
		return wrong
	case slices.Contains(t.Enum, v):
		return "has this value already"
	}
	t.Enum = append(t.Enum, v)
	i := slices.IndexFunc(t.checks, func(c ir.Check) bool { return c.Kind == ir.CheckOneOf })
	if i < 0 {
		i = len(t.checks)
		t.checks = append(t.checks, ir.Check{Kind: ir.CheckOneOf})
	}
	t.checks[i].Values = append(t.checks[i].Values, fmt.Sprint(v))
	return ""
}

// bound reads a limit of numbers.
func bound(kind ir.CheckKind, place func(target) *json.Number) func(*ruleParser, target, tagWord) string {
	return func(_ *ruleParser, t target, w tagWord) string {
		n, wrong := t.number(w.value)
		if wrong != "" {
			return wrong
		}
		*place(t) = n
		if basic := t.typ.Underlying().(*types.Basic); kind == ir.CheckMin && n == "0" && basic.Info()&types.IsUnsigned != 0 {
			return "" // nothing is less
		}
		t.checks = append(t.checks, ir.Check{Kind: kind, Text: n.String()})
		return ""
	}
}

func readMultiple(_ *ruleParser, t target, w tagWord) string {
	n, wrong := t.number(w.value)
	if wrong != "" {
		return wrong
	}
	if order, _ := compareNumbers(n.String(), "0"); order <= 0 {
		return "must be more than 0"
	}
	if digits := strings.Trim(strings.ReplaceAll(mantissa(n.String()), ".", ""), "0"); len(digits) > 18 {
		return "may have up to 18 digits"
	}
	t.MultipleOf = n
	t.checks = append(t.checks, ir.Check{Kind: ir.CheckMultiple, Text: n.String()})
	return ""
}

// maxSize is the largest limit of a length; Go's int must hold it everywhere.
const maxSize = 1<<31 - 1

// size reads a limit of a length.
func size(kind ir.CheckKind, place func(target) **uint64) func(*ruleParser, target, tagWord) string {
	return func(_ *ruleParser, t target, w tagWord) string {
		n, err := strconv.ParseUint(w.value, 10, 64)
		if err != nil || n > maxSize {
			return fmt.Sprintf("must be a whole number from 0 to %d", maxSize)
		}
		*place(t) = &n
		t.checks = append(t.checks, ir.Check{Kind: kind, Text: strconv.FormatUint(n, 10)})
		return ""
	}
}

func readPattern(p *ruleParser, t target, w tagWord) string {
	if _, err := regexp.Compile(w.value); err != nil {
		return fmt.Sprintf("is not a regular expression of Go (RE2): %v", err)
	}
	t.Pattern = w.value
	t.checks = append(t.checks, ir.Check{Kind: ir.CheckPattern, Text: w.value,
		Name: p.b.patternName(p.f.field().Name(), w.value)})
	return ""
}

// checkedFormats are the formats that generated code checks; others are documentation.
var checkedFormats = []string{"date-time", "date", "email", "uri", "uuid", "ipv4", "ipv6", "hostname"}

func readFormat(_ *ruleParser, t target, w tagWord) string {
	t.Format = w.value
	if t.has(onText) && slices.Contains(checkedFormats, w.value) {
		t.checks = append(t.checks, ir.Check{Kind: ir.CheckFormat, Text: w.value})
	}
	return ""
}

func readUnique(_ *ruleParser, t target, w tagWord) string {
	if wrong := readBool(&t.Unique, w); wrong != "" || !t.Unique {
		return wrong
	}
	elem := types.Unalias(t.typ).Underlying().(interface{ Elem() types.Type }).Elem()
	// 1 and 1.0 are equal
	if _, basic := elem.Underlying().(*types.Basic); !basic || isNamed(elem, "encoding/json", "Number") {
		return fmt.Sprintf("is not possible for lists of this type (%s)", t.elem.noun)
	}
	t.checks = append(t.checks, ir.Check{Kind: ir.CheckUnique})
	return ""
}

// refuses says why the keywords do not allow a default; "" if they do.
func (r *ruleSet) refuses(v string, c keywordClass) string {
	for _, check := range r.checks {
		if !allows(check, v) {
			return "is not allowed by the other keywords"
		}
	}
	for _, value := range c.values {
		if fmt.Sprint(value) == v {
			return ""
		}
	}
	if c.values != nil {
		return "is not one of the constants"
	}
	return ""
}

// allows judges a default by one keyword.
func allows(c ir.Check, v string) bool {
	order, _ := compareNumbers(v, c.Text)
	n, _ := strconv.Atoi(c.Text)
	switch c.Kind {
	case ir.CheckMin:
		return order >= 0
	case ir.CheckMax:
		return order <= 0
	case ir.CheckAbove:
		return order > 0
	case ir.CheckBelow:
		return order < 0
	case ir.CheckMinLength:
		return utf8.RuneCountInString(v) >= n
	case ir.CheckMaxLength:
		return utf8.RuneCountInString(v) <= n
	case ir.CheckPattern:
		return regexp.MustCompile(c.Text).MatchString(v)
	case ir.CheckOneOf:
		return slices.Contains(c.Values, v)
	}
	return true
}
