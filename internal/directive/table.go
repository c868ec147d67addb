package directive

import (
	"reflect"
	"slices"
	"sync"
)

// Definition is one row of the table.
type Definition struct {
	Name string
	// Primary directives make a feature; the others refine one.
	Primary bool
	// Default says that a refining directive may also stand on a receiver type or beside
	// the server directive, for all features there.
	Default bool
	// DefaultPlanned says that no later stage acts on such a default yet.
	DefaultPlanned bool
	// Of names the features that a refining directive is for; none means all.
	Of []string
	// Repeat says that one declaration may have several lines of the directive.
	Repeat bool
	// On is where the directive may stand.
	On Target
	// Options are in the order in which they are documented. Positional ones come
	// first.
	Options []*Option

	typ reflect.Type
}

const (
	callable  = OnMethod | OnFunc
	anyTarget = callable | OnStruct | OnNamed | OnVar | OnConst
)

var (
	resources = []string{"resource"}
	contents  = []string{"resource", "app"}
	listed    = []string{"resource", "tool", "prompt", "app"} // what clients find in lists
	switched  = append(slices.Clip(listed), "event")
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
	{Definition{Name: "app", Primary: true, On: OnVar}, App{}},
	{Definition{Name: "skill", Primary: true, On: OnVar}, Skill{}},
	{Definition{Name: "event", Primary: true, On: OnStruct}, Event{}},
	{Definition{Name: "match", Primary: true, On: callable}, Match{}},
	{Definition{Name: "shape", Primary: true, On: callable}, Shape{}},
	{Definition{Name: "replay", Primary: true, On: callable}, Replay{}},
	{Definition{Name: "list", Primary: true, On: callable}, ListOf{}},
	{Definition{Name: "watch", Primary: true, On: callable}, Watch{}},
	{Definition{Name: "complete", Primary: true, On: callable}, Complete{}},
	{Definition{Name: "enum", Primary: true, On: OnNamed}, EnumOf{}},
	{Definition{Name: "form", Primary: true, On: OnStruct}, Form{}},
	{Definition{Name: "type", Primary: true, On: OnFunc}, TypeOf{}},
	{Definition{Name: "extension", Primary: true, On: OnVar}, Extension{}},
	{Definition{Name: "method", Primary: true, On: callable}, Method{}},
	{Definition{Name: "notification", Primary: true, On: OnStruct}, Notification{}},
	{Definition{Name: "experimental", Primary: true, On: OnVar}, Experimental{}},
	{Definition{Name: "var", Of: resources, On: callable | OnStruct, Repeat: true}, Var{}},
	{Definition{Name: "arg", Of: []string{"tool", "prompt"}, On: callable, Repeat: true}, PromptArg{}},
	{Definition{Name: "annotate", Of: contents, On: anyTarget | OnPackage, Default: true}, Annotate{}},
	{Definition{Name: "icon", Of: listed, On: anyTarget | OnPackage, Default: true, DefaultPlanned: true,
		Repeat: true}, Icon{}},
	{Definition{Name: "cache", Of: contents, On: anyTarget | OnPackage, Default: true}, Cache{}},
	{Definition{Name: "access", On: anyTarget | OnPackage, Default: true, Repeat: true}, Access{}},
	{Definition{Name: "limit", On: anyTarget | OnPackage, Default: true}, Limit{}},
	{Definition{Name: "availability", On: anyTarget | OnPackage, Default: true}, Availability{}},
	{Definition{Name: "meta", Of: listed, On: anyTarget | OnPackage, Default: true, DefaultPlanned: true,
		Repeat: true}, Meta{}},
	{Definition{Name: "alias", Of: resources, On: callable, Repeat: true}, Alias{}},
	{Definition{Name: "use", On: anyTarget | OnPackage, Default: true, Repeat: true}, Use{}},
	{Definition{Name: "allow", On: anyTarget | OnPackage, Default: true, Repeat: true}, Allow{}},
	{Definition{Name: "toggle", Of: switched, On: anyTarget}, Toggle{}},
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

// Names are the names of all directives in order of documentation.
func Names() []string {
	var out []string
	for _, v := range table() {
		out = append(out, v.Name)
	}
	return out
}

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

// Refines reports whether the directive may refine a feature of that name, such as tool.
func (v *Definition) Refines(feature string) bool {
	return !v.Primary && (len(v.Of) == 0 || slices.Contains(v.Of, feature))
}

// Refinements are the names of the directives that may refine a feature of that name, in order of documentation.
func Refinements(feature string) []string {
	var out []string
	for _, v := range table() {
		if v.Refines(feature) {
			out = append(out, v.Name)
		}
	}
	return out
}

// NewSpec returns a pointer to an empty struct of the directive, such as *Resource.
func (v *Definition) NewSpec() any { return reflect.New(v.typ).Interface() }

// OptionNames are the names of the options in order of declaration, without positional ones.
func (v *Definition) OptionNames() []string {
	var out []string
	for _, k := range v.Options {
		if !k.Positional {
			out = append(out, k.Name)
		}
	}
	return out
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
