// Package frontmatter reads the YAML block with which a Markdown file may begin, and gives it as JSON. It reads the
// part of YAML 1.2 that people write there: mappings and lists by indentation and in brackets, plain, quoted and folded
// texts, also over several lines, numbers, booleans and null. What it does not read, such as anchors and tags, is an
// error and not guessed.
//
// The generator checks skills with it, and servers with skills tell clients of the blocks with it.
package frontmatter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// limits of a block.
const (
	maxBytes = 64 << 10
	maxDepth = 16
)

// Error says what is wrong with a block.
type Error struct {
	// Line is the line of the file, from 1.
	Line    int
	Message string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

// Member is a member of a mapping. Its value is a string, a json.Number, a bool, nil, a Map or a []any.
type Member struct {
	Name  string
	Value any
}

// Map is a mapping in the order of the text.
type Map []Member

// Get returns the value of a member, nil if there is none.
func (m Map) Get(name string) any {
	for _, x := range m {
		if x.Name == name {
			return x.Value
		}
	}
	return nil
}

func (m Map) has(name string) bool {
	return slices.ContainsFunc(m, func(x Member) bool { return x.Name == name })
}

// MarshalJSON implements json.Marshaler.
func (m Map) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, x := range m {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(x.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

// Read returns the block of a file. The error is an *[Error].
func Read(text string) (m Map, err error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		return nil, &Error{1, "the file does not begin with ---, the first line of its frontmatter"}
	}
	lines := strings.Split(rest, "\n")
	end := -1
	for i, line := range lines {
		if strings.TrimRight(line, " \t") == "---" {
			end = i
			break
		}
	}
	size := 0
	for _, line := range lines[:max(end, 0)] {
		size += len(line) + 1
	}
	switch {
	case end < 0:
		return nil, &Error{1, "the frontmatter has no last line ---"}
	case size > maxBytes:
		return nil, &Error{1, fmt.Sprintf("the frontmatter has %d bytes; %d are read", size, maxBytes)}
	}
	p := &parser{lines: lines[:end]}
	defer func() {
		switch bad := recover().(type) {
		case nil:
		case *Error:
			m, err = nil, bad
		default:
			panic(bad)
		}
	}()
	p.blank()
	if p.at == len(p.lines) {
		return nil, nil
	}
	m = p.document()
	if p.at < len(p.lines) {
		p.failf("the line is indented less than the lines before it, or not as YAML wants it")
	}
	return m, nil
}

// document reads the mapping that a block is.
func (p *parser) document() Map {
	indent := p.indent()
	if line := p.lines[p.at][indent:]; line[0] == '{' {
		v, behind := p.flow(line, 0)
		p.end(behind)
		p.blank()
		return v.(Map)
	}
	return p.mapping(indent, 0)
}

// parser reads lines. Its mistakes are panics with an *Error.
type parser struct {
	lines []string
	at    int
}

func (p *parser) failf(format string, args ...any) {
	panic(&Error{min(p.at, len(p.lines)-1) + 2, fmt.Sprintf(format, args...)})
}

// blank skips empty lines and comments.
func (p *parser) blank() {
	for p.at < len(p.lines) {
		line := strings.TrimLeft(p.lines[p.at], " ")
		if strings.HasPrefix(line, "\t") && strings.TrimSpace(line) != "" {
			p.failf("a tab cannot indent")
		}
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return
		}
		p.at++
	}
}

// indent is how far the line at hand is indented; -1 at the end.
func (p *parser) indent() int {
	p.blank()
	if p.at == len(p.lines) {
		return -1
	}
	line := p.lines[p.at]
	return len(line) - len(strings.TrimLeft(line, " "))
}

// mapping reads the members at an indentation.
func (p *parser) mapping(indent, depth int) Map {
	if depth > maxDepth {
		p.failf("more than %d levels", maxDepth)
	}
	m := Map{}
	for p.indent() == indent {
		line := p.lines[p.at][indent:]
		if isItem(line) {
			p.failf("an item of a list stands where a member is wanted")
		}
		name, rest := p.key(line)
		if m.has(name) {
			p.failf("`%s` is given twice", name)
		}
		m = append(m, Member{name, p.value(rest, indent, depth, true)})
	}
	if p.indent() > indent {
		p.failf("the line is indented further than the member before it")
	}
	return m
}

// key cuts the name of a member off its line.
func (p *parser) key(line string) (name, rest string) {
	if line[0] == '"' || line[0] == '\'' {
		name, rest = p.quoted(line)
		rest = strings.TrimLeft(rest, " ")
		if !strings.HasPrefix(rest, ":") {
			p.failf("a member has no colon behind its name")
		}
		return name, rest[1:]
	}
	at := colon(line)
	if at < 0 {
		p.failf("the line is no member: a name, a colon and a space")
	}
	name = strings.TrimRight(line[:at], " ")
	if name == "" || strings.ContainsAny(name[:1], "&*!|>%@`[]{},?#") {
		p.failf("`%s` cannot be read as the name of a member", name)
	}
	return name, line[at+1:]
}

// colon is where the colon behind a name stands; -1 for none.
func colon(s string) int {
	for i := range len(s) {
		if s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t') {
			return i
		}
		if s[i] == '#' && i > 0 && s[i-1] == ' ' {
			return -1
		}
	}
	return -1
}

