package nearmiss

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// isExample reports whether the text behind the slashes is indented as code in a doc comment is.
func isExample(body string) bool {
	return strings.HasPrefix(body, "    ") || strings.HasPrefix(strings.TrimLeft(body, " "), "\t")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// firstWord is text up to its first white space.
func firstWord(text string) string {
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		return text[:i]
	}
	return text
}

// knownName returns text with the name that begins it in lower case, and spelt as in the table.
func knownName(text string) string {
	name := text[:directive.NameLen(text)]
	low := strings.ToLower(name)
	if directive.Lookup(low) == nil {
		low = cmp.Or(directive.Nearest(low, directive.Names()), low)
	}
	return low + text[len(name):]
}

// firstWords is line up to the end of the name that begins text.
func firstWords(line, text string) string {
	return fmt.Sprint(line[:len(line)-len(text)], firstWord(text))
}

// fit says how much of what follows a name could be its arguments.
type fit int

const (
	// fitNone is prose, or a directive that does not exist.
	fitNone fit = iota
	// fitBare is a name alone.
	fitBare
	// fitWords are flags, and names where the directive takes some.
	fitWords
	// fitMixed has an option with a value, and words that are none of its arguments.
	fitMixed
	// fitOption has at least one option with a value, and nothing else.
	fitOption
)

// fitOf judges text that begins with the name of a directive. A name that is misspelt needs one of its options.
func fitOf(text string) fit {
	word := firstWord(text)
	if i := strings.IndexAny(word, "({"); i > 0 {
		word, text = word[:i], word[:i]+" "+strings.TrimLeft(text[i:], "({ ")
	}
	name := strings.ToLower(word)
	def, exact := directive.Lookup(name), true
	if def == nil {
		def, exact = directive.Lookup(directive.Nearest(name, directive.Names())), false
	}
	if def == nil || name == "" {
		return fitNone
	}
	d, ok := directive.Parse(1, directive.Prefix+name+text[len(word):])
	if !ok {
		return fitNone
	}
	known := func(a *directive.Arg) bool {
		return def.Option(a.Option) != nil || a.HasValue && directive.IsMetaKey(a.Option)
	}
	args := afterNames(def, d.Args)
	keyed := slices.ContainsFunc(args, func(a *directive.Arg) bool { return a.HasValue && known(a) })
	switch stray := slices.ContainsFunc(args, func(a *directive.Arg) bool { return !known(a) }); {
	case keyed && stray:
		return fitMixed
	case keyed:
		return fitOption
	case !exact || stray:
		return fitNone
	case len(d.Args) > 0:
		return fitWords
	}
	return fitBare
}

// afterNames leaves out the arguments that a directive takes without options, as far as they look like such.
func afterNames(def *directive.Definition, args []*directive.Arg) []*directive.Arg {
	isName := func(a *directive.Arg) bool { return !a.HasValue && directive.IsVariable(a.Option) }
	switch {
	case len(args) == 0:
		return args
	case def.Name == "var" || def.Name == "arg":
		if isName(args[0]) {
			return args[1:]
		}
	case def.Name == "allow" && directive.IsCode(args[0].Option):
		return nil
	case def.Name == "use":
		upper := func(a *directive.Arg) bool { return isName(a) && unicode.IsUpper([]rune(a.Option)[0]) }
		if !slices.ContainsFunc(args, func(a *directive.Arg) bool { return !upper(a) }) {
			return nil
		}
	}
	return args
}
