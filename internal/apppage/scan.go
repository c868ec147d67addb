package apppage

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tag is one start tag, or the end tag of an element whose name begins with a slash.
type tag struct {
	name     string // in lower case
	from, to int    // of the whole tag
	attrs    []attr
	// bodyTo is where the text of a script or style ends, which begins at to; 0 for other elements.
	bodyTo int
	// foreign says that the element belongs to an image or a formula, whose rules are those of XML.
	foreign bool
}

// attr is an attribute; from and to are those of all of it, and its value has no character references.
type attr struct {
	name, value string
	from, to    int
}

// get returns the value of an attribute, and whether t has it.
func (t *tag) get(name string) (attr, bool) {
	for _, a := range t.attrs {
		if a.name == name {
			return a, true
		}
	}
	return attr{}, false
}

// scanner finds the tags of a page by the rules of the tokenizer of HTML.
type scanner struct {
	page string
	tags []*tag
	// foreign has the elements svg and math that are open, and those within them that contain HTML again.
	foreign []string
	// wrongAt is where the page is wrong as a whole, and wrong says how; "" for not.
	wrongAt int
	wrong   string
}

// scan reads a page.
func scan(page string) *scanner {
	s := &scanner{page: page}
	for at := 0; at < len(page) && s.wrong == ""; {
		next := strings.IndexByte(page[at:], '<')
		if next < 0 {
			break
		}
		at = s.markup(at + next)
	}
	return s
}

// markup reads what begins with a < and returns where it ends.
func (s *scanner) markup(at int) int {
	rest := s.page[at:]
	switch {
	case strings.HasPrefix(rest, "<!--"):
		return s.comment(at)
	case strings.HasPrefix(rest, "<![CDATA[") && s.isForeign():
		return s.until(at, "]]>", "a CDATA section")
	case len(rest) > 1 && (isLetter(rest[1]) || rest[1] == '/' && len(rest) > 2 && isLetter(rest[2])):
		return s.tag(at)
	case len(rest) > 2 && (rest[1] == '!' || rest[1] == '?' || rest[1] == '/'):
		return s.until(at, ">", "a declaration")
	}
	return at + 1
}

// until returns where something ends that begins at a position.
func (s *scanner) until(at int, end, what string) int {
	i := strings.Index(s.page[at:], end)
	if i < 0 {
		s.wrongAt, s.wrong = at, what+" is not closed"
		return len(s.page)
	}
	return at + i + len(end)
}

// comment returns where a comment ends. Some that are too short are complete.
func (s *scanner) comment(at int) int {
	body := s.page[at+len("<!--"):]
	for _, short := range []string{">", "->"} {
		if strings.HasPrefix(body, short) {
			return at + len("<!--") + len(short)
		}
	}
	end := strings.Index(body, "-->")
	if odd := strings.Index(body, "--!>"); odd >= 0 && (end < 0 || odd < end) {
		return at + len("<!--") + odd + len("--!>")
	}
	return s.until(at, "-->", "a comment")
}

// tag reads a tag, and the text of an element without markup.
func (s *scanner) tag(at int) int {
	t, ok := readTag(s.page, at)
	if !ok {
		s.wrongAt, s.wrong = at, "a tag is not closed"
		return len(s.page)
	}
	closed := s.page[t.to-2] == '/'
	t.foreign = s.isForeign()
	end := t.to
	if rawText(t.name) && (!t.foreign || t.name == "script" || t.name == "style") && !(t.foreign && closed) {
		i := endOf(s.page[t.to:], t.name)
		if i < 0 {
			s.wrongAt, s.wrong = at, "the element `"+t.name+"` is not closed"
			return len(s.page)
		}
		t.bodyTo = t.to + i
		end = t.bodyTo
	}
	s.enter(t, closed)
	s.tags = append(s.tags, t)
	return end
}

// isForeign reports whether elements here are those of an image or a formula.
func (s *scanner) isForeign() bool {
	if len(s.foreign) == 0 {
		return false
	}
	top := s.foreign[len(s.foreign)-1]
	return top == "svg" || top == "math"
}

