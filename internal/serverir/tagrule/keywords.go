package tagrule

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
	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

// keywordRules is the vocabulary of the jsonschema tag.
var keywordRules = []keywordRule{
	{name: "required", flag: true, read: func(p *ruleParser, _ target,
		_ Word) string {
		p.r.Required = true
		return ""
	}},
	{name: "nullable", flag: true, read: func(p *ruleParser, _ target,
		_ Word) string {
		p.r.Nullable = true
		return ""
	}},
	{name: "title", read: func(_ *ruleParser, t target, w Word) string { t.Title = w.value; return "" }},
	{name: "description", read: func(p *ruleParser, _ target, w Word) string { p.r.Description = w.value; return "" }},
	{name: "readOnly", read: func(_ *ruleParser, t target, w Word) string { return readBool(&t.ReadOnly, w) }},
	{name: "writeOnly", read: func(_ *ruleParser, t target, w Word) string { return readBool(&t.WriteOnly, w) }},
	{name: "default", on: OnText | OnInt | OnFloat | OnBool | OnList, read: readDefault},
	{name: "example", many: true, on: OnText | OnWord | OnInt | OnFloat | OnBool, read: readExample},
	{name: "enum", many: true, on: OnText | OnInt | OnFloat, read: readEnum},
	{name: "minimum", on: OnInt | OnFloat, read: bound(ir.CheckMin, func(t target) *json.Number { return &t.Minimum })},
	{name: "maximum", on: OnInt | OnFloat, read: bound(ir.CheckMax, func(t target) *json.Number { return &t.Maximum })},
	{name: "exclusiveMinimum", on: OnInt | OnFloat, read: bound(ir.CheckAbove,
		func(t target) *json.Number { return &t.ExclusiveMinimum })},
	{name: "exclusiveMaximum", on: OnInt | OnFloat, read: bound(ir.CheckBelow,
		func(t target) *json.Number { return &t.ExclusiveMaximum })},
	{name: "multipleOf", on: OnInt | OnFloat, read: readMultiple},
	{name: "minLength", on: OnText, read: size(ir.CheckMinLength, func(t target) **uint64 { return &t.MinLength })},
	{name: "maxLength", on: OnText, read: size(ir.CheckMaxLength, func(t target) **uint64 { return &t.MaxLength })},
	{name: "pattern", on: OnText, read: readPattern},
	{name: "format", on: OnText | OnWord, read: readFormat},
	{name: "minItems", on: OnList, read: size(ir.CheckMinItems, func(t target) **uint64 { return &t.MinItems })},
	{name: "maxItems", on: OnList, read: size(ir.CheckMaxItems, func(t target) **uint64 { return &t.MaxItems })},
	{name: "uniqueItems", on: OnList, read: readUnique},
}

func readBool(to *bool, w Word) string {
	v, err := strconv.ParseBool(w.value)
	if err != nil {
		return "must be true or false"
	}
	*to = v
	return ""
}

