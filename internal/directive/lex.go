package directive

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Arg is one argument of a directive: option=value, or a word without "=".
type Arg struct {
	// Pos and End enclose the whole argument with its quotes.
	Pos, End token.Pos
	// Option is the text before the first "=", or the whole word.
	Option string
	// HasValue tells option= (an empty value) from option (none).
	HasValue bool
	// Value is the text after the first "=", with quotes and escapes resolved.
	Value string

	option, value span
}

// Text is the whole argument with quotes and escapes resolved, as
// ast.DirectiveArg.Arg has it.
func (a *Arg) Text() string {
	if a.HasValue {
		return a.Option + "=" + a.Value
	}
	return a.Option
}

// OptionPos and OptionEnd enclose the name of the option in the source.
func (a *Arg) OptionPos() token.Pos { return a.option.at(0) }

// OptionEnd is the position after the name of the option.
func (a *Arg) OptionEnd() token.Pos { return a.option.at(len(a.Option)) }

// At returns the source position of byte i of Value; i may be len(Value). It is
// exact even if the value is quoted and holds escapes.
func (a *Arg) At(i int) token.Pos { return a.value.at(i) }

// ValuePos is the first character of the value, after an opening quote.
func (a *Arg) ValuePos() token.Pos { return a.value.at(0) }

// ValueEnd is the position after the value, before a closing quote.
func (a *Arg) ValueEnd() token.Pos { return a.value.at(len(a.Value)) }

// FaultKind says what is wrong with a quoted argument.
type FaultKind int

// The lexical mistakes. All are reported as MCP105.
const (
	// Unclosed is a quote without its partner on the line.
	Unclosed FaultKind = iota
	// BadEscape is a backslash sequence that Go does not know.
	BadEscape
	// TextAfterQuote is text that touches a closing quote.
	TextAfterQuote
)

// Fault is one lexical mistake and where it is.
type Fault struct {
	Kind     FaultKind
	Pos, End token.Pos
}

// span is decoded text and where each of its bytes stands in the source.
type span struct {
	base token.Pos
	offs []int // one per byte and one for the end; nil if text is the source
}

func (s span) at(i int) token.Pos {
	if s.offs == nil {
		return s.base + token.Pos(i)
	}
	return s.base + token.Pos(s.offs[i])
}

// from returns the span of the text that begins at byte i.
func (s span) from(i int) span {
	if s.offs == nil {
		return span{base: s.base + token.Pos(i)}
	}
	return span{base: s.base, offs: s.offs[i:]}
}

// NameLen is the length of the letters and digits that begin text.
func NameLen(text string) int {
	if n := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); n >= 0 {
		return n
	}
	return len(text)
}

func isAlnum(b byte) bool { return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' }

// lexer walks over the text of one directive; i is the next byte.
type lexer struct {
	text   string
	pos    token.Pos
	i      int
	faults []Fault
}

func (l *lexer) here() token.Pos { return l.pos + token.Pos(l.i) }

func (l *lexer) skipSpace() {
	l.i = len(l.text) - len(strings.TrimLeftFunc(l.text[l.i:], unicode.IsSpace))
}

// wordEnd is the index of the next white space.
func (l *lexer) wordEnd() int {
	if n := strings.IndexFunc(l.text[l.i:], unicode.IsSpace); n >= 0 {
		return l.i + n
	}
	return len(l.text)
}

// arg lexes one argument; at least one byte that is not white space is left.
func (l *lexer) arg() *Arg {
	a := &Arg{Pos: l.here()}
	if IsQuote(l.text[l.i]) {
		text, s := l.quoted()
		a.split(text, s)
	} else {
		end := l.wordEnd()
		word := l.text[l.i:end]
		n := strings.IndexByte(word, '=')
		if n >= 0 && n+1 < len(word) && IsQuote(word[n+1]) {
			a.Option, a.option, a.HasValue = word[:n], span{base: l.here()}, true
			l.i += n + 1
			a.Value, a.value = l.quoted()
		} else {
			a.split(word, span{base: l.here()})
			l.i = end
		}
	}
	a.End = l.here()
	return a
}

// split divides decoded text at its first equals sign.
func (a *Arg) split(text string, s span) {
	a.Option, a.Value, a.HasValue = strings.Cut(text, "=")
	a.option = s
	if a.HasValue {
		a.value = s.from(len(a.Option) + 1)
	} else {
		a.value = s.from(len(text))
	}
}

// IsQuote reports whether a value may stand between two of these.
func IsQuote(b byte) bool { return b == '"' || b == '`' }

// quoted lexes a Go string or raw string. After a fault it returns what could
// be read and goes on behind it, so that the other arguments are still checked.
func (l *lexer) quoted() (string, span) {
	open := l.i
	text, s, ok := l.string()
	if !ok {
		l.faults = append(l.faults, Fault{Unclosed, l.pos + token.Pos(open), l.pos + token.Pos(len(l.text))})
		l.i = len(l.text)
		return text, s
	}
	if end := l.wordEnd(); end > l.i {
		l.faults = append(l.faults, Fault{TextAfterQuote, l.here(), l.pos + token.Pos(end)})
		l.i = end
	}
	return text, s
}

func (l *lexer) string() (string, span, bool) {
	quote := l.text[l.i]
	l.i++
	if quote == '"' {
		return l.interpreted()
	}
	s := span{base: l.here()}
	n := strings.IndexByte(l.text[l.i:], '`')
	if n < 0 {
		return l.text[l.i:], s, false
	}
	text := l.text[l.i : l.i+n]
	l.i += n + 1
	return text, s, true
}

// interpreted reads up to the closing quote, keeping for every decoded byte the
// place it came from.
func (l *lexer) interpreted() (string, span, bool) {
	var text []byte
	s := span{base: l.here(), offs: []int{}}
	start := l.i
	for l.i < len(l.text) {
		if l.text[l.i] == '"' {
			s.offs = append(s.offs, l.i-start)
			l.i++
			return string(text), s, true
		}
		r, multi, tail, err := strconv.UnquoteChar(l.text[l.i:], '"')
		size := len(l.text) - l.i - len(tail)
		if err != nil {
			size = l.badEscape()
			r, multi = utf8.RuneError, true
		}
		before := len(text)
		if multi {
			text = utf8.AppendRune(text, r)
		} else {
			text = append(text, byte(r))
		}
		for range len(text) - before {
			s.offs = append(s.offs, l.i-start)
		}
		l.i += size
	}
	s.offs = append(s.offs, l.i-start)
	return string(text), s, false
}

// badEscape notes the sequence at the cursor and returns its length: the
// backslash and the character after it.
func (l *lexer) badEscape() int {
	size := 1
	if l.i+1 < len(l.text) {
		_, n := utf8.DecodeRuneInString(l.text[l.i+1:])
		size += n
	}
	l.faults = append(l.faults, Fault{BadEscape, l.here(), l.here() + token.Pos(size)})
	return size
}
