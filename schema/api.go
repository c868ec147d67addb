package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// API records what the generated package has given to those who use it: the Go names and types of all that is
// exported. It only grows. The keys are the names of the wire, so that a definition which a newer revision calls
// otherwise is found at its place.
type API struct {
	// Founding are the revisions that were merged together, the newest leading.
	Founding []string `json:"founding"`
	// Added are the revisions that came later, in the order in which they came. What was there before leads.
	Added []string `json:"added"`
	// Types are the definitions by their name.
	Types map[string]APIType `json:"types"`
	// Methods are the requests and notifications by their name in messages.
	Methods map[string]APIMethod `json:"methods"`
	// Codes are Go names by "name code" of an error.
	Codes map[string]string `json:"codes"`
	// Extensions are the records of the packages of extensions by their identifier. Their revisions are versions.
	Extensions map[string]*API `json:"extensions,omitempty"`
}

// APIType is what a definition has given: nothing for one that is not in the record. Which of the maps has entries
// depends on the kind.
type APIType struct {
	Go   string `json:"go"`
	Kind string `json:"kind"` // struct, enum, union or alias
	// Type is the Go type that an alias stands for.
	Type string `json:"type,omitempty"`
	// Fields are "GoName GoType" by the name of the property, "= value" for a constant. The second field of one
	// property has the key "property#2".
	Fields map[string]string `json:"fields,omitempty"`
	// Values are the Go names of the constants by their value.
	Values map[string]string `json:"values,omitempty"`
	// Members are the Go names of the structs of a union.
	Members []string `json:"members,omitempty"`
}

// APIMethod is what a method has given: nothing for one that is not in the record.
type APIMethod struct {
	Const   string   `json:"const"`             // Go name of the constant
	Handler string   `json:"handler,omitempty"` // Go name of the method of the handler, if clients send it
	Params  string   `json:"params,omitempty"`  // its parameter as a Go type
	Results []string `json:"results,omitempty"` // Go names of the structs that answer it
}

// ParseAPI reads a record. No data is an empty record: every revision is a founding one.
func ParseAPI(data []byte) (*API, error) {
	a := &API{}
	if len(data) == 0 {
		return a, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(a); err != nil {
		return nil, fmt.Errorf("schema/api.json: %w", err)
	}
	return a, nil
}

// Format prints the record as schema/api.json has it.
func (a *API) Format() ([]byte, error) {
	return encode(a, "\t")
}

// FieldKey is the key of the i-th field of a property, i counting from 0.
func FieldKey(property string, i int) string {
	if i == 0 {
		return property
	}
	return fmt.Sprintf("%s#%d", property, i+1)
}

// Sequence returns the dates of revisions in the order in which they are merged, and how many of them lead together:
// the founding ones, newest first, then those that were added, then those that the record does not know, oldest first.
// If it knows none of the founding ones, all of them are.
func (a *API) Sequence(dates []string) (order []string, founding int) {
	newestFirst := slices.Sorted(slices.Values(dates))
	slices.Reverse(newestFirst)
	for _, d := range newestFirst {
		if slices.Contains(a.Founding, d) {
			order = append(order, d)
		}
	}
	if founding = len(order); founding == 0 {
		return newestFirst, len(newestFirst)
	}
	for _, d := range a.Added {
		if slices.Contains(dates, d) {
			order = append(order, d)
		}
	}
	for _, d := range slices.Backward(newestFirst) {
		if !slices.Contains(order, d) {
			order = append(order, d)
		}
	}
	return order, founding
}

// For returns the record that applies to revisions of these dates: an empty one if it knows none of them.
func (a *API) For(dates []string) *API {
	if slices.ContainsFunc(dates, func(d string) bool { return slices.Contains(a.Founding, d) }) {
		return a
	}
	return &API{}
}

// Complete reports whether dates has every revision of the record.
func (a *API) Complete(dates []string) bool {
	return len(a.Founding) > 0 && !slices.ContainsFunc(slices.Concat(a.Founding, a.Added),
		func(d string) bool { return !slices.Contains(dates, d) })
}

// Lost compares the record with what is given now, and lists what is not there any more or has changed, in order.
func (a *API) Lost(now *API) []string {
	var out []string
	differs := func(key, before, after string) {
		switch {
		case before == "" || before == after:
		case after == "":
			out = append(out, fmt.Sprintf("%s was %s and is gone", key, before))
		default:
			out = append(out, fmt.Sprintf("%s was %s and is %s", key, before, after))
		}
	}
	table := func(prefix string, before, after map[string]string) {
		for _, k := range slices.Sorted(maps.Keys(before)) {
			differs(prefix+k, before[k], after[k])
		}
	}
	members := func(key string, before, after []string) {
		for _, m := range before {
			if !slices.Contains(after, m) {
				out = append(out, fmt.Sprintf("%s had %s", key, m))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Types)) {
		was, is := a.Types[name], now.Types[name]
		differs(name, was.Kind+" "+was.Go, is.Kind+" "+is.Go)
		differs(name, was.Type, is.Type)
		table(name+".", was.Fields, is.Fields)
		table(name+".", was.Values, is.Values)
		members(name, was.Members, is.Members)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Methods)) {
		was, is := a.Methods[name], now.Methods[name]
		differs(name, was.Const, is.Const)
		differs(name, was.Handler, is.Handler)
		differs(name, was.Params, is.Params)
		members(name, was.Results, is.Results)
	}
	table("code ", a.Codes, now.Codes)
	return out
}

// Gained lists what is given now and not in the record, a line each, in order: definitions with their Go names, and the
// fields, constants and members that definitions get which were there.
func (a *API) Gained(now *API) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(now.Types)) {
		is := now.Types[name]
		was, known := a.Types[name]
		if !known {
			out = append(out, fmt.Sprintf("%s %s", is.Kind, is.Go))
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(is.Fields)) {
			if was.Fields[key] == "" {
				out = append(out, fmt.Sprintf("field %s.%s", is.Go, is.Fields[key]))
			}
		}
		for _, value := range slices.Sorted(maps.Keys(is.Values)) {
			if was.Values[value] == "" {
				out = append(out, "constant "+is.Values[value])
			}
		}
		for _, member := range is.Members {
			if !slices.Contains(was.Members, member) {
				out = append(out, fmt.Sprintf("member %s of %s", member, is.Go))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.Methods)) {
		if _, known := a.Methods[name]; !known {
			out = append(out, "method "+name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now.Codes)) {
		if a.Codes[key] == "" {
			out = append(out, "code "+now.Codes[key])
		}
	}
	return out
}
