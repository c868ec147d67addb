package directive

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String prints the directive in its normal form: one space between arguments
// and quotes only where they are needed. Parsing the result of a directive
// without faults gives the same directive, options and values.
func (d *Directive) String() string {
	var b strings.Builder
	b.WriteString(Prefix)
	b.WriteString(d.Name)
	for _, a := range d.Args {
		b.WriteByte(' ')
		b.WriteString(a.String())
	}
	return b.String()
}

// String prints the argument in its normal form.
func (a *Arg) String() string {
	switch {
	case needsQuote(a.Option) || a.Option == "" && !a.HasValue:
		return strconv.Quote(a.Text())
	case !a.HasValue:
		return a.Option
	case needsQuote(a.Value) || a.Value == "":
		return a.Option + "=" + strconv.Quote(a.Value)
	}
	return a.Option + "=" + a.Value
}

// needsQuote reports whether s would be read differently without quotes.
func needsQuote(s string) bool {
	if s != "" && isQuote(s[0]) || !utf8.ValidString(s) {
		return true
	}
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError
	})
}
