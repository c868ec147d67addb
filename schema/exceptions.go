package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
)

// Exceptions are the decisions about the merged protocol that cannot be computed from the
// schemas. Keys such as "Tool.inputSchema" name a property of a merged definition,
// "*.nextCursor" names it in every definition.
type Exceptions struct {
	Roles       []Role            `json:"roles"`
	Types       map[string]string `json:"types"`  // definition or property: any, object, id, error, string, number
	Mixins      []string          `json:"mixins"` // bases of the TypeScript source; left out while nothing refers to them
	Aliases     []Alias           `json:"aliases"`
	Names       map[string]string `json:"names"` // names of anonymous structs, enums and unions
	Meta        Meta              `json:"meta"`
	KeepEmpty   []string          `json:"keepEmpty"` // optional strings whose empty value has a meaning
	Defaults    map[string]string `json:"defaults"`  // written by the encoder when the field is empty
	Enums       []OpenEnum        `json:"enums"`     // enumerations that the schema spells as plain strings
	SkipMethods []SkipMethod      `json:"skipMethods"`
	Downgrades  []Downgrade       `json:"downgrades"`
	Order       []string          `json:"order"` // properties that come first, in this order
	Groups      []Group           `json:"groups"`
	Breaks      map[string]string `json:"breaks"` // what the generated package takes back, and why

	// These are in the tables of extensions only.
	From   map[string]string `json:"from"`   // who sends a method: client, server or both
	Since  string            `json:"since"`  // the first revision of the core that has the extension
	Prefix string            `json:"prefix"` // of definition names, which Go names leave out

	used map[string]bool
}

// Role names a definition whose members are the methods of one direction.
type Role struct {
	Name string `json:"name"`
	From string `json:"from"` // client or server
	Kind string `json:"kind"` // request or notification
}

// Alias renames a definition, if Kind is set only where it has that kind.
type Alias struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	To   string `json:"to"`
}

// Meta names the definitions that type the _meta property, by the role of its owner.
type Meta struct {
	Request      string `json:"request"`
	Notification string `json:"notification"`
	Result       string `json:"result"`
	Value        string `json:"value"`
}

// OpenEnum declares an enumeration for properties that the schema has as plain strings.
type OpenEnum struct {
	Name   string   `json:"name"`
	Fields []string `json:"fields"`
	Values []string `json:"values"`
}

// SkipMethod leaves a method out of the dispatcher in some revisions. One that has it later dispatches it.
type SkipMethod struct {
	Method    string   `json:"method"`
	Revisions []string `json:"revisions"`
}

// Downgrade says what a union member becomes for a revision that does not know it: a
// member To with the properties that both have. If there is a Field, it is the concatenation of
// Text ("$name" is the value of a property).
type Downgrade struct {
	Variant string   `json:"variant"`
	To      string   `json:"to"`
	Field   string   `json:"field"`
	Text    []string `json:"text"`
}

// Group assigns types to output files. The first group with a matching pattern wins.
type Group struct {
	Name  string   `json:"name"`
	Match []string `json:"match"`
}

// ParseExceptions reads an exceptions file. Unknown members are errors.
func ParseExceptions(data []byte) (*Exceptions, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	e := &Exceptions{used: map[string]bool{}}
	if err := dec.Decode(e); err != nil {
		return nil, fmt.Errorf("exceptions: %w", err)
	}
	return e, nil
}

// Type returns the fixed type of a definition or property.
func (e *Exceptions) Type(key string) (string, bool) {
	t, ok := e.Types[key]
	return t, e.mark(ok, "types "+key)
}

// Name returns the name of the anonymous type at a property.
func (e *Exceptions) Name(owner, property string) (string, bool) {
	key := owner + "." + property
	name, ok := e.Names[key]
	return name, e.mark(ok, "names "+key)
}

// Alias returns the name under which a definition of the given kind is merged.
func (e *Exceptions) Alias(name, kind string) string {
	for _, a := range e.Aliases {
		if a.Name == name && (a.Kind == "" || a.Kind == kind) {
			e.mark(true, "aliases "+name)
			return a.To
		}
	}
	return name
}

// IsMixin reports whether an unreferenced definition is left out.
func (e *Exceptions) IsMixin(name string) bool {
	return e.mark(slices.Contains(e.Mixins, name), "mixins "+name)
}

// IsSkipped reports whether a method is left out of the dispatcher in a revision.
func (e *Exceptions) IsSkipped(method, revision string) bool {
	return e.mark(slices.ContainsFunc(e.SkipMethods, func(s SkipMethod) bool {
		return s.Method == method && slices.Contains(s.Revisions, revision)
	}), "skipMethods "+method)
}

// KeepsEmpty reports whether the empty value of an optional string has a meaning.
func (e *Exceptions) KeepsEmpty(owner, property string) bool {
	for _, key := range keys(owner, property) {
		if slices.Contains(e.KeepEmpty, key) {
			return e.mark(true, "keepEmpty "+key)
		}
	}
	return false
}

// Break returns the reason for which something that was given may change, or "".
func (e *Exceptions) Break(what string) string {
	reason := e.Breaks[what]
	e.mark(reason != "", "breaks "+what)
	return reason
}

// Default returns what the encoder writes for an empty required property, and whether there is an entry for it, if only
// to say that it may be empty.
func (e *Exceptions) Default(owner, property string) (text string, ok bool) {
	for _, key := range keys(owner, property) {
		if text, ok = e.Defaults[key]; ok {
			return text, e.mark(true, "defaults "+key)
		}
	}
	return "", false
}

// OpenEnum returns the declared enumeration of a string property.
func (e *Exceptions) OpenEnum(owner, property string) (OpenEnum, bool) {
	for _, o := range e.Enums {
		for _, key := range keys(owner, property) {
			if slices.Contains(o.Fields, key) {
				return o, e.mark(true, "enums "+o.Name)
			}
		}
	}
	return OpenEnum{}, false
}

// Downgrade returns the replacement of a union member for older revisions.
func (e *Exceptions) Downgrade(variant string) (Downgrade, bool) {
	for _, d := range e.Downgrades {
		if d.Variant == variant {
			return d, e.mark(true, "downgrades "+variant)
		}
	}
	return Downgrade{}, false
}

func keys(owner, property string) []string {
	return []string{owner + "." + property, "*." + property}
}

func (e *Exceptions) mark(ok bool, key string) bool {
	if ok {
		e.used[key] = true
	}
	return ok
}

// Unused returns the entries that nothing has asked for since the file was parsed.
// With the committed schemas it must be empty.
func (e *Exceptions) Unused() []string {
	var all []string
	add := func(section string, names ...string) {
		for _, n := range names {
			all = append(all, section+" "+n)
		}
	}
	for _, m := range []struct {
		section string
		entries map[string]string
	}{{"types", e.Types}, {"names", e.Names}, {"defaults", e.Defaults}, {"breaks", e.Breaks}, {"from", e.From}} {
		for name := range m.entries {
			add(m.section, name)
		}
	}
	for _, a := range e.Aliases {
		add("aliases", a.Name)
	}
	for _, o := range e.Enums {
		add("enums", o.Name)
	}
	for _, d := range e.Downgrades {
		add("downgrades", d.Variant)
	}
	add("mixins", e.Mixins...)
	for _, s := range e.SkipMethods {
		add("skipMethods", s.Method)
	}
	add("keepEmpty", e.KeepEmpty...)
	all = slices.DeleteFunc(all, func(key string) bool { return e.used[key] })
	sort.Strings(all)
	return all
}
