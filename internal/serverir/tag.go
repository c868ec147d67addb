package serverir

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// tags judges the tags of a field. Those that a later version will act on are refused: a schema that
// lacks what they promise would be worse than none.
func (w *jsonChecker) tags(f *jsonField, name string) {
	w.b.rulesOf(f, w)
	if _, has := f.tag.Lookup("jsonschema_extras"); has {
		w.tag(f, "jsonschema_extras", fmt.Sprintf("the tag `jsonschema_extras` on field %s", name), "remove the tag")
	}
}

// prose refuses a description where other libraries read it. In a type of another module, whose tags are
// not ours to judge, it is no description and nothing else.
func (w *jsonChecker) prose(f *jsonField) {
	for _, word := range w.b.tagWords(f.field(), f.tag, "jsonschema") {
		if isProse(word) && word.from.IsValid() {
			p := &ruleParser{b: w.b, w: w, f: f}
			p.isText(word)
			return
		}
	}
}

func (w *jsonChecker) tag(f *jsonField, key, what, better string) {
	from, to := w.b.tagRange(f.field(), key)
	w.unsupported(f.field(), from, to, what, better)
}

// fieldNode returns the source of a field, or nil if its package was not read from source.
func (b *serverBuilder) fieldNode(v *types.Var) *ast.Field {
	pkg := b.res.PackageOf(v)
	if pkg == nil {
		return nil
	}
	var found *ast.Field
	for _, file := range pkg.Files {
		if v.Pos() < file.AST.FileStart || file.AST.FileEnd <= v.Pos() {
			continue
		}
		ast.Inspect(file.AST, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok && f.Pos() <= v.Pos() && v.Pos() < f.End() {
				found = f // the innermost is visited last
			}
			return true
		})
	}
	return found
}

// tagRange is the place of one key with its value in the tag of a field, or of the whole tag if that
// is written with escapes; invalid if its source is not known.
func (b *serverBuilder) tagRange(v *types.Var, key string) (from, to token.Pos) {
	f := b.fieldNode(v)
	if f == nil || f.Tag == nil {
		return token.NoPos, token.NoPos
	}
	text, raw := strings.CutPrefix(f.Tag.Value, "`")
	text = strings.TrimSuffix(text, "`")
	start, end := tagKey(text, key)
	if !raw || start < 0 {
		return f.Tag.Pos(), f.Tag.End()
	}
	return f.Tag.Pos() + token.Pos(1+start), f.Tag.Pos() + token.Pos(1+end)
}

// tagKey returns the bytes of a key with its value in a tag, or -1.
func tagKey(tag, key string) (start, end int) {
	value, ok := reflect.StructTag(tag).Lookup(key)
	if !ok {
		return -1, -1
	}
	// The first place where the rest begins with the key and has its value is where Lookup found it.
	for at := 0; at < len(tag); {
		i := strings.Index(tag[at:], key+`:"`)
		if i < 0 {
			break
		}
		at += i
		rest := tag[at:]
		if v, ok := reflect.StructTag(rest).Lookup(key); ok && v == value && (at == 0 || tag[at-1] == ' ') {
			return at, at + quotedEnd(rest, len(key)+1)
		}
		at++
	}
	return -1, -1
}

// quotedEnd is the end of the quoted string that begins at from.
func quotedEnd(s string, from int) int {
	for i := from + 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
