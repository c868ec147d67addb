// Package tagrule reads the tags of struct fields: their names in JSON, and the keywords that limit their values.
package tagrule

import (
	"cmp"
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
)

// Needs reports whether a member must be there.
func (r *Rules) Needs(f *Field) bool {
	return r.Required || !f.optional && r.Fallback == nil
}

// Read reads the tags of a field, whose values are of the class own. Mistakes are reported to w, unless that is nil.
func (b *Reader) Read(f *Field, own Class, w *Mistakes) *Rules {
	r := &Rules{Description: f.Tag.Get("jsonschema_description")}
	p := &ruleParser{b: b, w: w, f: f, r: r, seen: map[string]Word{}}
	p.own = own
	words := b.Words(f.Var(), f.Tag, "jsonschema")
	for i, word := range words {
		p.rest = words[i+1:]
		if IsProse(word) {
			p.isText(word)
			break
		}
		p.word(word)
		p.before = word
	}
	p.conflicts()
	p.mcpTag()
	return r
}

// foreign are keywords of the vocabulary that generated code could not check.
var foreign = []string{"oneof_required", "anyof_required", "oneof_ref", "anyof_ref", "oneof_type", "anyof_type", "type",
	"anchor", "-"}

// word reads one keyword.
func (p *ruleParser) word(w Word) {
	i := slices.IndexFunc(keywordRules, func(k keywordRule) bool { return k.name == w.name })
	if i < 0 {
		p.unknown(w)
		return
	}
	k := keywordRules[i]
	first, twice := p.seen[k.name]
	p.seen[k.name] = w
	t := target{p.own, &p.r.Own}
	if p.own.Has(OnList) && k.on != 0 && k.on&OnList == 0 {
		t = target{*p.own.Elem, &p.r.Elem}
	}
	many := k.many || k.name == "default" && p.own.Has(OnList)
	switch {
	case twice && !many:
		p.report("MCP106", w, fmt.Sprintf("`%s` given twice", w.said()), "remove one", p.related(first)...)
	case k.flag && w.valued:
		p.report("MCP109", w, fmt.Sprintf("`%s` takes no value", w.said()), w.said())
	case !k.flag && (!w.valued || w.value == ""):
		p.report("MCP109", w, fmt.Sprintf("`%s` needs a value", w.said()), p.sample(w))
	case k.on != 0 && !t.Has(k.on):
		p.report("MCP406", w, fmt.Sprintf("`%s` is for %s, and field %s is %s", w.said(), k.on, p.f.Var().Name(), p.own.Noun),
			"remove it")
	default:
		if wrong := k.read(p, t, w); wrong != "" {
			p.reportValue(w, wrong)
		}
	}
}

// IsProse reports whether a word is a description, which other libraries read from this tag. What follows
// its first comma belongs to it too.
func IsProse(w Word) bool {
	return !w.valued && strings.Contains(strings.TrimSpace(w.name), " ")
}

// Prose reports a description in the tag of a field.
func (b *Reader) Prose(f *Field, word Word, w *Mistakes) {
	p := &ruleParser{b: b, w: w, f: f}
	p.isText(word)
}

// isText reports a description.
func (p *ruleParser) isText(w Word) {
	p.report("MCP104", w, "`jsonschema` holds keywords, and this is a text",
		cmp.Or(p.commaOf(), fmt.Sprintf("write it as the doc comment of field %s", p.f.Var().Name())))
}

// unknown reports a word that is no keyword. What is proposed fits the field if something near does.
func (p *ruleParser) unknown(w Word) {
	var known, fitting []string
	for _, k := range keywordRules {
		known = append(known, k.name)
		if k.on == 0 || p.own.Has(k.on) {
			fitting = append(fitting, k.name)
		}
	}
	if slices.Contains(foreign, w.name) {
		p.report("MCP804", w, fmt.Sprintf("`%s` in a jsonschema tag is not supported by this version of mcpgen yet", w.name),
			"remove it")
		return
	}
	better := cmp.Or(p.commaOf(), "one of: "+strings.Join(known, " "))
	if near := cmp.Or(directive.Nearest(w.name, fitting), directive.Nearest(w.name, known)); near != "" {
		better = near
		if w.valued {
			better += "=" + w.value
		}
	}
	p.report("MCP104", w, fmt.Sprintf("`jsonschema` has no keyword `%s`", w.name), better)
}

