package directive

import (
	"regexp"
	"time"
)

// Value is embedded in every option type. Arg is where the option was written, or nil
// if it was not.
type Value struct{ Arg *Arg }

// Set reports whether the option was written.
func (v Value) Set() bool { return v.Arg != nil }

func (v *Value) written() *Arg { return v.Arg }

func (v *Value) set(a *Arg) {
	if v.Arg == nil {
		v.Arg = a
	}
}

// The option types. V is the decoded value, the zero value if the option is not set
// or was refused.
type (
	// String is any text.
	String struct {
		Value
		V string
	}
	// Text is a text, or @path for the content of a file of the package.
	Text struct {
		Value
		// V is the text; with a File it is empty until the loader has read it.
		V string
		// File is the path after @, relative to the package, with forward slashes.
		File string
	}
	// Bool is a flag: option or option=true, option=false to switch off.
	Bool struct {
		Value
		V bool
	}
	// Int is a whole number that is not negative.
	Int struct {
		Value
		V int64
	}
	// Unit is a number from 0 to 1.
	Unit struct {
		Value
		V float64
	}
	// Duration is a Go duration that is not negative.
	Duration struct {
		Value
		V time.Duration
	}
	// Time is a moment in RFC 3339 form; V keeps the text as it was written.
	Time struct {
		Value
		V string
	}
	// Bytes is a size in bytes; the units B, kB, MB, GB, KiB, MiB, GiB are known.
	Bytes struct {
		Value
		V int64
	}
	// Rate is a number of calls per s, m, h or d.
	Rate struct {
		Value
		N   int64
		Per time.Duration
	}
	// List is a comma-separated list; repeating the option appends to it.
	List struct {
		Value
		V []Item
	}
	// Enum is one of the words of its values tag.
	Enum struct {
		Value
		V string
	}
	// Enums is a List of such words.
	Enums struct {
		Value
		V []Item
	}
	// URI is an address or a template. Its grammar is checked by the next stage.
	URI struct {
		Value
		V string
	}
	// URIs is a list of URI; commas inside braces do not separate.
	URIs struct {
		Value
		V []Item
	}
	// MIME is a media type.
	MIME struct {
		Value
		V string
	}
	// Sizes is a List of icon sizes: WIDTHxHEIGHT or any.
	Sizes struct {
		Value
		V []Item
	}
	// Range is FROM..TO of protocol revisions; either end may be missing, and a
	// revision alone is both ends.
	Range struct {
		Value
		From, To string
	}
	// Ref is the Go name or MCP name of something else.
	Ref struct {
		Value
		V string
	}
	// Refs is a List of such names.
	Refs struct {
		Value
		V []Item
	}
	// Regexp is a regular expression in Go syntax. V matches a text only as a
	// whole; what the author wrote is in Arg.
	Regexp struct {
		Value
		V *regexp.Regexp
	}
	// Word is a positional argument.
	Word struct {
		Value
		V string
	}
	// Words are all positional arguments that are left.
	Words struct {
		Value
		V []Item
	}
	// Pairs are key=value arguments with free keys.
	Pairs struct {
		Value
		V []*Arg
	}
)

// Item is one element of a list and the bytes [From, To) of its argument's
// value that it comes from. In Words it is a whole argument.
type Item struct {
	V        string
	Arg      *Arg
	From, To int
}

// Ref returns an element of Refs as if it stood alone.
func (it Item) Ref() Ref {
	part := *it.Arg
	part.Value, part.value = it.V, it.Arg.value.from(it.From)
	return Ref{Value{Arg: &part}, it.V}
}
