package main

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/recorded"
)

// longestWord is the length, in bytes, of the longest text that is kept as it is. Names, URIs and constants are
// shorter; sentences are longer.
const longestWord = 60

// rewritten returns a copy of a value with other texts. Members with spaces in their names are called key.
func rewritten(member string, v any, text func(member, v string) string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, sub := range v {
			if strings.ContainsAny(name, " \t\n") {
				name = "key"
			}
			out[name] = rewritten(name, sub, text)
		}
		return out
	case []any:
		out := []any{}
		for _, sub := range v {
			out = append(out, rewritten(member, sub, text))
		}
		return out
	case string:
		return text(member, v)
	}
	return v
}

// neutral replaces sentences and long texts by words of our own.
func neutral(member, v string) string {
	switch {
	case member == "blob" || member == "data" && len(v) > longestWord:
		return "aGVsbG8="
	case len(v) > longestWord || strings.ContainsAny(v, " \t\n"):
		return "words"
	}
	return v
}

// wordless replaces all texts of an official example but the constants of the schema. Only the structure and the names
// of the members remain.
func wordless(member, v string) string {
	switch {
	case slices.Contains(telling, member):
		return v
	case strings.Contains(v, "{"):
		return "test:///{name}"
	case strings.Contains(v, "://"):
		return "test:///a"
	case member == "blob", member == "data":
		return "aGVsbG8="
	}
	return "text"
}

// telling are members whose texts tell messages apart.
var telling = []string{
	"type", "mode", "role", "action", "resultType", "status", "level", "stopReason", "format", "cacheScope", "method",
	"protocolVersion", "io.modelcontextprotocol/protocolVersion", "includeContext", "theme", "jsonrpc",
}

// formOf returns a message without its values, to compare the structure of messages. Equal elements of a list become
// one.
func formOf(member string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, sub := range v {
			out[name] = formOf(name, sub)
		}
		return out
	case []any:
		out, seen := []any{}, map[string]bool{}
		for _, sub := range v {
			form := formOf(member, sub)
			if text := textOf(form); !seen[text] {
				seen[text] = true
				out = append(out, form)
			}
		}
		return out
	case string:
		if !slices.Contains(telling, member) {
			return "text"
		}
	case bool:
		return true
	}
	return v
}

func textOf(v any) string {
	text, err := recorded.Compact(v)
	if err != nil {
		panic(err) // it was JSON before
	}
	return text
}