// enter notes the begin or end of an element inside of which other rules apply.
func (s *scanner) enter(t *tag, closed bool) {
	name, isEnd := strings.CutPrefix(t.name, "/")
	switch name {
	case "svg", "math":
	case "foreignobject", "desc", "title", "annotation-xml", "mtext", "mi", "mo", "mn", "ms":
		if len(s.foreign) == 0 {
			return
		}
	default:
		return
	}
	if !isEnd {
		if !closed {
			s.foreign = append(s.foreign, name)
		}
		return
	}
	for i, open := range slices.Backward(s.foreign) {
		if open == name {
			s.foreign = s.foreign[:i]
			return
		}
	}
}

// rawText reports whether the content of an element is text without tags. Clients run scripts, so the content of
// noscript is such text too.
func rawText(name string) bool {
	switch name {
	case "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript":
		return true
	}
	return false
}

// endOf returns where the end tag of an element with raw text begins; -1 if there is none.
func endOf(text, name string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], "</")
		if i < 0 {
			return -1
		}
		at += i
		after := at + len("</") + len(name)
		if after < len(text) && strings.EqualFold(text[at+len("</"):after], name) &&
			(isSpace(text[after]) || text[after] == '/' || text[after] == '>') {
			return at
		}
		at += len("</")
	}
}

// readTag reads the tag at a position. It is false if the tag has no end.
func readTag(page string, at int) (*tag, bool) {
	t := &tag{from: at}
	// The first byte is a letter, or the slash of an end tag.
	i := span(page, at+2, func(c byte) bool { return c != '>' && c != '/' && !isSpace(c) })
	t.name = strings.ToLower(page[at+1 : i])
	for {
		i = span(page, i, func(c byte) bool { return isSpace(c) || c == '/' })
		if i >= len(page) {
			return t, false
		}
		if page[i] == '>' {
			t.to = i + 1
			return t, true
		}
		a, ok := readAttr(page, i)
		if !ok {
			return t, false
		}
		t.attrs = append(t.attrs, a)
		i = a.to
	}
}

// readAttr reads the attribute at a position. It is false if the attribute has no end.
func readAttr(page string, at int) (attr, bool) {
	i := span(page, at+1, func(c byte) bool { return c != '=' && c != '>' && c != '/' && !isSpace(c) })
	a := attr{name: strings.ToLower(page[at:i]), from: at, to: i}
	k := skipSpace(page, i)
	if k >= len(page) || page[k] != '=' {
		return a, true
	}
	if k = skipSpace(page, k+1); k >= len(page) {
		return a, false
	}
	if isQuote(page[k]) {
		end := strings.IndexByte(page[k+1:], page[k])
		if end < 0 {
			return a, false
		}
		a.value, a.to = page[k+1:k+1+end], k+1+end+1
	} else {
		end := span(page, k, func(c byte) bool { return c != '>' && !isSpace(c) })
		a.value, a.to = page[k:end], end
	}
	a.value = unescape(a.value)
	return a, true
}

// references has the character references that tools write into attributes.
var references = map[string]string{"amp": "&", "quot": `"`, "apos": "'", "lt": "<", "gt": ">", "nbsp": "\u00a0"}

// unescape replaces the character references of an attribute that matter for addresses and styles.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "&")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, ";")
		text, known := references[name]
		if digits, numeric := strings.CutPrefix(name, "#"); numeric && closed {
			base := 10
			if digits != "" && digits[0]|0x20 == 'x' {
				digits, base = digits[1:], 16
			}
			n, err := strconv.ParseUint(digits, base, 21)
			text, known = string(rune(n)), err == nil // U+FFFD for what is no character
		}
		if !closed || !known {
			text, after = "&", rest
		}
		b.WriteString(text)
		s = after
	}
}

// escape writes a text so that it can stand in an attribute with double quotes.
func escape(s string) string { return strings.NewReplacer("&", "&amp;", `"`, "&quot;").Replace(s) }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// isWord reports whether c is part of a name in scripts and styles.
func isWord(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func isQuote(c byte) bool { return c == '"' || c == '\'' }

// span returns where the run of certain bytes ends that begins at a position.
func span(s string, i int, is func(byte) bool) int {
	for i < len(s) && is(s[i]) {
		i++
	}
	return i
}

func skipSpace(s string, i int) int { return span(s, i, isSpace) }

// behind returns the position behind the next end of something, from a position on; without one, that behind the text.
func behind(text string, from int, end string) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// hasFold reports whether s begins with an ASCII text in letters of either case.
func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
