package validator

import (
	"encoding/json"
	"fmt"
)

// Dress gives a facts file prose of its own at every schema, as an official file has it. Tests use it where the
// official files are absent.
func Dress(facts []byte) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(facts, &doc); err != nil {
		return nil, err
	}
	_, defs := definitions(doc)
	if defs == nil {
		return nil, fmt.Errorf("no definitions")
	}
	for name, def := range defs {
		dress(def, name)
	}
	return json.MarshalIndent(doc, "", "    ")
}

func dress(v any, what string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			dress(e, what)
		}
	case map[string]any:
		if len(v) == 0 {
			return // anything, which official files write without a word
		}
		for key, sub := range v {
			props, isMap := sub.(map[string]any)
			switch {
			case key == "const" || key == "enum" || key == "default":
			case key == "properties" && isMap:
				for name, p := range props {
					dress(p, what+"."+name)
				}
			default:
				dress(sub, what)
			}
		}
		v["description"], v["$comment"] = "Made up text about "+what+".", "made up"
	}
}
