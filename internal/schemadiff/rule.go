package schemadiff

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/schema"
)

// rulesOf returns the keywords that say more than the type, with the format as one of them.
func rulesOf(n *schema.Node) map[string]string {
	out := map[string]string{}
	maps.Copy(out, n.Rules)
	if n.Format != "" {
		out["format"] = strconv.Quote(n.Format)
	}
	return out
}

func kindOfRule(keyword string) string {
	switch keyword {
	case "format", "pattern", "default":
		return keyword
	case "deprecated", "readOnly", "writeOnly":
		return KindHint
	default:
		return KindBound
	}
}

// withinRules compares formats and bounds; what has no effect on values does not count.
func withinRules(a, b *schema.Node) bool {
	x, y := rulesOf(a), rulesOf(b)
	for keyword, rule := range y {
		if kind := kindOfRule(keyword); kind == KindDefault || kind == KindHint {
			continue
		}
		if old, ok := x[keyword]; !ok && rule != "false" || ok && old != rule && !allows(keyword, old, rule) {
			return false
		}
	}
	return true
}

// allows reports whether a keyword with the newer value allows all that it allowed with the older one.
func allows(keyword, older, newer string) bool {
	var x, y float64
	if json.Unmarshal([]byte(older), &x) != nil || json.Unmarshal([]byte(newer), &y) != nil {
		return keyword == "uniqueItems" && newer == "false"
	}
	switch {
	case slices.Contains(lowerBounds, keyword):
		return y <= x
	case slices.Contains(upperBounds, keyword):
		return y >= x
	case keyword == "multipleOf":
		return y != 0 && math.Mod(x, y) == 0
	default:
		return x == y
	}
}

// lowerBounds are the keywords whose greater values allow less; upperBounds those whose greater values allow more.
var (
	lowerBounds = []string{"exclusiveMinimum", "minItems", "minLength", "minimum"}
	upperBounds = []string{"exclusiveMaximum", "maxItems", "maxLength", "maximum"}
)
