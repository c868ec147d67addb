package main

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/recorded"
)

// longestWord is the length, in bytes, of the longest text that is kept as it is. Names, URIs and constants are
// shorter; sentences are longer.
const longestWord = 60

// neutral replaces sentences and long texts by words of our own.
func neutral(member string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, sub := range v {
			if strings.ContainsAny(name, " \t\n") {
				name = "key"
			}
			out[name] = neutral(name, sub)
		}
		return out
	case []any:
		out := []any{}
		for _, sub := range v {
			out = append(out, neutral(member, sub))
		}
		return out
	case string:
		switch {
		case member == "blob" || member == "data" && len(v) > longestWord:
			return "aGVsbG8="
		case len(v) > longestWord || strings.ContainsAny(v, " \t\n"):
			return "words"
		}
	}
	return v
}

// wordless replaces all texts of an official example but the constants of the schema. Only the structure and the names
// of the members remain.
func wordless(member string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, sub := range v {
			out[name] = wordless(name, sub)
		}
		return out
	case []any:
		out := []any{}
		for _, sub := range v {
			out = append(out, wordless(member, sub))
		}
		return out
	case string:
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
	return v
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
