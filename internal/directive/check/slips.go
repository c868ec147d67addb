package check

import (
	"fmt"
	"go/token"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// slips find one kind of mistake each. They get the index of an argument, and return of how many from there on they
// have found the mistake; 0 if there is none.
var slips = []func(*checker, int) int{quotes, punctuation, dashes, colon, equals, comma, commas, negated}

// slip reports an argument that is written as in some other language: with quotes of another kind, a colon, a comma
// and so on. It returns of how many arguments from the i-th on; 0 if there is nothing of the kind.
func (c *checker) slip(i int) int {
	if c.faulty(c.d.Args[i]) {
		return 0
	}
	for _, f := range slips {
		if n := f(c, i); n > 0 {
			return n
		}
	}
	return 0
}

// wrongQuotes are the signs that other languages, and text processors, quote with, and what may close them.
var wrongQuotes = map[rune]string{
	'\'': "'’", '‘': "’‘'", '’': "’'", '‚': "‘’", '“': "”“\"", '”': "”\"", '„': "“”\"", '«': "»", '»': "«", '‹': "›",
	'´': "´", '＂': "＂", '＇': "＇",
}

// quotes finds a value, or a whole argument, between quotes of the wrong kind.
func quotes(c *checker, i int) int {
	a := c.d.Args[i]
	raw := c.raw(a)
	at := 0
	if n := strings.IndexByte(raw, '='); n >= 0 && wrongQuotes[firstRune(raw)] == "" {
		at = n + 1
	}
	open, size := utf8.DecodeRuneInString(raw[at:])
	closing := wrongQuotes[open]
	if closing == "" {
		return 0
	}
	from := int(a.Pos-c.d.Pos) + at
	content, end := between(c.d.Source(), from+size, closing)
	n := 1
	for ; i+n < len(c.d.Args) && int(c.d.Args[i+n].Pos-c.d.Pos) < end; n++ {
	}
	name := raw[:at]
	c.meant(strings.TrimSuffix(name, "="), a)
	for end < 0 && i+n < len(c.d.Args) && !c.d.Args[i+n].HasValue && c.d.Def.Option(c.d.Args[i+n].Option) == nil {
		n++
	}
	if end < 0 || strings.ContainsAny(content, "\"\\") {
		c.add(c.malformed(i, n, "quote it with `\"` or with backquotes", "`%c` is no quote here", open))
		return n
	}
	g := c.malformed(i, n, name+`"`+content+`"`,
		"`%c` is no quote here: a value of several words stands between `\"` or backquotes", open)
	c.suggest(g, i, n, []diag.Edit{diag.EditOf(c.fset, c.d.Pos+token.Pos(from), c.d.Pos+token.Pos(end), `"`+content+`"`)},
		name+content)
	c.add(g)
	return n
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// between returns the text from a byte up to the quote that closes it, which stands before white space or at the end,
// and where it ends with the quote; -1 if there is none.
func between(text string, from int, closing string) (string, int) {
	for i, r := range text[from:] {
		after := from + i + utf8.RuneLen(r)
		if strings.ContainsRune(closing, r) && (after == len(text) || unicode.IsSpace(firstRune(text[after:]))) {
			return text[from : from+i], after
		}
	}
	return "", -1
}

// punctuation finds a sign that stands alone where an argument should.
func punctuation(c *checker, i int) int {
	a := c.d.Args[i]
	if raw := c.raw(a); strings.Trim(raw, ",;|&+") != "" || raw == "" {
		return 0
	}
	g := c.malformed(i, 1, "remove it", "arguments are separated by white space, not by `%s`", c.raw(a))
	c.suggest(g, i, 1, []diag.Edit{diag.EditOf(c.fset, a.Pos-1, a.End, "")})
	c.add(g)
	return 1
}

// dashes finds an option written as a flag of a command, or with a sign that begins it elsewhere.
func dashes(c *checker, i int) int {
	a := c.d.Args[i]
	name := strings.TrimLeft(a.Option, "-+@/.$")
	k := c.d.Def.Option(strings.ToLower(name))
	if name == a.Option || k == nil || !strings.HasPrefix(c.raw(a), a.Option) {
		return 0
	}
	lead := a.Option[:len(a.Option)-len(name)]
	g := c.malformed(i, 1, k.Name+c.raw(a)[len(a.Option):], "an option is written without `%s`", lead)
	c.meant(k.Name, a)
	needs := !a.HasValue && !k.Flag && k.Kind != "bool"
	switch next := i + 1; {
	case needs && next < len(c.d.Args) && !c.d.Args[next].HasValue:
		v := c.d.Args[next] // --title "Team notes"
		g.Fix = k.Name + "=" + c.raw(v)
		c.suggest(g, i, 2, []diag.Edit{diag.EditOf(c.fset, a.Pos, v.Pos, k.Name+"=")}, k.Name+"="+v.Text())
		c.add(g)
		return 2
	case !needs && c.seen[k] == a:
		c.suggest(g, i, 1, []diag.Edit{diag.EditOf(c.fset, a.OptionPos(), a.OptionEnd(), k.Name)},
			k.Name+a.Text()[len(a.Option):])
	}
	c.add(g)
	return 1
}

// colon finds option:value, and option:=value.
func colon(c *checker, i int) int {
	a := c.d.Args[i]
	raw := c.raw(a)
	name, value, ok := strings.Cut(raw, ":")
	k := c.d.Def.Option(strings.ToLower(name))
	if !ok || k == nil || strings.HasPrefix(value, "//") && k.Name != "uri" {
		return 0
	}
	value = strings.TrimPrefix(value, "=")
	from := a.Pos + token.Pos(len(name))
	to, n := a.End-token.Pos(len(value)), 1
	if value == "" && i+1 < len(c.d.Args) && !c.d.Args[i+1].HasValue { // option: value
		next := c.d.Args[i+1]
		to, value, n = next.Pos, c.raw(next), 2
	} else if value != "" && directive.IsQuote(value[0]) { // option:"a b"
		n = c.upTo(i, value)
		value = c.d.Source()[to-c.d.Pos : c.d.Args[i+n-1].End-c.d.Pos]
	}
	g := c.malformed(i, n, k.Name+"="+value, "an option and its value are joined by `=`, not by `:`")
	c.meant(k.Name, a)
	whole, ok := directive.Parse(1, directive.Prefix+"x "+k.Name+"="+value)
	if ok && len(whole.Args) == 1 && len(whole.Faults) == 0 && value != "" && c.seen[k] == a && name == k.Name {
		c.suggest(g, i, n, []diag.Edit{diag.EditOf(c.fset, from, to, "=")}, whole.Args[0].Text())
	}
	c.add(g)
	return n
}

// upTo is the number of arguments up to the one that closes the quote which begins value.
func (c *checker) upTo(i int, value string) int {
	if strings.Count(value, value[:1]) > 1 {
		return 1
	}
	for n := 1; i+n < len(c.d.Args); n++ {
		if strings.HasSuffix(c.raw(c.d.Args[i+n]), value[:1]) {
			return n + 1
		}
	}
	return 1
}

// equals finds option==value, option=>value and an option in quotes of its own.
func equals(c *checker, i int) int {
	a := c.d.Args[i]
	k := c.d.Def.Option(a.Option)
	if quoted := strings.Trim(a.Option, `"'`+"`‘’“”"); k == nil && quoted != a.Option && c.d.Def.Option(quoted) != nil {
		c.add(c.malformed(i, 1, quoted+"=…",
			"an option is written without quotes; they stand around the value, or around the whole argument"))
		c.meant(quoted, a)
		return 1
	}
	if k == nil || !a.HasValue || !c.bare(a) || !strings.HasPrefix(a.Value, "=") && !strings.HasPrefix(a.Value, ">") {
		return 0
	}
	value := strings.TrimLeft(a.Value, "=>")
	g := c.malformed(i, 1, k.Name+"="+value, "an option and its value are joined by one `=`")
	if value != "" {
		c.suggest(g, i, 1, []diag.Edit{diag.EditOf(c.fset, a.ValuePos(), a.At(len(a.Value)-len(value)), "")},
			k.Name+"="+value)
	}
	c.add(g)
	return 1
}

// comma finds a comma, or a semicolon, behind an argument: it would be part of it.
func comma(c *checker, i int) int {
	a := c.d.Args[i]
	text := a.Text()
	if !c.bare(a) || !strings.HasSuffix(text, ",") && !strings.HasSuffix(text, ";") || c.goesOn(i) {
		return 0
	}
	plain := strings.TrimRight(text, ",;")
	k := c.d.Def.Option(strings.TrimRight(a.Option, ",;"))
	_, pairs := c.pairs()
	if k == nil && !pairs {
		return 0
	}
	if k != nil && k.Repeats && strings.HasSuffix(text, ",") {
		return c.list(i, k, plain)
	}
	g := c.malformed(i, 1, plain, "arguments are separated by white space; the `%s` would be part of `%s`",
		text[len(plain):], strings.TrimRight(a.Option, ",;"))
	if k != nil {
		c.meant(k.Name, a)
	}
	c.suggest(g, i, 1, []diag.Edit{diag.EditOf(c.fset, a.Pos+token.Pos(len(plain)), a.End, "")}, plain)
	c.add(g)
	return 1
}

// goesOn reports whether the argument behind the i-th is the next word of its text, which is reported as such.
func (c *checker) goesOn(i int) bool {
	if !c.isText(c.d.Args[i]) || i+1 == len(c.d.Args) {
		return false
	}
	next := c.d.Args[i+1]
	return !next.HasValue && c.d.Def.Option(next.Option) == nil &&
		directive.Nearest(next.Option, c.d.Def.OptionNames()) == ""
}

// list finds a list that goes on after white space.
func (c *checker) list(i int, k *directive.Option, plain string) int {
	n := 1
	var texts strings.Builder
	texts.WriteString(plain)
	for ; i+n < len(c.d.Args) && strings.HasSuffix(c.d.Args[i+n-1].Text(), ","); n++ {
		next := c.d.Args[i+n]
		if next.HasValue || c.d.Def.Option(strings.TrimRight(next.Option, ",")) != nil || !c.bare(next) {
			break
		}
		texts.WriteString("," + strings.TrimRight(next.Option, ","))
	}
	g := c.malformed(i, n, texts.String(), "white space ends the list of `%s`", k.Name)
	if n == 1 {
		g.Message = fmt.Sprintf("the list of `%s` ends with a comma", k.Name)
	}
	if n > 1 && !strings.HasSuffix(c.d.Args[i+n-1].Text(), ",") {
		var edits []diag.Edit
		for j := i; j < i+n-1; j++ {
			edits = append(edits, diag.EditOf(c.fset, c.d.Args[j].End, c.d.Args[j+1].Pos, ""))
		}
		c.suggest(g, i, n, edits, texts.String())
	}
	c.add(g)
	return n
}

// commas finds arguments that only a comma or a semicolon separates, as in name=a,title=b.
func commas(c *checker, i int) int {
	a := c.d.Args[i]
	if !c.bare(a) || c.d.Def.Option(a.Option) == nil && !strings.ContainsAny(a.Option, ",;") {
		return 0
	}
	parts := splitAtOptions(c.d.Def, a.Text())
	if len(parts) < 2 {
		return 0
	}
	sign := "commas"
	if a.Text()[len(parts[0])] == ';' {
		sign = "semicolons"
	}
	g := c.malformed(i, 1, strings.Join(parts, " "), "arguments are separated by white space, not by %s", sign)
	var edits []diag.Edit
	at := a.Pos
	for _, p := range parts {
		c.meant(directive.NewArg(p).Option, a)
		if at > a.Pos {
			edits = append(edits, diag.EditOf(c.fset, at-1, at, " "))
		}
		at += token.Pos(len(p) + 1)
	}
	c.suggest(g, i, 1, edits, parts...)
	c.add(g)
	return 1
}

// splitAtOptions cuts text at the commas and semicolons that an option and an equals sign follow, or a flag.
func splitAtOptions(def *directive.Definition, text string) []string {
	var parts []string
	from := 0
	for i := range text {
		if (text[i] == ',' || text[i] == ';') && beginsArgument(def, text, text[i+1:]) {
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return append(parts, text[from:])
}

// beginsArgument reports whether rest, which a sign of text precedes, is an argument and not more of a value. The words
// of a list and of a text may be called like a flag, and a URI may have parameters like ;size={size}.
func beginsArgument(def *directive.Definition, text, rest string) bool {
	if name, value, ok := strings.Cut(rest, "="); ok && def.Option(name) != nil {
		return !strings.HasPrefix(value, "{")
	}
	word := rest
	if end := strings.IndexAny(rest, ",;"); end >= 0 {
		word = rest[:end]
	}
	name, _, _ := strings.Cut(text, "=")
	flag, in := def.Option(word), def.Option(name)
	return flag != nil && flag.Kind == "bool" && (in == nil || in.Kind == "URI template" || in.Kind == "mime")
}

// negated finds a flag that is switched off as in other languages.
func negated(c *checker, i int) int {
	a := c.d.Args[i]
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(a.Option, "!"), "not-"), "no-")
	k := c.d.Def.Option(name)
	if a.HasValue || name == a.Option || k == nil || k.Kind != "bool" {
		return 0
	}
	g := c.malformed(i, 1, name+"=false", "a flag is switched off by `=false`")
	c.meant(name, a)
	c.suggest(g, i, 1, []diag.Edit{diag.EditOf(c.fset, a.Pos, a.End, name+"=false")}, name+"=false")
	c.add(g)
	return 1
}
