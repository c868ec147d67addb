package directive

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

func (*String) kind() string   { return "string" }
func (*Text) kind() string     { return "text" }
func (*Bool) kind() string     { return "bool" }
func (*Int) kind() string      { return "int" }
func (*Unit) kind() string     { return "unit-float" }
func (*Duration) kind() string { return "duration" }
func (*Time) kind() string     { return "time" }
func (*Bytes) kind() string    { return "bytes" }
func (*Rate) kind() string     { return "rate" }
func (*List) kind() string     { return "list" }
func (*Enum) kind() string     { return "enum" }
func (*Enums) kind() string    { return "list of enum" }
func (*URI) kind() string      { return "URI template" }
func (*URIs) kind() string     { return "list of URI template" }
func (*MIME) kind() string     { return "mime" }
func (*Sizes) kind() string    { return "list of icon size" }
func (*Range) kind() string    { return "version range" }
func (*Ref) kind() string      { return "reference" }
func (*Refs) kind() string     { return "list of reference" }
func (*Regexp) kind() string   { return "pattern" }
func (*Word) kind() string     { return "word" }
func (*Words) kind() string    { return "words" }
func (*Pairs) kind() string    { return "pairs" }

// repeats reports whether an option of this type may be written more than once.
func repeats(v optionType) bool {
	switch v.(type) {
	case *List, *Enums, *URIs, *Sizes, *Refs, *Words, *Pairs:
		return true
	}
	return false
}

var (
	identForm = regexp.MustCompile(`^[\pL\pN_]+$`) // RFC 6570 lets a variable begin with a digit
	codeForm  = regexp.MustCompile(`^MCP[0-9]{3}$`)
	metaForm  = regexp.MustCompile(`^([A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?/[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$`)
)

// decode takes one pair. The protocol keeps every prefix whose second label is
// mcp or modelcontextprotocol for itself.
func (v *Pairs) decode(a *Arg, _ *Option) *problem {
	if !a.HasValue || !metaForm.MatchString(a.Option) {
		return &problem{
			msg: fmt.Sprintf("`%s` is not a meta entry: its key needs a reverse-DNS prefix and a slash", a.Text()),
			fix: "com.example/owner=finance",
		}
	}
	labels := strings.Split(a.Option[:strings.IndexByte(a.Option, '/')], ".")
	if labels[1] == "mcp" || labels[1] == "modelcontextprotocol" {
		return &problem{msg: fmt.Sprintf("prefix of `%s` is reserved for the protocol", a.Option),
			fix: "use a domain of your own"}
	}
	v.V = append(v.V, a)
	return nil
}

// positionalFault returns why a word cannot stand in the place of option k.
func positionalFault(k *Option, word string) string {
	switch {
	case k.Name == "CODE" && !codeForm.MatchString(word):
		return fmt.Sprintf("`%s` is not the id of a diagnostic", word)
	case k.Name == "CODE":
		return notAllowed(word)
	case k.Name == "NAME" && !identForm.MatchString(word):
		return fmt.Sprintf("`%s` is not a name", word)
	}
	return ""
}

// notAllowed returns why a diagnostic cannot be suppressed: it does not exist, or it says that there is
// no output without a repair.
func notAllowed(id string) string {
	c, ok := diag.Find(id)
	switch {
	case !ok:
		return fmt.Sprintf("no diagnostic is called `%s`", id)
	case c.Severity == diag.Error:
		return fmt.Sprintf("`%s` is an error, and only warnings and notes can be allowed", id)
	}
	return ""
}

// Nearest returns the word of set that s was probably meant to be, or "". A word
// that begins s, or the reverse, counts as near from three letters on.
func Nearest(s string, set []string) string {
	best, bestDist := "", max(len(s)/3, 1)+1
	low := strings.ToLower(s)
	for _, w := range set {
		d := distance(low, strings.ToLower(w))
		if short := min(len(low), len(w)); d >= bestDist && short >= 3 &&
			(strings.HasPrefix(low, w) || strings.HasPrefix(w, low)) {
			d = bestDist - 1
		}
		if d < bestDist {
			best, bestDist = w, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			d := min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(x)][len(y)]
}

// names lists the names of options, in order of declaration.
func names(options []*Option) []string {
	var out []string
	for _, k := range options {
		if !k.Positional {
			out = append(out, k.Name)
		}
	}
	return slices.Clip(out)
}
