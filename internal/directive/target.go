package directive

import "strings"

// Target is the kind of declaration on which a directive stands; a Definition has a
// set of them.
type Target uint

// The kinds of declarations.
const (
	// OnMethod is a function with a receiver.
	OnMethod Target = 1 << iota
	// OnFunc is a function without a receiver.
	OnFunc
	// OnStruct is a struct type.
	OnStruct
	// OnNamed is any other type declaration.
	OnNamed
	// OnVar is a variable, and OnConst a constant.
	OnVar
	OnConst
	// OnPackage is a package doc, or a comment of its own at top level.
	OnPackage
	// OnField is a struct field; no directive stands there.
	OnField
	// OnMember is a method of an interface; no directive stands there.
	OnMember
	// OnGroup is a parenthesised declaration of several names, or one line that
	// declares several; no directive stands there.
	OnGroup
	// OnImport is an import declaration; no directive stands there.
	OnImport
)

var targetWords = []struct {
	t    Target
	word string
}{
	{OnMethod, "method"}, {OnFunc, "func"}, {OnStruct, "struct"}, {OnNamed, "named type"}, {OnVar, "var"},
	{OnConst, "const"},
	{OnPackage, "package doc"}, {OnField, "field"}, {OnMember, "interface method"}, {OnGroup, "group of declarations"},
	{OnImport, "import"},
}

// String names the set, as in "method or func".
func (t Target) String() string {
	var words []string
	for _, w := range targetWords {
		if t&w.t != 0 {
			words = append(words, w.word)
		}
	}
	return orList(words)
}

// orList joins words as in "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
