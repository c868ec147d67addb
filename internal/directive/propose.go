package directive

import (
	"go/token"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// argOf makes an argument of its text, as if it had been written without need for quotes.
func argOf(text string) *Arg {
	a := &Arg{}
	a.split(text, span{})
	return a
}

// Source is the line as it was written, without white space at its end.
func (d *Directive) Source() string { return d.text }

// proposal is the normal form of the directive with other arguments.
func (d *Directive) proposal(args ...*Arg) string {
	return (&Directive{Name: d.Name, Args: args}).String()
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
			if args[i] = argOf(value); o.HasValue {
				args[i] = argOf(o.Option + "=" + value)
			}
		}
	}
	return d.proposal(args...), found
}

// offer adds a repair for machines to g: edits, which put texts in the place of n arguments from the i-th on.
func (c *checker) offer(g *diag.Diagnostic, i, n int, edits []diag.Edit, texts ...string) {
	var args []*Arg
	args = append(args, c.d.Args[:i]...)
	for _, text := range texts {
		args = append(args, argOf(text))
	}
	g.Edits, g.Becomes = edits, []string{c.d.proposal(append(args, c.d.Args[i+n:]...)...)}
}

// synonyms are what other systems call an option, without hyphens and underscores. An option of that name goes first.
var synonyms = map[string]string{
	"mimetype": "mime", "mediatype": "mime", "contenttype": "mime", "description": "desc",
	"readonlyhint": "readonly", "destructivehint": "destructive", "idempotenthint": "idempotent", "openworldhint": "open",
	"openworld":   "open",
	"uritemplate": "uri", "template": "uri", "subscribable": "subscribe", "lastmodified": "modified", "touches": "updates",
}

// renamed are the directives that had other names once.
var renamed = map[string]string{"life": "availability"}

// Meant returns the one word of set that s can be after a single slip, so that a machine may write it; "" if there is
// none, or more than one. A letter too many or too few at either end does not count: it may belong to what stands
// beside the word.
func Meant(s string, set []string) string {
	best := ""
	for _, w := range set {
		if w == s || distance(s, w) != 1 && !strings.EqualFold(s, w) {
			continue
		}
		if best != "" {
			return ""
		}
		best = w
	}
	if best == "" || len(s) < 2 || s[1:] == best || s[:len(s)-1] == best || best[1:] == s || best[:len(best)-1] == s {
		return ""
	}
	return best
}

// meantOption is the option that a machine may write for name.
func meantOption(name string, has []string) string {
	plain := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	if strings.Trim(name, "-_") != name || strings.ContainsAny(name, "\"`") {
		return ""
	}
	for _, k := range has {
		if k == plain || synonyms[plain] == k {
			return k
		}
	}
	return Meant(name, has)
}
