package directive

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

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

// Definition is one row of the table.
type Definition struct {
	Name string
	// Primary directives make a feature; the others refine one.
	Primary bool
	// Default says that a refining directive may also stand on a receiver type or beside
	// the server directive, for all features there.
	Default bool
	// Repeat says that one declaration may have several lines of the directive.
	Repeat bool
	// Planned marks a directive that the grammar has and that no later stage acts on yet.
	Planned bool
	// On is where the directive may stand.
	On Target
	// Options are in the order in which they are documented. Positional ones come
	// first.
	Options []*Option

	typ reflect.Type
}

// Option is one option of a directive.
type Option struct {
	Name     string
	Kind     string
	Required bool
	// Planned is true if no later stage acts on the option yet.
	Planned bool
	// Positional options are written without their name.
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
	def  Definition
	spec any
}{
	{Definition{Name: "server", Primary: true, On: OnPackage}, Server{}},
	{Definition{Name: "resource", Primary: true, On: callable | OnStruct | OnVar | OnConst}, Resource{}},
	{Definition{Name: "tool", Primary: true, On: callable}, Tool{}},
	{Definition{Name: "prompt", Primary: true, On: callable}, Prompt{}},
	{Definition{Name: "list", Primary: true, On: callable}, ListOf{}},
	{Definition{Name: "watch", Primary: true, On: callable}, Watch{}},
	{Definition{Name: "complete", Primary: true, On: callable}, Complete{}},
	{Definition{Name: "enum", Primary: true, On: OnNamed}, EnumOf{}},
	{Definition{Name: "form", Primary: true, On: OnStruct}, Form{}},
	{Definition{Name: "type", Primary: true, On: OnFunc}, TypeOf{}},
	{Definition{Name: "var", On: callable | OnStruct, Repeat: true}, Var{}},
	{Definition{Name: "arg", On: callable, Repeat: true}, PromptArg{}},
	{Definition{Name: "annotate", On: anyTarget | OnPackage, Default: true}, Annotate{}},
	{Definition{Name: "icon", On: anyTarget | OnPackage, Default: true, Repeat: true}, Icon{}},
	{Definition{Name: "cache", On: anyTarget | OnPackage, Default: true}, Cache{}},
	{Definition{Name: "access", On: anyTarget | OnPackage, Default: true, Repeat: true}, Access{}},
	{Definition{Name: "limit", On: anyTarget | OnPackage, Default: true}, Limit{}},
	{Definition{Name: "availability", On: anyTarget | OnPackage, Default: true}, Availability{}},
	{Definition{Name: "meta", On: anyTarget | OnPackage, Default: true, Repeat: true}, Meta{}},
	{Definition{Name: "alias", On: callable, Repeat: true}, Alias{}},
	{Definition{Name: "use", On: anyTarget | OnPackage, Default: true, Repeat: true}, Use{}},
	{Definition{Name: "allow", On: anyTarget | OnPackage, Default: true, Repeat: true}, Allow{}},
	{Definition{Name: "toggle", On: anyTarget}, Toggle{}},
}

var table = sync.OnceValue(func() []*Definition {
	var out []*Definition
	for _, r := range rows {
		v := r.def
		v.typ = reflect.TypeOf(r.spec)
		v.Options = optionsOf(v.typ, nil)
		out = append(out, &v)
	}
	return out
})

// Definitions returns the table in order of documentation. It must not be changed.
func Definitions() []*Definition { return table() }

// Lookup returns the directive of that name, or nil.
func Lookup(name string) *Definition {
	for _, v := range table() {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Option returns the option of that name, or nil. Positional options are not found.
func (v *Definition) Option(name string) *Option {
	for _, k := range v.Options {
		if k.Name == name && !k.Positional {
			return k
		}
	}
	return nil
}

func optionsOf(t reflect.Type, prefix []int) []*Option {
	var out []*Option
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(prefix), i)
		if f.Anonymous {
			out = append(out, optionsOf(f.Type, index)...)
			continue
		}
		out = append(out, optionOf(f, index))
	}
	return out
}

// optionOf reads the tags of one field: option:"name,option…", values, planned, eg.
func optionOf(f reflect.StructField, index []int) *Option {
	v := reflect.New(f.Type).Interface().(optionType)
	opts := strings.Split(f.Tag.Get("option"), ",")
	k := &Option{Name: opts[0], Kind: v.kind(), index: index, Example: f.Tag.Get("eg")}
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
			panic(fmt.Sprintf("directive: unknown word %q in the tag of option %s", o, k.Name))
		}
	}
	return k
}

// value returns the field of spec, a pointer to the directive's struct, that holds k.
func (k *Option) value(spec reflect.Value) optionType {
	return spec.Elem().FieldByIndex(k.index).Addr().Interface().(optionType)
}