// isMember reports whether a line begins with the name of a member, and its colon.
func isMember(line string) bool {
	if line == "" || strings.ContainsAny(line[:1], "[{#|>") {
		return false
	}
	if line[0] == '"' || line[0] == '\'' {
		return strings.HasPrefix(strings.TrimLeft(behindQuote(line), " "), ":")
	}
	return colon(line) >= 0
}

func isItem(line string) bool { return line == "-" || strings.HasPrefix(line, "- ") }

// value reads what is behind a colon or a dash of the line at hand, and the lines that belong to it.
func (p *parser) value(rest string, indent, depth int, member bool) any {
	rest = strings.TrimLeft(rest, " \t")
	if comment(rest) == "" {
		p.at++
		next := p.indent()
		switch {
		case next > indent, next == indent && member && isItem(p.lines[p.at][next:]):
			return p.block(next, depth+1)
		}
		return nil
	}
	switch rest[0] {
	case '|', '>':
		return p.blockText(rest, indent)
	case '"', '\'':
		text, behind := p.quoted(rest)
		p.end(behind)
		return text
	case '[', '{':
		v, behind := p.flow(rest, depth+1)
		p.end(behind)
		return v
	case '&', '*', '!', '%', '@', '`', ',', ']', '}', '?':
		p.failf("`%s` cannot be read: quote the text", rest)
	}
	return p.plain(rest, indent)
}

// block reads the mapping or the list at an indentation.
func (p *parser) block(indent, depth int) any {
	if depth > maxDepth {
		p.failf("more than %d levels", maxDepth)
	}
	switch line := p.lines[p.at][indent:]; {
	case isItem(line):
	case isMember(line):
		return p.mapping(indent, depth)
	case line[0] == '|' || line[0] == '>':
		p.failf("`%s` stands in a line of its own: put it behind the name", line[:1])
	default:
		return p.value(line, indent-1, depth, false)
	}
	list := []any{}
	for p.indent() == indent && isItem(p.lines[p.at][indent:]) {
		rest := p.lines[p.at][indent+1:]
		inner := strings.TrimLeft(rest, " ")
		if isMember(inner) || isItem(inner) {
			// a mapping or a list that begins in the line of its dash
			at := indent + 1 + len(rest) - len(inner)
			p.lines[p.at] = strings.Repeat(" ", at) + inner
			list = append(list, p.block(at, depth+1))
			continue
		}
		list = append(list, p.value(rest, indent, depth, false))
	}
	return list
}

// end checks that nothing but a comment is left of the line at hand, and goes on to the next.
func (p *parser) end(behind string) {
	if strings.TrimSpace(behind) != "" && (behind[0] != ' ' || comment(strings.TrimLeft(behind, " \t")) != "") {
		p.failf("`%s` stands behind the value", strings.TrimSpace(behind))
	}
	p.at++
}

// comment is s without a comment.
func comment(s string) string {
	if strings.HasPrefix(s, "#") {
		return ""
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimRight(s, " \t")
}
