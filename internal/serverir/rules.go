package serverir

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
)

// fieldRules is what the tags of a field of an input say beyond its name.
type fieldRules struct {
	required, nullable bool
	description        string
	// enumNames says that a form shows the titles of choices in the old way.
	enumNames bool
	// header is the HTTP header that mirrors the field; empty for none.
	header string
	// own and elem are the keywords of the value and of its elements.
	own, elem ruleSet
	// fallback is the value of a member that is left out; nil for the zero value.
	fallback []string
}

// ruleSet are keywords in both forms: for the schema, and for generated code.
type ruleSet struct {
	jsonschema.Keywords
	checks []ir.Check
}

// words returns the keywords for a schema.
func (r *ruleSet) words() *jsonschema.Keywords { return &r.Keywords }

// needs reports whether a member must be there.
func (r *fieldRules) needs(f *jsonField) bool {
	return r.required || !f.optional && r.fallback == nil
}

// rulesOf reads the tags of a field. Mistakes are reported to w, unless that is nil.
func (b *serverBuilder) rulesOf(f *jsonField, w *jsonChecker) *fieldRules {
	r := &fieldRules{description: f.tag.Get("jsonschema_description")}
	p := &ruleParser{b: b, w: w, f: f, r: r, seen: map[string]tagWord{}}
	p.own = b.classOfField(f)
	for _, word := range b.tagWords(f.field(), f.tag, "jsonschema") {
		if isProse(word) {
			p.isText(word)
			break
		}
		p.word(word)
	}
	p.together()
	p.mcpTag()
	return r
}

// ruleParser reads the words of one tag.
type ruleParser struct {
	b    *serverBuilder
	w    *jsonChecker
	f    *jsonField
	r    *fieldRules
	own  keywordClass
	seen map[string]tagWord
}

// target is what a keyword limits: the value, or the elements of a list.
type target struct {
	keywordClass
	*ruleSet
}

// keywordRule is one keyword of the jsonschema tag.
type keywordRule struct {
	name string
	// on are the classes of values that it is for; 0 for all.
	on keywordClasses
	// flag says that it has no value, many that it may be repeated.
	flag, many bool
	// read takes the value and returns what is wrong with it, or "".
	read func(p *ruleParser, t target, w tagWord) string
}

// foreign are keywords of the vocabulary that generated code could not check.
var foreign = []string{"oneof_required", "anyof_required", "oneof_ref", "anyof_ref", "oneof_type", "anyof_type", "type",
	"anchor", "-"}

// word reads one keyword.
func (p *ruleParser) word(w tagWord) {
	i := slices.IndexFunc(keywordRules, func(k keywordRule) bool { return k.name == w.name })
	if i < 0 {
		p.unknown(w)
		return
	}
	k := keywordRules[i]
	first, twice := p.seen[k.name]
	p.seen[k.name] = w
	t := target{p.own, &p.r.own}
	if p.own.has(onList) && k.on != 0 && k.on&onList == 0 {
		t = target{*p.own.elem, &p.r.elem}
	}
	many := k.many || k.name == "default" && p.own.has(onList)
	switch {
	case twice && !many:
		p.report("MCP106", w, fmt.Sprintf("`%s` given twice", w.name), "remove one", p.related(first)...)
	case k.flag && w.valued:
		p.report("MCP109", w, fmt.Sprintf("`%s` takes no value", w.name), w.name)
	case !k.flag && (!w.valued || w.value == ""):
		p.report("MCP109", w, fmt.Sprintf("`%s` needs a value", w.name), w.name+"=…")
	case k.on != 0 && !t.has(k.on):
		p.report("MCP406", w, fmt.Sprintf("`%s` is for %s, and field %s is %s", w.name, k.on, p.f.field().Name(), p.own.noun),
			"remove it")
	default:
		if wrong := k.read(p, t, w); wrong != "" {
			p.reportValue(w, wrong)
		}
	}
}

// isProse reports whether a word is a description, which other libraries read from this tag. What follows
// its first comma belongs to it too.
func isProse(w tagWord) bool {
	return !w.valued && strings.Contains(strings.TrimSpace(w.name), " ")
}

