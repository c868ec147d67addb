package frontmatter

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// escapes are those of a double-quoted text.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// quoted reads a text in quotes, which may go on in further lines, and returns what is behind it in the line at hand.
func (p *parser) quoted(s string) (text, rest string) {
	var b strings.Builder
	quote, from := s[0], p.at
	kept := 0 // bytes of b that folding does not take away
	for i := 1; ; i++ {
		switch {
		case i >= len(s):
			s, i = p.nextLine(&b, kept, from), -1
			kept = b.Len()
		case s[i] == quote && quote == '\'' && i+1 < len(s) && s[i+1] == '\'':
			b.WriteByte('\'')
			i++
		case s[i] == quote:
			return b.String(), s[i+1:]
		case s[i] == '\\' && quote == '"' && i+1 == len(s):
			// the line goes on in the next one, without a space between
			s, i = strings.TrimLeft(p.more(from), " \t"), -1
			kept = b.Len()
		case s[i] == '\\' && quote == '"':
			i += p.escape(&b, s[i:]) - 1
			kept = b.Len()
		default:
			b.WriteByte(s[i])
		}
	}
}

// more is the next line of a text in quotes or of a value in brackets that began in a line.
func (p *parser) more(from int) string {
	if p.at+1 >= len(p.lines) {
		p.at = from
		p.failf("a quote or a bracket is not closed")
	}
	p.at++
	return p.lines[p.at]
}

// nextLine folds what b has of a text in quotes, except its first bytes, and returns the next line with something on
// it: one line break is a space, and each empty line is a line break.
func (p *parser) nextLine(b *strings.Builder, kept, from int) string {
	text := b.String()
	text = text[:kept] + strings.TrimRight(text[kept:], " \t")
	b.Reset()
	b.WriteString(text)
	for empty := 0; ; empty++ {
		line := strings.TrimLeft(p.more(from), " \t")
		switch {
		case line == "":
			continue
		case empty == 0:
			b.WriteByte(' ')
		default:
			b.WriteString(strings.Repeat("\n", empty))
		}
		return line
	}
}

// escape writes the character of the escape with which s begins, and returns the length of the escape.
func (p *parser) escape(b *strings.Builder, s string) int {
	size := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
	if size == 0 {
		e, ok := escapes[s[1]]
		if !ok {
			p.failf("`\\%c` is no escape", s[1])
		}
		b.WriteString(e)
		return 2
	}
	r := p.hex(s, size)
	if !utf16.IsSurrogate(r) {
		b.WriteRune(r)
		return 2 + size
	}
	// JSON, which YAML contains, writes some characters as two escapes
	pair := rune(-1)
	if low := s[2+size:]; size == 4 && strings.HasPrefix(low, `\u`) {
		pair = utf16.DecodeRune(r, p.hex(low, size))
	}
	if pair < 0 || pair == '\ufffd' {
		p.failf("`%s` is half of a character", s[:2+size])
	}
	b.WriteRune(pair)
	return 2 * (2 + size)
}

// hex is the number of the escape with which s begins.
func (p *parser) hex(s string, size int) rune {
	if len(s) < 2+size {
		p.failf("`%s` is no escape", s)
	}
	n, err := strconv.ParseUint(s[2:2+size], 16, 32)
	if err != nil || n > 0x10ffff {
		p.failf("`%s` is no escape", s[:2+size])
	}
	return rune(n)
}

// behindQuote is what is behind a text in quotes in its line; "" if it does not end there.
func behindQuote(s string) string {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"', s[i] == '\'' && s[0] == '\'' && strings.HasPrefix(s[i+1:], "'"):
			i++
		case s[i] == s[0]:
			return s[i+1:]
		}
	}
	return ""
}
