package nearmiss

import (
	"go/token"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// Block is Line for a comment between /* and */, where no line is a directive. Indented lines
// are examples.
func Block(fset *token.FileSet, pos token.Pos, text string, where Where, out *diag.List) {
	at := len("/*")
	lines := strings.SplitAfter(strings.TrimSuffix(text[at:], "*/"), "\n")
	where.Begins = true
	for i, line := range lines {
		words := strings.TrimPrefix(strings.TrimLeft(strings.TrimPrefix(line, " "), "*"), " ")
		from := at + len(line) - len(words)
		at += len(line)
		words = strings.TrimRight(words, " \t\r\n")
		where.First = i == 0
		repair, shown := inBlock(words, where)
		where.Begins = endsSentence(words)
		if repair == "" {
			continue
		}
		d := diag.New("MCP101", diag.PosOf(fset, pos+token.Pos(from), pos+token.Pos(from+len(words))),
			"`%s` is documentation, not a directive, because it stands between `/*` and `*/`", shown)
		d.Fix = "write it as a line `" + repair + "`"
		dir, ok := directive.Parse(1, repair)
		if ok && len(lines) == 1 && directive.Lookup(dir.Name) != nil && len(dir.Faults) == 0 {
			d.Edits = []diag.Edit{diag.EditOf(fset, pos, pos+token.Pos(len(text)), repair)}
			d.Becomes = []string{dir.String()}
		}
		out.Add(d)
	}
}

// inBlock returns the directive that a line was meant as, and how its head is written; "" for prose.
func inBlock(words string, where Where) (repair, shown string) {
	body := strings.TrimPrefix(words, "//")
	if isExample(body) {
		return "", ""
	}
	if text, ok := strings.CutPrefix(body, "mcp:"); ok && fitOf(text) > fitNone {
		return directive.Prefix + knownName(text), "mcp:" + firstWord(text)
	}
	a, ok := attemptOf(body)
	if !ok {
		return "", ""
	}
	if !strings.HasPrefix(words, "//") {
		a.indent = " " // as white space behind slashes: it may be prose
	}
	if a.verdict(where) == "" {
		return "", ""
	}
	return directive.Prefix + knownName(a.text), body[:a.head]
}

// EndsSentence reports whether no sentence of a comment line goes on in the next line.
func EndsSentence(line string) bool { return endsSentence(strings.TrimPrefix(line, "//")) }

func endsSentence(words string) bool {
	words = strings.TrimRight(words, " \t\r\n")
	return words == "" || strings.ContainsAny(words[len(words)-1:], ".!?:;)}]`\"")
}
