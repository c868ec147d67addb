package jsoncheck

import (
	"fmt"

	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// tags judges the tags of a field. Those that a later version will act on are refused: a schema that
// lacks what they promise would be worse than none.
func (w *checker) tags(f *tagrule.Field, name string) {
	w.b.RulesOf(f, &w.Mistakes)
	if _, has := f.Tag.Lookup("jsonschema_extras"); has {
		w.tag(f, "jsonschema_extras", fmt.Sprintf("the tag `jsonschema_extras` on field %s", name), "remove the tag")
	}
}

// prose refuses a description where other libraries read it. In a type of another module, whose tags are
// not ours to judge, it is no description and nothing else.
func (w *checker) prose(f *tagrule.Field) {
	for _, word := range w.b.Tags.Words(f.Var(), f.Tag, "jsonschema") {
		if tagrule.IsProse(word) && word.From.IsValid() {
			w.b.Tags.Prose(f, word, &w.Mistakes)
			return
		}
	}
}

func (w *checker) tag(f *tagrule.Field, key, what, better string) {
	from, to := w.b.TagRange(f.Var(), key)
	w.unsupported(f.Var(), from, to, what, better)
}
