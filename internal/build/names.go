package build

import (
	"strconv"
	"strings"
)

// initialisms are the words that Go writes in capitals, by their lower-case form.
var initialisms = map[string]string{
	"api": "API", "csp": "CSP", "css": "CSS", "html": "HTML", "http": "HTTP", "id": "ID", "json": "JSON", "jsonrpc": "JSONRPC", "mcp": "MCP", "mime": "MIME",
	"rpc": "RPC", "ttl": "TTL", "ui": "UI", "uri": "URI", "url": "URL", "utf": "UTF",
}

// goName turns a definition, property or value name into an exported Go name: words are
// split at punctuation and at capitals, joined in capitals, with Go's initialisms.
// A vendor prefix such as "example.com/" is left out, and so are "_" and "$".
func goName(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 && strings.Contains(name[:i], ".") {
		name = name[i+1:]
	}
	var b strings.Builder
	for _, w := range words(name) {
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

// words splits "nextCursor", "JSONRPCError", "input_required" and "tools/call" into words.
func words(name string) []string {
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

// pascal capitalises every word but leaves initialisms alone: the style of definition names.
func pascal(name string) string {
	var b strings.Builder
	for _, w := range words(name) {
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// lowerFirst makes an unexported name: ReadResourceReply → readResourceReply, URIList → uriList.
func lowerFirst(name string) string {
	w := words(name)
	if len(w) == 0 {
		return name
	}
	return strings.ToLower(w[0]) + name[len(w[0]):]
}

// revisionName returns the constant of a dated revision.
func revisionName(date string) string { return "Revision" + strings.ReplaceAll(date, "-", "") }

// nameTable hands out Go names once. A second claim of a name gets the next free one.
type nameTable struct {
	taken map[string]bool
	last  map[string]int // the number that the last name of these words got
}

func newNameTable(reserved ...string) *nameTable {
	t := &nameTable{taken: map[string]bool{}, last: map[string]int{}}
	for _, r := range reserved {
		t.taken[r] = true
	}
	return t
}

// claim returns name; if that is taken, name followed by suffix, and then by 2, 3, ….
func (t *nameTable) claim(name, suffix string) string {
	if t.taken[name] {
		name += suffix
		for words, n := name, max(t.last[name], 1); t.taken[name]; {
			n++
			t.last[words] = n
			name = words + strconv.Itoa(n)
		}
	}
	t.taken[name] = true
	return name
}

// keep takes a name that was given before. Only claimKept hands it out.
func (t *nameTable) keep(name string) { t.taken[name] = true }

// claimKept returns the name that was given before, or claims one if that is "".
func (t *nameTable) claimKept(kept, name, suffix string) string {
	if kept != "" {
		return kept
	}
	return t.claim(name, suffix)
}

// GoName returns the Go name that generated code has for the name of a definition, a property or
// an enumeration value, unless the exceptions or a collision choose another one.
func GoName(name string) string { return goName(name) }
