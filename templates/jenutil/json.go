package jenutil

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

// A JSON text has lines of up to lineWidth columns, where its words allow that; what does not fit in a line that has
// one member only is cut into literals of at most cutWidth.
const (
	lineWidth = 100
	cutWidth  = 160
)

// JSON returns JSON text as a string constant that people can read: indented, in backquotes where that shows what it
// is. Its lines begin with depth tabs. Any other text is a constant as it stands.
func JSON(text string, depth int) *jen.Statement {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) != nil {
		return Long(text)
	}
	p := jsonPrinter{text: compact.String()}
	p.value(depth)
	var parts []string
	var clean strings.Builder // lines that go into one literal
	end := func() {
		if clean.Len() > 0 {
			parts = append(parts, "`"+clean.String()+"`")
			clean.Reset()
		}
	}
	for line := range strings.Lines(p.out.String()) {
		pieces := cut(line)
		for i, piece := range pieces {
			if !readable(piece) {
				end()
				parts = append(parts, strconv.Quote(piece))
				continue
			}
			clean.WriteString(piece)
			if i < len(pieces)-1 {
				end()
			}
		}
	}
	end()
	return sum(parts)
}

// Long returns text as a string constant, in several literals if it is long.
func Long(text string) *jen.Statement {
	var parts []string
	for _, piece := range cut(text) {
		parts = append(parts, strconv.Quote(piece))
	}
	if len(parts) < 2 {
		return jen.Lit(text)
	}
	return sum(parts)
}

// sum joins literals, one a line.
func sum(parts []string) *jen.Statement {
	out := jen.Id(parts[0])
	for _, part := range parts[1:] {
		out.Op("+").Line().Id(part)
	}
	return out
}

// readable reports whether a piece of text looks in backquotes like what it is.
func readable(s string) bool {
	hidden := strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) })
	return !hidden && strconv.CanBackquote(strings.TrimSuffix(s, "\n"))
}

// cut cuts a line into pieces of at most cutWidth bytes, behind a space if there is one in the second half.
func cut(line string) []string {
	var out []string
	for len(line) > cutWidth {
		at := cutWidth
		for at > 0 && !utf8.RuneStart(line[at]) {
			at--
		}
		if space := strings.LastIndexByte(line[:at], ' '); space >= cutWidth/2 {
			at = space + 1
		}
		if at == 0 {
			at = cutWidth // no text at all
		}
		out = append(out, line[:at])
		line = line[at:]
	}
	return append(out, line)
}

// jsonPrinter lays out JSON text.
type jsonPrinter struct {
	text string
	at   int
	out  strings.Builder
}

// value writes the value that begins here, on one line if it fits.
func (p *jsonPrinter) value(depth int) {
	begin := p.at
	end, width := p.skip()
	if open := p.text[begin]; open != '{' && open != '[' || depth+width <= lineWidth {
		p.inline(p.text[begin:end])
		return
	}
	p.at = begin + 1
	p.out.WriteByte(p.text[begin])
	for p.text[p.at] != '}' && p.text[p.at] != ']' {
		p.line(depth + 1)
		if p.text[begin] == '{' {
			name := p.at
			p.skip()
			p.out.WriteString(p.text[name:p.at] + ": ")
			p.at++ // the colon
		}
		p.value(depth + 1)
		if p.text[p.at] == ',' {
			p.out.WriteByte(',')
			p.at++
		}
	}
	p.line(depth)
	p.out.WriteByte(p.text[p.at])
	p.at++
}

func (p *jsonPrinter) line(depth int) {
	p.out.WriteByte('\n')
	p.out.WriteString(strings.Repeat("\t", depth))
}

// skip moves behind the value that begins here, and returns the place and how wide it is on one line.
func (p *jsonPrinter) skip() (end, width int) {
	depth := 0
	for {
		switch p.text[p.at] {
		case '"':
			begin := p.at
			p.string()
			width += p.at - begin - 1
		case '{', '[':
			depth++
			p.at++
		case '}', ']':
			depth--
			p.at++
		case ',', ':':
			width++
			p.at++
		default:
			begin := p.at
			for p.at < len(p.text) && !strings.ContainsRune(`,:]}`, rune(p.text[p.at])) {
				p.at++
			}
			width += p.at - begin - 1
		}
		width++
		if depth == 0 {
			return p.at, width
		}
	}
}

// string moves behind a string.
func (p *jsonPrinter) string() {
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
}

// inline writes a value on one line, with a space behind each comma and colon.
func (p *jsonPrinter) inline(text string) {
	q := jsonPrinter{text: text}
	for q.at < len(text) {
		begin := q.at
		switch c := text[q.at]; c {
		case '"':
			q.string()
			p.out.WriteString(text[begin:q.at])
		case ',', ':':
			p.out.WriteString(string(c) + " ")
			q.at++
		default:
			p.out.WriteByte(c)
			q.at++
		}
	}
}