// readValue reads a value of the class of t.
func readValue(t target, w Word) (v any, wrong string) {
	switch {
	case t.Has(OnInt | OnFloat):
		return number(t, w)
	case t.Has(OnBool):
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

func number(t target, w Word) (any, string) {
	n, wrong := t.number(w.value)
	return n, wrong
}

func readDefault(p *ruleParser, t target, w Word) string {
	list := t.Has(OnList)
	if list {
		t = target{*t.Elem, t.RuleSet}
		if !t.Has(OnText | OnInt | OnFloat | OnBool) {
			return p.useless(w, fmt.Sprintf("is not possible for lists of this type (%s)", t.Noun))
		}
	}
	v, wrong := readValue(t, w)
	if wrong != "" {
		return wrong
	}
	p.r.Fallback = append(p.r.Fallback, fmt.Sprint(v))
	if !list {
		p.r.Own.Default = v
		return ""
	}
	all, _ := p.r.Own.Default.([]any)
	all = append(all, v)
	p.r.Own.Default = all
	return ""
}

func readExample(_ *ruleParser, t target, w Word) string {
	v, wrong := readValue(t, w)
	if wrong == "" {
		t.Examples = append(t.Examples, v)
	}
	return wrong
}

func readEnum(p *ruleParser, t target, w Word) string {
	v, wrong := readValue(t, w)
	switch {
	case wrong != "":
		return wrong
	case slices.Contains(t.Enum, v):
		return p.useless(w, "has this value already")
	}
	t.Enum = append(t.Enum, v)
	i := slices.IndexFunc(t.Checks, func(c ir.Check) bool { return c.Kind == ir.CheckOneOf })
	if i < 0 {
		i = len(t.Checks)
		t.Checks = append(t.Checks, ir.Check{Kind: ir.CheckOneOf})
	}
	t.Checks[i].Values = append(t.Checks[i].Values, fmt.Sprint(v))
	return ""
}

// bound reads a limit of numbers.
func bound(kind ir.CheckKind, limit func(target) *json.Number) func(*ruleParser, target, Word) string {
	return func(_ *ruleParser, t target, w Word) string {
		n, wrong := t.number(w.value)
		if wrong != "" {
			return wrong
		}
		*limit(t) = n
		unsigned := t.Type.Underlying().(*types.Basic).Info()&types.IsUnsigned != 0
		if kind == ir.CheckMin && n == "0" && unsigned {
			return "" // nothing is less
		}
		t.Checks = append(t.Checks, ir.Check{Kind: kind, Text: n.String()})
		return ""
	}
}

func readMultiple(_ *ruleParser, t target, w Word) string {
	n, wrong := t.number(w.value)
	if wrong != "" {
		return wrong
	}
	if order, _ := jsonschema.CompareNumbers(n.String(), "0"); order <= 0 {
		return "must be more than 0"
	}
	if digits := strings.Trim(strings.ReplaceAll(jsonschema.Mantissa(n.String()), ".", ""), "0"); len(digits) > 18 {
		return "may have up to 18 digits"
	}
	t.MultipleOf = n
	t.Checks = append(t.Checks, ir.Check{Kind: ir.CheckMultiple, Text: n.String()})
	return ""
}

// maxSize is the largest limit of a length; Go's int must hold it everywhere.
const maxSize = 1<<31 - 1

// size reads a limit of a length.
func size(kind ir.CheckKind, limit func(target) **uint64) func(*ruleParser, target, Word) string {
	return func(_ *ruleParser, t target, w Word) string {
		n, err := strconv.ParseUint(w.value, 10, 64)
		if err != nil || n > maxSize {
			return fmt.Sprintf("must be a whole number from 0 to %d", maxSize)
		}
		*limit(t) = &n
		t.Checks = append(t.Checks, ir.Check{Kind: kind, Text: strconv.FormatUint(n, 10)})
		return ""
	}
}

func readPattern(p *ruleParser, t target, w Word) string {
	if _, err := regexp.Compile(w.value); err != nil {
		return fmt.Sprintf("is not a regular expression of Go (RE2): %v", err)
	}
	t.Pattern = w.value
	t.Checks = append(t.Checks, ir.Check{Kind: ir.CheckPattern, Text: w.value,
		Name: p.b.PatternName(p.f.Var().Name(), w.value)})
	return ""
}

// checkedFormats are the formats that generated code checks; others are documentation.
var checkedFormats = []string{"date-time", "date", "email", "uri", "uuid", "ipv4", "ipv6", "hostname"}

func readFormat(_ *ruleParser, t target, w Word) string {
	t.Format = w.value
	if t.Has(OnText) && slices.Contains(checkedFormats, w.value) {
		t.Checks = append(t.Checks, ir.Check{Kind: ir.CheckFormat, Text: w.value})
	}
	return ""
}

func readUnique(p *ruleParser, t target, w Word) string {
	if wrong := readBool(&t.Unique, w); wrong != "" || !t.Unique {
		return wrong
	}
	elem := types.Unalias(t.Type).Underlying().(interface{ Elem() types.Type }).Elem()
	// 1 and 1.0 are equal
	if _, basic := elem.Underlying().(*types.Basic); !basic || gotype.IsNamed(elem, "encoding/json", "Number") {
		return p.useless(w, fmt.Sprintf("is not possible for lists of this type (%s)", t.Elem.Noun))
	}
	t.Checks = append(t.Checks, ir.Check{Kind: ir.CheckUnique})
	return ""
}

// refuses says why the keywords do not allow a default; "" if they do.
func (r *RuleSet) refuses(v string, c Class) string {
	for _, check := range r.Checks {
		if !allows(check, v) {
			return "is not allowed by the other keywords"
		}
	}
	for _, value := range c.Values {
		if fmt.Sprint(value) == v {
			return ""
		}
	}
	if c.Values != nil {
		return "is not one of the constants"
	}
	return ""
}

// allows judges a default by one keyword.
func allows(c ir.Check, v string) bool {
	order, _ := jsonschema.CompareNumbers(v, c.Text)
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
