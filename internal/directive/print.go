package directive

import (
	"go/token"
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
	case NeedsQuote(a.Option) || a.Option == "" && !a.HasValue:
		return strconv.Quote(a.Text())
	case !a.HasValue:
		return a.Option
	case NeedsQuote(a.Value) || a.Value == "":
		return a.Option + "=" + strconv.Quote(a.Value)
	}
	return a.Option + "=" + a.Value
}

// NeedsQuote reports whether s would be read differently without quotes.
func NeedsQuote(s string) bool {
	if s != "" && IsQuote(s[0]) || !utf8.ValidString(s) {
		return true
	}
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError
	})
}

// WithArgs is the normal form of the directive with other arguments.
func (d *Directive) WithArgs(args ...*Arg) string {
	return (&Directive{Name: d.Name, Args: args}).String()
}

// NewArg makes an argument of its text, as if it had been written without need for quotes.
func NewArg(text string) *Arg {
	a := &Arg{}
	a.split(text, span{})
	return a
}

// Replaced returns the value of the argument with text in the place of the source between from and to; false if that is
// no part of the value.
func (a *Arg) Replaced(from, to token.Pos, text string) (string, bool) {
	if a.Option != "" && !a.HasValue && from == a.OptionPos() && to == a.OptionEnd() {
		return text, true
	}
	i, j := -1, -1
	for k := range len(a.Value) + 1 {
		if i < 0 && a.At(k) == from {
			i = k
		}
		if a.At(k) == to {
			j = k
		}
	}
	if !a.HasValue || i < 0 || j < i {
		return "", false
	}
	return a.Value[:i] + text + a.Value[j:], true
}

// With returns the normal form of the directive with another value of one argument, or another word in the place of one
// without, and whether the argument is one of its own.
func (d *Directive) With(a *Arg, value string) (string, bool) {
	found := false
	args := make([]*Arg, len(d.Args))
	for i, o := range d.Args {
		args[i] = o
		if o.Pos == a.Pos {
			found = true
			if args[i] = NewArg(value); o.HasValue {
				args[i] = NewArg(o.Option + "=" + value)
			}
		}
	}
	return d.WithArgs(args...), found
}
