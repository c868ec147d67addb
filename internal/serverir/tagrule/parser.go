package tagrule

import (
	"go/token"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/jsonschema"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// RuleSet are keywords in both forms: for the schema, and for generated code.
type RuleSet struct {
	jsonschema.Keywords
	Checks []ir.Check
}

// Words returns the keywords for a schema.
func (r *RuleSet) Words() *jsonschema.Keywords { return &r.Keywords }

// ruleParser reads the words of one tag.
type ruleParser struct {
	b    *Reader
	w    *Mistakes
	f    *Field
	r    *Rules
	own  Class
	seen map[string]Word
	// before is the word before the one that is read, and rest are those behind it.
	before Word
	rest   []Word
}

// target is what a keyword limits: the value, or the elements of a list.
type target struct {
	Class
	*RuleSet
}

// keywordRule is one keyword of the jsonschema tag.
type keywordRule struct {
	name string
	// on are the classes of values that it is for; 0 for all.
	on Classes
	// flag says that it has no value, many that it may be repeated.
	flag, many bool
	// read takes the value and returns what is wrong with it, or "".
	read func(p *ruleParser, t target, w Word) string
}

// related points to another word of the tag.
func (p *ruleParser) related(w Word) []report.Option {
	if !w.From.IsValid() {
		return nil
	}
	return []report.Option{p.b.Related(w.From, w.to, "the other one")}
}

// reportAt adds a diagnostic about a place of the tag, or about the type in the signature if the source
// of the tag is not known.
func (p *ruleParser) reportAt(code string, from, to token.Pos, message, better string, options ...report.Option) {
	if p.w == nil {
		return
	}
	p.w.Found++
	if line := p.b.ArgLineOf[p.f.Var()]; !from.IsValid() && line != nil && line.Name.Set() {
		from, to = source.ValueOf(line.Name.Arg)
	} else if !from.IsValid() {
		from, to, message = p.w.From, p.w.To, "field "+p.f.Var().Name()+": "+message
	}
	p.b.Report(code, from, to, message, append(options, report.Fix(better))...)
}

// Rules is what the tags of a field of an input say beyond its name.
type Rules struct {
	Required, Nullable bool
	Description        string
	// EnumNames says that a form shows the titles of choices in the old way.
	EnumNames bool
	// Header is the HTTP header that mirrors the field; empty for none.
	Header string
	// Own and Elem are the keywords of the value and of its elements.
	Own, Elem RuleSet
	// Fallback is the value of a member that is left out; nil for the zero value.
	Fallback []string
}
