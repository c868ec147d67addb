package validator

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Example is a JSON value that the schema of a revision allows for one of its definitions.
type Example struct {
	Definition string
	Name       string // Definition and a number, as in "Tool/2"
	Text       []byte
}

const (
	// madeEach is how many examples each definition gets: the first has only what is required, the others have all
	// there is, each with another member of the unions below it.
	madeEach = 4
	// madeDepth is how many optional objects lie in one another, which ends recursive definitions.
	madeDepth = 6
)

// Examples makes examples for every definition of a revision that names its properties or those of its parts, in order
// of their names. They are made from the schema alone, so that what they find is independent of generated code.
func (s *Schemas) Examples(revision string) ([]Example, error) {
	sc, err := s.of(revision)
	if err != nil {
		return nil, err
	}
	var out []Example
	for _, name := range slices.Sorted(maps.Keys(sc.defs)) {
		def, _ := sc.defs[name].(map[string]any)
		if def["type"] != "object" && def["allOf"] == nil {
			continue
		}
		for i := range madeEach {
			m := &exampleMaker{schema: sc, turn: i}
			v := m.value(def, 0)
			if m.err != nil {
				return nil, fmt.Errorf("%s: %w", name, m.err)
			}
			text, err := json.Marshal(v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out = append(out, Example{Definition: name, Name: fmt.Sprintf("%s/%d", name, i), Text: text})
		}
	}
	return out, nil
}

// exampleMaker makes one example. Turn 0 is the smallest; others choose member number turn of unions and enums.
type exampleMaker struct {
	schema *schema
	turn   int
	err    error
}

func (m *exampleMaker) value(node any, depth int) any {
	n, _ := node.(map[string]any)
	if ref, ok := n["$ref"].(string); ok {
		def, found := m.schema.defs[path.Base(ref)]
		if !found {
			m.err = fmt.Errorf("no definition for %s", ref)
			return nil
		}
		return m.value(def, depth)
	}
	if c, ok := n["const"]; ok {
		return c
	}
	if list, ok := n["enum"].([]any); ok {
		return list[m.turn%len(list)]
	}
	if list, ok := n["anyOf"].([]any); ok {
		return m.value(list[m.member(list, depth)], depth+1)
	}
	if list, ok := n["allOf"].([]any); ok {
		return m.parts(n, list, depth)
	}
	return m.typed(n, depth)
}

// member chooses a member of a union: the first where no more depth is wanted.
func (m *exampleMaker) member(list []any, depth int) int {
	if depth > madeDepth {
		return 0
	}
	return m.turn % len(list)
}

// parts is an object that is valid as every part. A later part is the stricter one.
func (m *exampleMaker) parts(n map[string]any, list []any, depth int) any {
	out := m.object(n, depth)
	for _, part := range list {
		v, _ := m.value(part, depth).(map[string]any)
		maps.Copy(out, v)
	}
	return out
}

// typed is a value of the type that a node names; of several types it takes one.
func (m *exampleMaker) typed(n map[string]any, depth int) any {
	name, _ := n["type"].(string)
	if list, ok := n["type"].([]any); ok {
		name, _ = list[m.turn%len(list)].(string)
	}
	switch name {
	case "object":
		return m.object(n, depth)
	case "array":
		if m.turn == 0 || depth > madeDepth {
			return []any{}
		}
		return []any{m.value(n["items"], depth+1)}
	case "integer", "number":
		return m.number(n)
	case "boolean":
		return m.turn%2 == 1
	case "null":
		return nil
	case "string":
		return text(n["format"])
	case "":
		if len(n) > 0 && n["properties"] != nil {
			return m.object(n, depth)
		}
		return "anything"
	default:
		m.err = fmt.Errorf("type %q is new to the maker of examples", name)
		return nil
	}
}

func (m *exampleMaker) number(n map[string]any) any {
	if low, ok := n["minimum"].(json.Number); ok {
		return low
	}
	if high, ok := n["maximum"].(json.Number); ok {
		return high
	}
	return json.Number(fmt.Sprint(m.turn))
}

func text(format any) string {
	switch format {
	case "byte":
		return "aGVsbG8="
	case "uri":
		return "test:///a"
	case "uri-template":
		return "test:///{name}"
	default:
		return "text"
	}
}

func (m *exampleMaker) object(n map[string]any, depth int) map[string]any {
	out := map[string]any{}
	required, _ := n["required"].([]any)
	props, _ := n["properties"].(map[string]any)
	for name, sub := range props {
		if name == "resultType" { // any text to the schema, but it tells what a result is
			out[name] = "complete"
			if props["inputRequests"] != nil {
				out[name] = "input_required"
			}
			continue
		}
		if slices.Contains(required, any(name)) || m.turn > 0 && depth < madeDepth && !strings.HasPrefix(name, "$") {
			out[name] = m.value(sub, depth+1)
		}
	}
	if sub, ok := n["additionalProperties"].(map[string]any); ok && len(props) == 0 && m.turn > 0 && depth < madeDepth {
		out["key"] = m.value(sub, depth+1)
	}
	return out
}
