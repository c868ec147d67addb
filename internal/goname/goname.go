// Package goname has the rules by which the names of schemas and directives become names of Go.
package goname

import "strings"

// initialisms are the words that Go writes in capitals, by their lower-case form.
var initialisms = map[string]string{
	"api": "API", "csp": "CSP", "css": "CSS", "html": "HTML", "http": "HTTP", "id": "ID", "json": "JSON",
	"jsonrpc": "JSONRPC", "mcp": "MCP", "mime": "MIME",
	"rpc": "RPC", "ttl": "TTL", "ui": "UI", "uri": "URI", "url": "URL", "utf": "UTF",
}

// Of turns a definition, property or value name into an exported Go name: words are
// split at punctuation and at capitals, joined in capitals, with Go's initialisms.
// A vendor prefix such as "example.com/" is left out, and so are "_" and "$".
func Of(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 && strings.Contains(name[:i], ".") {
		name = name[i+1:]
	}
	var b strings.Builder
	for _, w := range Words(name) {
		lower := strings.ToLower(w)
		if up, ok := initialisms[lower]; ok {
			b.WriteString(up)
			continue
		}
		if s := strings.TrimSuffix(lower, "s"); s != lower && initialisms[s] != "" {
			b.WriteString(initialisms[s] + "s")
			continue
		}
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	out := b.String()
	if out == "" || out[0] >= '0' && out[0] <= '9' {
		return "X" + out
	}
	return out
}

// Words splits "nextCursor", "JSONRPCError", "input_required" and "tools/call" into words.
func Words(name string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, name[start:end])
		}
		start = end
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case !isLetter(c) && !isDigit(c):
			flush(i)
			start = i + 1
		case i > start && isUpper(c) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])):
			flush(i)
		}
	}
	flush(len(name))
	return out
}

func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool  { return c >= 'a' && c <= 'z' }
func isLetter(c byte) bool { return isUpper(c) || isLower(c) }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// Pascal capitalises every word but leaves initialisms alone: the style of definition names.
func Pascal(name string) string {
	var b strings.Builder
	for _, w := range Words(name) {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// LowerFirst makes an unexported name: ReadResourceReply → readResourceReply, URIList → uriList.
func LowerFirst(name string) string {
	w := Words(name)
	if len(w) == 0 {
		return name
	}
	return strings.ToLower(w[0]) + name[len(w[0]):]
}
