package marker

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Target is the kind of declaration on which a directive stands; a Verb has a
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
	// OnField is a struct field; no verb stands there.
	OnField
	// OnMember is a method of an interface; no verb stands there.
	OnMember
	// OnGroup is a parenthesised declaration of several names, or one line that
	// declares several; no verb stands there.
	OnGroup
	// OnImport is an import declaration; no verb stands there.
	OnImport
)

var targetWords = []struct {
	t    Target
	word string
}{
	{OnMethod, "method"}, {OnFunc, "func"}, {OnStruct, "struct"}, {OnNamed, "named type"}, {OnVar, "var"}, {OnConst, "const"},
	{OnPackage, "package doc"}, {OnField, "field"}, {OnMember, "interface method"}, {OnGroup, "group of declarations"}, {OnImport, "import"},
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

// Verb is one row of the table.
type Verb struct {
	Name string
	// Primary verbs make a feature; the others refine one.
	Primary bool
	// Default says that a modifier may also stand on a receiver type or beside
	// the server directive, for all features there.
	Default bool
	// Repeat says that one declaration may have several lines of the verb.
	Repeat bool
	// Planned marks a verb that the grammar has and that no later stage acts on yet.
	Planned bool
	// On is where the verb may stand.
	On Target
	// Keys are in the order in which they are documented. Positional ones come
	// first.
	Keys []*Key

	typ reflect.Type
}

// Key is one key of a verb.
type Key struct {
	Name     string
	Kind     string
	Required bool
	// Planned is true if no later stage acts on the key yet.
	Planned bool
	// Positional keys are written without their name.
	Positional bool
	// Values are the words of an enum.
	Values []string
	// Flag says that an enum may also be written without a value.
	Flag bool
	// Example is a valid value.
	Example string

	code  string
	index []int
}

const (
	callable  = OnMethod | OnFunc
	anyTarget = callable | OnStruct | OnNamed | OnVar | OnConst
)

// rows is the table in order of documentation.
var rows = []struct {
	verb Verb
	spec any
}{
	{Verb{Name: "server", Primary: true, On: OnPackage}, Server{}},
	{Verb{Name: "resource", Primary: true, On: callable | OnStruct | OnVar | OnConst}, Resource{}},
	{Verb{Name: "tool", Primary: true, On: callable}, Tool{}},
	{Verb{Name: "prompt", Primary: true, On: callable}, Prompt{}},
	{Verb{Name: "list", Primary: true, On: callable}, ListOf{}},
	{Verb{Name: "watch", Primary: true, On: callable}, Watch{}},
	{Verb{Name: "complete", Primary: true, On: callable}, Complete{}},
	{Verb{Name: "enum", Primary: true, On: OnNamed}, EnumOf{}},
	{Verb{Name: "form", Primary: true, On: OnStruct}, Form{}},
	{Verb{Name: "type", Primary: true, On: OnFunc}, TypeOf{}},
	{Verb{Name: "var", On: callable | OnStruct, Repeat: true}, Var{}},
	{Verb{Name: "arg", On: callable, Repeat: true}, PromptArg{}},
	{Verb{Name: "annotate", On: anyTarget | OnPackage, Default: true}, Annotate{}},
	{Verb{Name: "icon", On: anyTarget | OnPackage, Default: true, Repeat: true}, Icon{}},
	{Verb{Name: "cache", On: anyTarget | OnPackage, Default: true}, Cache{}},
	{Verb{Name: "access", On: anyTarget | OnPackage, Default: true, Repeat: true}, Access{}},
	{Verb{Name: "limit", On: anyTarget | OnPackage, Default: true}, Limit{}},
	{Verb{Name: "life", On: anyTarget | OnPackage, Default: true}, Life{}},
	{Verb{Name: "meta", On: anyTarget | OnPackage, Default: true, Repeat: true}, Meta{}},
	{Verb{Name: "alias", On: callable, Repeat: true}, Alias{}},
	{Verb{Name: "use", On: anyTarget | OnPackage, Default: true, Repeat: true}, Use{}},
	{Verb{Name: "allow", On: anyTarget | OnPackage, Default: true, Repeat: true}, Allow{}},
	{Verb{Name: "toggle", On: anyTarget}, Toggle{}},
}

var table = sync.OnceValue(func() []*Verb {
	var out []*Verb
	for _, r := range rows {
		v := r.verb
		v.typ = reflect.TypeOf(r.spec)
		v.Keys = keysOf(v.typ, nil)
		out = append(out, &v)
	}
	return out
})

// Verbs returns the table in order of documentation. It must not be changed.
func Verbs() []*Verb { return table() }

// Lookup returns the verb of that name, or nil.
func Lookup(name string) *Verb {
	for _, v := range table() {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Key returns the key of that name, or nil. Positional keys are not found.
func (v *Verb) Key(name string) *Key {
	for _, k := range v.Keys {
		if k.Name == name && !k.Positional {
			return k
		}
	}
	return nil
}

func keysOf(t reflect.Type, prefix []int) []*Key {
	var out []*Key
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(prefix), i)
		if f.Anonymous {
			out = append(out, keysOf(f.Type, index)...)
			continue
		}
		out = append(out, keyOf(f, index))
	}
	return out
}

// keyOf reads the tags of one field: key:"name,option…", values, planned, eg.
func keyOf(f reflect.StructField, index []int) *Key {
	v := reflect.New(f.Type).Interface().(keyType)
	opts := strings.Split(f.Tag.Get("key"), ",")
	k := &Key{Name: opts[0], Kind: v.kind(), index: index, Example: f.Tag.Get("eg")}
	switch v.(type) {
	case *Word, *Words, *Pairs:
		k.Positional = true
	}
	if s := f.Tag.Get("values"); s != "" {
		k.Values = strings.Split(s, ",")
	}
	for _, o := range opts[1:] {
		switch {
		case o == "required":
			k.Required = true
		case o == "planned":
			k.Planned = true
		case o == "flag":
			k.Flag = true
		case strings.HasPrefix(o, "code="):
			k.code = o[len("code="):]
		default:
			panic(fmt.Sprintf("marker: unknown option %q of key %s", o, k.Name))
		}
	}
	return k
}

// value returns the field of spec, a pointer to the verb's struct, that holds k.
func (k *Key) value(spec reflect.Value) keyType {
	return spec.Elem().FieldByIndex(k.index).Addr().Interface().(keyType)
}