// conflicts judges keywords that do not fit each other.
func (p *ruleParser) conflicts() {
	for _, pair := range [][2]string{
		{"minimum", "maximum"}, {"minimum", "exclusiveMaximum"}, {"exclusiveMinimum", "maximum"}, {"exclusiveMinimum",
			"exclusiveMaximum"},
		{"minLength", "maxLength"}, {"minItems", "maxItems"},
	} {
		low, lok := p.seen[pair[0]]
		high, hok := p.seen[pair[1]]
		if !lok || !hok {
			continue
		}
		order, ok := jsonschema.CompareNumbers(low.value, high.value)
		strict := strings.HasPrefix(pair[0]+pair[1], "exclusive") || strings.Contains(pair[1], "exclusive")
		if ok && (order > 0 || order == 0 && strict) {
			p.report("MCP406", high, fmt.Sprintf("no value is allowed by `%s=%s` and `%s=%s`", low.said(), low.value,
				high.said(), high.value),
				"change one of them", p.related(low)...)
		}
	}
	p.fallbackFits()
	if w, ok := p.seen["enum"]; ok && p.own.Values != nil {
		p.report("MCP406", w, fmt.Sprintf("the values of field %s are the constants of its type", p.f.Var().Name()),
			"remove it")
	}
	if w, ok := p.seen["nullable"]; ok {
		if _, pointer := p.f.Var().Type().Underlying().(*types.Pointer); !pointer && !p.canBeNil() {
			p.report("MCP406", w, fmt.Sprintf("`nullable` is for pointers, lists and maps, and field %s is %s",
				p.f.Var().Name(), p.own.Noun), "make it a pointer")
		}
	}
}

// canBeNil reports whether the value of the field is a slice or a map.
func (p *ruleParser) canBeNil() bool {
	_, array := p.own.Type.Underlying().(*types.Array)
	return p.own.Has(OnList|OnMap) && !array
}

// fallbackFits judges whether a default is a value that would be accepted.
func (p *ruleParser) fallbackFits() {
	w, ok := p.seen["default"]
	if !ok {
		return
	}
	if first, both := p.seen["required"]; both {
		p.report("MCP406", w, "a `required` member never has its `default`", "remove one of them", p.related(first)...)
	}
	rules, c := &p.r.Own, p.own
	if c.Has(OnList) {
		rules, c = &p.r.Elem, *c.Elem
		n := uint64(len(p.r.Fallback))
		array, fixed := p.own.Type.Underlying().(*types.Array)
		if k := p.r.Own.Keywords; k.MinItems != nil && n < *k.MinItems || k.MaxItems != nil && n > *k.MaxItems ||
			fixed && int64(n) != array.Len() {
			p.report("MCP406", w, "the `default` has too few or too many elements", "write `default=` once for each element")
		}
	}
	for _, v := range p.r.Fallback {
		if wrong := rules.refuses(v, c); wrong != "" {
			p.report("MCP406", w, fmt.Sprintf("the default `%s` %s", v, wrong), "change one of them")
			return
		}
	}
}

// report adds a diagnostic about a word of the tag.
func (p *ruleParser) report(code string, w Word, message, better string, options ...report.Option) {
	p.reportAt(code, w.From, w.to, message, better, options...)
}

// reportValue is report for the value of a word.
func (p *ruleParser) reportValue(w Word, message string) {
	p.reportAt("MCP109", w.at, w.to, fmt.Sprintf("`%s` %s", w.said(), message), p.sample(w))
}

// useless is reportValue for a word that no value makes right. It returns that there is nothing more to say.
func (p *ruleParser) useless(w Word, message string) (wrong string) {
	p.reportAt("MCP109", w.at, w.to, fmt.Sprintf("`%s` %s", w.said(), message), "remove it")
	return ""
}

// commaOf says how the comma in front of a word is written if it belongs to the value before; "" if nothing has one.
func (p *ruleParser) commaOf() string {
	texts := []string{"title", "description", "default", "example", "enum", "pattern", "format"}
	if !slices.Contains(texts, p.before.name) {
		return ""
	}
	return fmt.Sprintf("if it belongs to `%s`, write a backslash twice before the comma: \\\\,", p.before.name)
}

// sample is a word with a value that it can have, for messages.
func (p *ruleParser) sample(w Word) string {
	c, value := p.own, sampleOf[w.name]
	if c.Has(OnList) {
		c = *c.Elem
	}
	switch w.name {
	case "default", "example", "enum":
		switch {
		case c.Values != nil:
			value = fmt.Sprint(c.Values[0])
		case c.Has(OnBool):
			value = "true"
		case c.Has(OnText | OnWord):
			value = "text"
		}
	case "pattern":
		if longer, ok := p.withComma(w); ok {
			value = longer
		}
	}
	if p.b.ArgLineOf[p.f.Var()] != nil {
		return w.said() + "=" + value
	}
	return w.name + "=" + strings.NewReplacer(`\`, `\\`, `"`, `\"`, ",", `\\,`).Replace(value)
}

// withComma is a pattern together with the word behind it, if that is the rest of it.
func (p *ruleParser) withComma(w Word) (pattern string, ok bool) {
	if !w.valued || w.value == "" || len(p.rest) == 0 || p.rest[0].valued {
		return "", false
	}
	pattern = w.value + "," + p.rest[0].name
	_, err := regexp.Compile(pattern)
	return pattern, err == nil
}

// sampleOf are values of keywords that messages propose.
var sampleOf = map[string]string{
	"minimum": "1", "maximum": "100", "exclusiveMinimum": "0", "exclusiveMaximum": "1", "multipleOf": "5",
	"minLength": "1", "maxLength": "80",
	"minItems": "1", "maxItems": "10", "uniqueItems": "true", "readOnly": "true", "writeOnly": "true",
	"pattern": "^[a-z]+$", "default": "10", "example": "10", "enum": "10",
	"title": "Name", "description": "Text", "format": "email",
}
