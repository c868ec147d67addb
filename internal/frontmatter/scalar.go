package frontmatter

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// plain reads a text without quotes, which may go on in further lines.
func (p *parser) plain(first string, indent int) any {
	text := comment(first)
	p.checkPlain(text)
	p.at++
	for gap := 0; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case strings.TrimSpace(line) == "":
			gap++
			continue
		case len(line)-len(trimmed) <= indent || trimmed[0] == '#':
			return scalar(text)
		case colon(trimmed) >= 0:
			p.failf("a text without quotes has a colon: quote it")
		}
		if gap > 0 {
			text += strings.Repeat("\n", gap)
		} else {
			text += " "
		}
		gap = 0
		text += comment(strings.TrimSpace(line))
	}
	return scalar(text)
}

// checkPlain refuses what is no text without quotes.
func (p *parser) checkPlain(text string) {
	if colon(text) >= 0 {
		p.failf("a text without quotes has a colon: quote it")
	}
	if isItem(text) {
		p.failf("a list begins in the line of its name")
	}
}

var (
	intPattern   = regexp.MustCompile(`^[-+]?[0-9]+$`)
	basePattern  = regexp.MustCompile(`^0(o[0-7]+|x[0-9a-fA-F]+)$`)
	floatPattern = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// scalar is the value of a text without quotes, by the core schema of YAML 1.2.
func scalar(text string) any {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	switch {
	case basePattern.MatchString(text):
		if n, err := strconv.ParseUint(text, 0, 53); err == nil {
			return json.Number(strconv.FormatUint(n, 10))
		}
	case intPattern.MatchString(text), floatPattern.MatchString(text):
		f, err := strconv.ParseFloat(strings.TrimSuffix(text, "."), 64)
		if err != nil || math.IsInf(f, 0) {
			return text
		}
		b, err := json.Marshal(f)
		if err == nil {
			return json.Number(b)
		}
	}
	return text
}

// escapes are those of a double-quoted text.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// quoted reads a text in quotes, and returns what is behind it.
func (p *parser) quoted(s string) (text, rest string) {
	var b strings.Builder
	quote := s[0]
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == quote && quote == '\'' && i+1 < len(s) && s[i+1] == '\'':
			b.WriteByte('\'')
			i++
		case c == quote:
			return b.String(), s[i+1:]
		case c == '\\' && quote == '"' && i+1 < len(s):
			i++
			if size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]; size > 0 && i+size < len(s) {
				n, err := strconv.ParseUint(s[i+1:i+1+size], 16, 32)
				if err != nil || n > 0x10ffff {
					p.failf("`\\%s` is no escape", s[i:i+1+size])
				}
				b.WriteRune(rune(n))
				i += size
			} else if e, ok := escapes[s[i]]; ok {
				b.WriteString(e)
			} else {
				p.failf("`\\%c` is no escape", s[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	p.failf("a quote is not closed in its line")
	return "", ""
}

// flow reads a list or a mapping in brackets, and returns what is behind it.
func (p *parser) flow(s string, depth int) (v any, rest string) {
	if depth > maxDepth {
		p.failf("more than %d levels", maxDepth)
	}
	list, m, isMap := []any{}, Map{}, s[0] == '{'
	closing := map[bool]string{true: "}", false: "]"}[isMap]
	for s = strings.TrimLeft(s[1:], " "); ; {
		if after, ok := strings.CutPrefix(s, closing); ok {
			if isMap {
				return m, after
			}
			return list, after
		}
		if s == "" {
			p.failf("a bracket is not closed in its line")
		}
		item, after := p.flowItem(s, depth)
		after = strings.TrimLeft(after, " ")
		if isMap {
			name, ok := item.(string)
			behind, colon := strings.CutPrefix(after, ":")
			if !ok || !colon {
				p.failf("a member in braces has a name, a colon and a value")
			}
			item, after = p.flowItem(strings.TrimLeft(behind, " "), depth)
			after = strings.TrimLeft(after, " ")
			if m.Get(name) != nil {
				p.failf("`%s` is given twice", name)
			}
			m = append(m, Member{name, item})
		} else {
			list = append(list, item)
		}
		next, comma := strings.CutPrefix(after, ",")
		if !comma && !strings.HasPrefix(after, closing) {
			p.failf("a comma or a bracket is missing before `%s`", after)
		}
		s = strings.TrimLeft(next, " ")
	}
}

// flowItem reads one value in brackets.
func (p *parser) flowItem(s string, depth int) (v any, rest string) {
	if s == "" {
		p.failf("a bracket is not closed in its line")
	}
	switch s[0] {
	case '"', '\'':
		return p.quoted(s)
	case '[', '{':
		return p.flow(s, depth+1)
	case '&', '*', '!', '%', '@', '`', '|', '>', '#', '?':
		p.failf("`%s` cannot be read: quote the text", s)
	}
	end := 0
	for end < len(s) && !strings.ContainsRune(",[]{}", rune(s[end])) &&
		(s[end] != ':' || end+1 < len(s) && s[end+1] != ' ' && s[end+1] != ',') {
		end++
	}
	return scalar(strings.TrimSpace(s[:end])), s[end:]
}

// blockText reads a text of the form | or >, whose lines are indented further.
func (p *parser) blockText(head string, indent int) string {
	folded, keep := head[0] == '>', byte(0)
	for _, c := range []byte(comment(head[1:])) {
		if c != '-' && c != '+' || keep != 0 {
			p.failf("`%s` cannot be read: | or >, perhaps with - or +", head)
		}
		keep = c
	}
	p.at++
	var lines []string
	own := 0
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		n := len(line) - len(strings.TrimLeft(line, " "))
		if n == len(line) && (own == 0 || n <= own) {
			lines = append(lines, "")
			continue
		}
		if own == 0 {
			own = n
		}
		if n <= indent {
			break
		}
		if n < own {
			p.failf("the line is indented less than the first line of the text")
		}
		lines = append(lines, line[own:])
	}
	end := len(lines)
	for end > 0 && lines[end-1] == "" {
		end--
	}
	text := strings.Join(lines[:end], "\n")
	if folded {
		text = fold(lines[:end])
	}
	switch {
	case keep == '-' || text == "" && keep != '+':
		return text
	case keep == '+':
		return text + strings.Repeat("\n", len(lines)-end+1)
	}
	return text + "\n"
}

// fold joins lines by spaces, except around empty and indented ones.
func fold(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			prev := lines[i-1]
			indented := strings.HasPrefix(line, " ") || strings.HasPrefix(prev, " ")
			switch {
			case line == "":
				b.WriteByte('\n')
				continue
			case prev == "" && !indented:
			case prev == "" || indented:
				b.WriteByte('\n')
			default:
				b.WriteByte(' ')
			}
		}
		b.WriteString(line)
	}
	return b.String()
}
