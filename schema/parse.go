package schema

import (
	"slices"
	"strings"
	"unicode"
)

// Parse reads an official schema file or a facts file. Both give the same model.
// The error of a bad file is an [*Error] with the place of the mistake.
func Parse(file, revision string, data []byte) (*Schema, error) {
	doc, err := parseJSON(file, data)
	if err != nil {
		return nil, err
	}
	_, defs, err := container(doc)
	if err != nil {
		return nil, err
	}
	p := &parser{s: &Schema{Revision: revision, File: file}, names: map[string]bool{}, keywords: keywords()}
	for _, m := range defs.members {
		p.names[m.name] = true
	}
	for _, m := range defs.sorted() {
		if !isName(m.name) {
			return nil, Errorf(m.pos, "definition name %q has more than letters, digits and _, which Go names are "+
				"made of; name it otherwise", m.name)
		}
		n, err := p.node(m.value)
		if err != nil {
			return nil, err
		}
		p.s.Defs = append(p.s.Defs, &Def{Name: m.name, Node: n})
	}
	p.s.index()
	if err := p.s.checkParts(); err != nil {
		return nil, err
	}
	return p.s, nil
}

// container returns the map of definitions and the keyword that holds it.
func container(doc *value) (string, *value, error) {
	if doc.kind != kindObject {
		return "", nil, Errorf(doc.pos, "a schema file must be an object with $defs or definitions")
	}
	old, now := doc.get("definitions"), doc.get("$defs")
	switch {
	case old != nil && now != nil:
		return "", nil, Errorf(now.pos, "both $defs and definitions are present; keep one")
	case old == nil && now == nil:
		return "", nil, Errorf(doc.pos, "neither $defs nor definitions is present; is this a schema.json of MCP?")
	}
	key, defs := "$defs", now
	if now == nil {
		key, defs = "definitions", old
	}
	if defs.kind != kindObject {
		return "", nil, Errorf(defs.pos, "%s must be an object", key)
	}
	if len(defs.members) == 0 {
		return "", nil, Errorf(defs.pos, "%s has no definitions", key)
	}
	return key, defs, nil
}

type parser struct {
	s        *Schema
	names    map[string]bool
	keywords map[string]keywordFunc
}

// node reads one schema: an object, true, which stands for {}, or false, which no value fits.
func (p *parser) node(v *value) (*Node, error) {
	n := &Node{Pos: v.pos}
	if v.kind == kindBool {
		n.Never = v.text == "false"
		return n, nil
	}
	if v.kind != kindObject {
		return nil, Errorf(v.pos, "expected a schema: an object, true or false")
	}
	for _, m := range v.members {
		read, known := p.keywords[m.name]
		switch {
		case known:
			if err := read(p, n, m.value); err != nil {
				return nil, err
			}
		case slices.Contains(ruleKeywords, m.name):
			if n.Rules == nil {
				n.Rules = map[string]string{}
			}
			n.Rules[m.name] = flat(m.value)
		case !slices.Contains(ignored, m.name):
			p.s.Warnings = append(p.s.Warnings, Warnf(m.pos, "keyword %q is not understood and was ignored", m.name))
		}
	}
	p.checkRequired(n)
	return n, p.besideRef(n, v)
}

// besideRef gives a meaning to what stands beside a $ref: members are added to it as allOf would, a constant says all
// there is to say, and values are left to the definition, which has them. Anything else is an error.
func (p *parser) besideRef(n *Node, v *value) error {
	if n.Ref == "" {
		return nil
	}
	for _, keyword := range []string{"anyOf", "oneOf", "items", "additionalProperties"} {
		if m := v.get(keyword); m != nil && (keyword != "additionalProperties" || n.Additional != nil) {
			return Errorf(m.pos, "%q beside $ref is not supported; write it into the definition, or make both members of "+
				"an allOf", keyword)
		}
	}
	switch {
	case n.Const != nil:
		n.Ref = ""
	case n.Declared || len(n.Required) > 0 || len(n.AllOf) > 0:
		n.AllOf = append([]*Node{{Pos: v.get("$ref").pos, Ref: n.Ref}}, n.AllOf...)
		n.Ref = ""
	default:
		n.Types = nil // they repeat what the $ref says
	}
	n.Format, n.Enum = "", nil
	return nil
}

// checkRequired warns of names that are required and not there.
func (p *parser) checkRequired(n *Node) {
	if !n.Declared {
		return
	}
	for _, name := range n.Required {
		if n.Property(name) == nil {
			p.s.Warnings = append(p.s.Warnings, Warnf(n.Pos, "required property %q is not declared", name))
		}
	}
}

type keywordFunc func(*parser, *Node, *value) error

// ignored are keywords that say nothing about values.
var ignored = []string{"description", "title", "$comment", "examples", "$schema", "$id"}

// ruleKeywords say nothing about the Go type; they are kept for the differences between revisions.
var ruleKeywords = []string{
	"default", "deprecated", "exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maximum", "minItems",
	"minLength",
	"minimum", "multipleOf", "pattern", "propertyNames", "readOnly", "uniqueItems", "writeOnly",
}

// keywords returns what reads the value of each keyword that is understood.
func keywords() map[string]keywordFunc {
	return map[string]keywordFunc{
		"$ref": (*parser).ref, "type": (*parser).types, "const": (*parser).constant, "enum": (*parser).enum,
		"format": (*parser).format, "properties": (*parser).properties, "required": (*parser).required,
		"items": (*parser).items, "anyOf": (*parser).anyOf, "oneOf": (*parser).anyOf, "allOf": (*parser).allOf,
		"additionalProperties": (*parser).additional, "not": (*parser).not,
	}
}

