package directive

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Option is one option of a directive.
type Option struct {
	Name     string
	Kind     string
	Required bool
	// Positional options are written without their name.
	Positional bool
	// Values are the words of an enum.
	Values []string
	// Flag says that an enum may also be written without a value.
	Flag bool
	// Example is a valid value.
	Example string

	// Code is the diagnostic for values that are refused.
	Code string
	// Keyword is the keyword of the jsonschema tag that says the same about a field; empty for none.
	Keyword string
	// Repeats says that the option may be written more than once, and then adds to what was there.
	Repeats bool

	index []int
}

// Problem says why a value is refused.
type Problem struct {
	// From and To are bytes of the value; both 0 means all of it.
	From, To int
	// Message says what is wrong, Hint what would be right in general, and Fix what to write.
	Message, Hint, Fix string
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

// optionOf reads the tags of one field: option:"name,option…", values, schema, eg.
func optionOf(f reflect.StructField, index []int) *Option {
	v := reflect.New(f.Type).Interface().(optionType)
	opts := strings.Split(f.Tag.Get("option"), ",")
	k := &Option{Name: opts[0], Kind: v.kind(), index: index, Example: f.Tag.Get("eg"), Code: "MCP109",
		Keyword: f.Tag.Get("schema")}
	k.Repeats, k.Positional = repeats(v), isPositional(v)
	if s := f.Tag.Get("values"); s != "" {
		k.Values = strings.Split(s, ",")
	}
	for _, o := range opts[1:] {
		switch {
		case o == "required":
			k.Required = true
		case o == "flag":
			k.Flag = true
		case strings.HasPrefix(o, "code="):
			k.Code = o[len("code="):]
		default:
			panic(fmt.Sprintf("directive: unknown word %q in the tag of option %s", o, k.Name))
		}
	}
	return k
}

// Decode reads an argument into the field of spec, a pointer to the directive's struct, and notes there where it was
// written. Nothing is noted if the argument is refused.
func (k *Option) Decode(spec any, a *Arg) *Problem {
	v := k.value(spec)
	p := v.decode(a, k)
	if p == nil && k.Positional {
		p = k.WordProblem(a.Text())
	}
	if p == nil {
		v.set(a)
	}
	return p
}

// Written returns where the option was written in spec, a pointer to the directive's struct, and its value as a text;
// nil if it was not, or was refused.
func (k *Option) Written(spec any) (a *Arg, text string) {
	v := k.value(spec)
	if a = v.written(); a == nil {
		return nil, ""
	}
	if p, ok := v.(*Regexp); ok {
		return a, p.V.String() // matches a text only as a whole
	}
	return a, a.Value
}

// WordProblem says why a word cannot stand in the place of a positional option; nil if it can.
func (k *Option) WordProblem(word string) *Problem {
	switch {
	case k.Name == "CODE" && !IsCode(word):
		return &Problem{Message: fmt.Sprintf("`%s` is not the id of a diagnostic", word)}
	case k.Name == "CODE" && notAllowed(word) != "":
		return &Problem{Message: notAllowed(word)}
	case k.Name == "NAME" && !IsVariable(word):
		return &Problem{Message: fmt.Sprintf("`%s` is not a name", word)}
	}
	return nil
}

// optionType is what the pointer of every option type implements.
type optionType interface {
	// set remembers where the option was written first.
	set(a *Arg)
	// written is where that was.
	written() *Arg
	// decode reads a.Value; nil means that it is valid.
	decode(a *Arg, k *Option) *Problem
	// kind describes the type for people.
	kind() string
}

// value returns the field of spec, a pointer to the directive's struct, that holds k.
func (k *Option) value(spec any) optionType {
	return reflect.ValueOf(spec).Elem().FieldByIndex(k.index).Addr().Interface().(optionType)
}