// isText reports a description.
func (p *ruleParser) isText(w tagWord) {
	p.report("MCP104", w, "`jsonschema` holds keywords, and this is a text",
		fmt.Sprintf("write it as the doc comment of field %s", p.f.field().Name()))
}

// unknown reports a word that is no keyword. What is proposed fits the field if something near does.
func (p *ruleParser) unknown(w tagWord) {
	var known, fitting []string
	for _, k := range keywordRules {
		known = append(known, k.name)
		if k.on == 0 || p.own.has(k.on) {
			fitting = append(fitting, k.name)
		}
	}
	if slices.Contains(foreign, w.name) {
		p.report("MCP804", w, fmt.Sprintf("`%s` in a jsonschema tag is not supported by this version of mcpgen yet", w.name),
			"remove it")
		return
	}
	better := "one of: " + strings.Join(known, " ")
	if near := cmp.Or(directive.Nearest(w.name, fitting), directive.Nearest(w.name, known)); near != "" {
		better = near
	}
	p.report("MCP104", w, fmt.Sprintf("`jsonschema` has no keyword `%s`", w.name), better)
}

// together judges keywords that do not fit each other.
func (p *ruleParser) together() {
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
		order, ok := compareNumbers(low.value, high.value)
		strict := strings.HasPrefix(pair[0]+pair[1], "exclusive") || strings.Contains(pair[1], "exclusive")
		if ok && (order > 0 || order == 0 && strict) {
			p.report("MCP406", high, fmt.Sprintf("no value is allowed by `%s=%s` and `%s=%s`", low.name, low.value, high.name,
				high.value),
				"change one of them", p.related(low)...)
		}
	}
	p.fallbackFits()
	if w, ok := p.seen["enum"]; ok && p.own.values != nil {
		p.report("MCP406", w, fmt.Sprintf("the values of field %s are the constants of its type", p.f.field().Name()),
			"remove it")
	}
	if w, ok := p.seen["nullable"]; ok {
		if _, pointer := p.f.field().Type().Underlying().(*types.Pointer); !pointer && !p.canBeNil() {
			p.report("MCP406", w, fmt.Sprintf("`nullable` is for pointers, lists and maps, and field %s is %s",
				p.f.field().Name(), p.own.noun), "make it a pointer")
		}
	}
}

// canBeNil reports whether the value of the field is a slice or a map.
func (p *ruleParser) canBeNil() bool {
	_, array := p.own.typ.Underlying().(*types.Array)
	return p.own.has(onList|onMap) && !array
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
	rules, c := &p.r.own, p.own
	if c.has(onList) {
		rules, c = &p.r.elem, *c.elem
		n := uint64(len(p.r.fallback))
		array, fixed := p.own.typ.Underlying().(*types.Array)
		if k := p.r.own.Keywords; k.MinItems != nil && n < *k.MinItems || k.MaxItems != nil && n > *k.MaxItems ||
			fixed && int64(n) != array.Len() {
			p.report("MCP406", w, "the `default` has too few or too many elements", "write `default=` once for each element")
		}
	}
	for _, v := range p.r.fallback {
		if wrong := rules.refuses(v, c); wrong != "" {
			p.report("MCP406", w, fmt.Sprintf("the default `%s` %s", v, wrong), "change one of them")
			return
		}
	}
}

// report adds a diagnostic about a word of the tag.
func (p *ruleParser) report(code string, w tagWord, message, better string, options ...option) {
	p.reportAt(code, w.from, w.to, message, better, options...)
}

// reportValue is report for the value of a word.
func (p *ruleParser) reportValue(w tagWord, message string) {
	p.reportAt("MCP109", w.at, w.to, fmt.Sprintf("`%s` %s", w.name, message), w.name+"="+cmp.Or(sampleOf[w.name], "…"))
}

// sampleOf are values of keywords that messages propose.
var sampleOf = map[string]string{
	"minimum": "1", "maximum": "100", "exclusiveMinimum": "0", "exclusiveMaximum": "1", "multipleOf": "5",
	"minLength": "1", "maxLength": "80",
	"minItems": "1", "maxItems": "10", "uniqueItems": "true", "readOnly": "true", "writeOnly": "true",
	"pattern": "^[a-z]+$", "default": "10", "example": "10", "enum": "10",
}