func (p *parser) ref(n *Node, v *value) error {
	if v.kind != kindString {
		return Errorf(v.pos, "$ref must be a string")
	}
	name, ok := strings.CutPrefix(v.text, "#/$defs/")
	if !ok {
		name, ok = strings.CutPrefix(v.text, "#/definitions/")
	}
	if !ok {
		return Errorf(v.pos, "$ref %q does not name a definition of this file", v.text)
	}
	if outer, _, inside := strings.Cut(name, "/"); inside && p.names[outer] {
		return Errorf(v.pos, "$ref points at %q, a part of %s; give the part a definition of its own, and refer to that",
			name, outer)
	}
	if !p.names[name] {
		return Errorf(v.pos, "$ref names %q, which is not defined", name)
	}
	n.Ref = name
	return nil
}

var typeNames = []string{"string", "integer", "number", "boolean", "object", "array", "null"}

func (p *parser) types(n *Node, v *value) error {
	names, err := stringList(v, "type")
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.Contains(typeNames, name) {
			return Errorf(v.pos, "type %q is not one of %s", name, strings.Join(typeNames, ", "))
		}
	}
	n.Types = names
	return nil
}

// stringList reads "a" or ["a", "b"].
func stringList(v *value, what string) ([]string, error) {
	if v.kind == kindString {
		return []string{v.text}, nil
	}
	if v.kind != kindArray {
		return nil, Errorf(v.pos, "%s must be a string or a list of strings", what)
	}
	var out []string
	for _, item := range v.items {
		if item.kind != kindString {
			return nil, Errorf(item.pos, "%s may hold only strings", what)
		}
		out = append(out, item.text)
	}
	return out, nil
}

func (p *parser) constant(n *Node, v *value) error {
	lit, err := literal(v)
	n.Const = &lit
	return err
}

func literal(v *value) (Literal, error) {
	if v.kind == kindArray || v.kind == kindObject {
		return Literal{}, Errorf(v.pos, "only strings, numbers, booleans and null are supported as constants")
	}
	if v.kind == kindNull {
		return Literal{Text: "null"}, nil
	}
	return Literal{Text: v.text, String: v.kind == kindString}, nil
}

func (p *parser) enum(n *Node, v *value) error {
	if v.kind != kindArray || len(v.items) == 0 {
		return Errorf(v.pos, "enum must be a list with at least one value")
	}
	seen := map[Literal]bool{}
	for _, item := range v.items {
		lit, err := literal(item)
		if err != nil {
			lit = Literal{Text: flat(item)} // the Go type is any value
		}
		if seen[lit] {
			return Errorf(item.pos, "enum value %q appears twice", lit.Text)
		}
		seen[lit] = true
		n.Enum = append(n.Enum, lit)
	}
	return nil
}

func (p *parser) format(n *Node, v *value) error {
	if v.kind != kindString {
		return Errorf(v.pos, "format must be a string")
	}
	n.Format = v.text
	return nil
}

// properties reads a map of data names: none of them is a keyword here.
func (p *parser) properties(n *Node, v *value) error {
	if v.kind != kindObject {
		return Errorf(v.pos, "properties must be an object")
	}
	n.Declared = true
	for _, m := range v.sorted() {
		sub, err := p.node(m.value)
		if err != nil {
			return err
		}
		n.Properties = append(n.Properties, &Property{Name: m.name, Pos: m.pos, Node: sub})
	}
	return nil
}

func (p *parser) required(n *Node, v *value) error {
	if v.kind != kindArray {
		return Errorf(v.pos, "required must be a list of property names")
	}
	names, err := stringList(v, "required")
	n.Required = names
	return err
}

func (p *parser) items(n *Node, v *value) error {
	sub, err := p.node(v)
	n.Items = sub
	return err
}

func (p *parser) anyOf(n *Node, v *value) error {
	list, err := p.list(v)
	possible := slices.DeleteFunc(list, func(alternative *Node) bool { return alternative.Never })
	n.Never = len(possible) == 0
	n.AnyOf = append(n.AnyOf, possible...)
	return err
}

func (p *parser) allOf(n *Node, v *value) (err error) {
	n.AllOf, err = p.list(v)
	return err
}

func (p *parser) list(v *value) ([]*Node, error) {
	if v.kind != kindArray || len(v.items) == 0 {
		return nil, Errorf(v.pos, "expected a list of at least one schema")
	}
	var out []*Node
	for _, item := range v.items {
		sub, err := p.node(item)
		if err != nil {
			return nil, err
		}
		out = append(out, sub)
	}
	return out, nil
}

func (p *parser) additional(n *Node, v *value) error {
	if v.kind == kindBool || len(v.members) == 0 {
		n.Open, n.Closed = v.text != "false", v.text == "false"
		return nil
	}
	sub, err := p.node(v)
	n.Additional = sub
	return err
}

// not reads what a value must not be. Only one form of it says something about a Go type: {}, which every value is.
func (p *parser) not(n *Node, v *value) error {
	if v.kind == kindObject && len(v.members) == 0 || v.kind == kindBool && v.text == "true" {
		n.Never = true
		return nil
	}
	p.s.Warnings = append(p.s.Warnings, Warnf(v.pos, "keyword %q is understood for {} only and was ignored", "not"))
	return nil
}

// isName reports whether a Go name can be made of s.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_'
	})
}
