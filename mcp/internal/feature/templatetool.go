package feature

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// TemplateTool expands a template with the arguments of a tool. Generated code makes it with [ReadsTemplate].
type TemplateTool struct {
	template string
	uri      func(v *uri.Vars) (string, error)
	kinds    []wire.Kind // of the variables; for a list, the kind of its elements
	// The functions are fields, so that programs without such tools do not link them.
	answer Answer
	fill   func(t *TemplateTool, args []byte) (uri string, err error)
	link   func(f *Features) error
}

// ReadsTemplate returns a value for [Tool.Reads]. template is the text of a template of the same server, and uri builds
// a URI from its variables. The arguments of the tool are the variables by name. kinds has one kind for each variable:
// string, number or boolean. For a list it is the kind of the elements. answer answers the calls.
func ReadsTemplate(answer Answer, template string, uri func(v *uri.Vars) (string, error),
	kinds ...wire.Kind) *TemplateTool {
	return &TemplateTool{template, uri, kinds, answer, fillTemplate, linkTemplates}
}

// fillTemplate reads the arguments as variables and returns the URI. The error is a *content.ArgumentsError if the
// arguments are not valid.
func fillTemplate(t *TemplateTool, args []byte) (string, error) {
	vars := uritemplate.Vars(t.template)
	var need []string
	for _, v := range vars {
		if !v.Op.InQuery() {
			need = append(need, v.Name)
		}
	}
	var v uri.Vars
	err := content.Arguments(args, func(d *wire.Decoder, v *uri.Vars) {
		for d.Object(); d.Next(); {
			name := string(d.Name())
			i := slices.IndexFunc(vars, func(v uritemplate.Var) bool { return v.Name == name })
			if i < 0 {
				d.Fail("unknown argument")
				continue
			}
			setArgument(v, i, vars[i], t.kinds[i], d)
		}
		d.Require(v.Mask(), need...)
	}, &v)
	if err != nil {
		return "", err
	}
	address, err := t.uri(&v)
	if wrong, ok := err.(*uri.VarError); ok { //nolint:errorlint // made by Vars, and never wrapped
		err = content.WrongArguments(fmt.Errorf("/%s: %s", wrong.Var, wrong.Reason))
	}
	return address, err
}

// setArgument sets variable i of v to the value at d, as escaped text. The elements of a list are separated by '&'.
func setArgument(v *uri.Vars, i int, of uritemplate.Var, kind wire.Kind, d *wire.Decoder) {
	if !of.Explode {
		v.Set(i, string(plainValue(nil, kind, d)))
		return
	}
	var list []byte
	n := 0
	for d.Array(); d.More(); n++ {
		if n > 0 {
			list = append(list, '&')
		}
		before := len(list)
		list = plainValue(list, kind, d)
		d.Must(of.Op.InQuery() || len(list) > before, "must not be empty")
	}
	if n > 0 {
		v.SetList(i, string(list))
	}
}

// kindReasons has the error texts for a value that is not of a kind.
var kindReasons = map[wire.Kind]string{
	wire.KindString: "must be a string", wire.KindNumber: "must be a number", wire.KindBool: "must be a boolean",
}

// plainValue appends the value at d, escaped for a URI. If the value is not of the given kind, it makes d fail.
func plainValue(b []byte, kind wire.Kind, d *wire.Decoder) []byte {
	switch {
	case d.Kind() != kind:
		d.Fail(kindReasons[kind])
		return b
	case kind == wire.KindString:
		return wire.AppendSegment(b, d.String())
	case kind == wire.KindNumber: // 1e1 and 10.0 are integers to JSON Schema, but not to a URI
		return wire.AppendSegment(b, wire.PlainNumber(string(d.Raw())))
	}
	return wire.AppendSegment(b, string(d.Raw()))
}

// LinkTools connects the tools that read templates with their templates, and returns an error if a template does not
// exist. If there are such tools, it replaces f.Tools by a copy.
func (f *Features) LinkTools() error {
	for i := range f.Tools {
		if t := f.Tools[i].Reads; t != nil {
			return t.link(f)
		}
	}
	return nil
}

// linkTemplates is LinkTools for features with tools that read templates.
func linkTemplates(f *Features) error {
	f.Tools = slices.Clone(f.Tools)
	for i := range f.Tools {
		t := &f.Tools[i]
		if t.Reads == nil {
			continue
		}
		at := slices.IndexFunc(f.Resources, func(r Resource) bool {
			return r.Template != nil &&
				r.Template.URITemplate == t.Reads.template
		})
		if at < 0 {
			return fmt.Errorf("mcp: Features.Tools[%d]: no resource has the template %q", i, t.Reads.template)
		}
		if vars := len(uritemplate.Vars(t.Reads.template)); vars != len(t.Reads.kinds) {
			return fmt.Errorf("mcp: Features.Tools[%d]: the template %q has %d variables, and the kinds of %d are known; "+
				"run go generate, because the output is older than the mcp packages", i, t.Reads.template, vars, len(t.Reads.kinds))
		}
		t.Answer, t.ReadsAt, t.Guard, t.Revisions = t.Reads.answer, at, f.Resources[at].Guard, f.Resources[at].Revisions
	}
	return nil
}

// Address expands the template with the arguments of a call. The error is a *content.ArgumentsError if the arguments
// are not valid.
func (t *TemplateTool) Address(args []byte) (string, error) { return t.fill(t, args) }
