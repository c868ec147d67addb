package serverir

import (
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// tagWord is one item of a list in a tag: a name, and perhaps a value behind an equals sign.
type tagWord struct {
	name, value string
	// valued says that there is an equals sign.
	valued bool
	// from and to are the place of the item, and at that of its value; invalid if the source is not known.
	from, to, at token.Pos
}

// tagWords returns the items of a key of a tag. They are separated by commas; a comma behind a backslash
// is part of the item.
func (b *serverBuilder) tagWords(v *types.Var, tag reflect.StructTag, key string) []tagWord {
	text, has := tag.Lookup(key)
	if !has {
		return nil
	}
	place := b.tagPlaces(v, key, text)
	line := b.argLineOf[v]
	var out []tagWord
	for start := 0; start <= len(text); {
		end := start
		for end < len(text) && (text[end] != ',' || end > start && text[end-1] == '\\') {
			end++
		}
		if item := text[start:end]; item != "" {
			w := tagWord{from: place(start), to: place(end)}
			w.name, w.value, w.valued = strings.Cut(item, "=")
			w.value = strings.ReplaceAll(w.value, `\,`, ",")
			w.at = w.from
			if w.valued {
				w.at = place(start + len(w.name) + 1)
			}
			if line != nil {
				w.place(line)
			}
			out = append(out, w)
		}
		start = end + 1
	}
	return out
}

// tagPlaces returns the function that finds a byte of a value in the source of the tag. It gives the
// whole tag if that is written with escapes of its own.
func (b *serverBuilder) tagPlaces(v *types.Var, key, text string) func(int) token.Pos {
	from, to := b.tagRange(v, key)
	if !from.IsValid() {
		return func(int) token.Pos { return token.NoPos }
	}
	node := b.fieldNode(v)
	raw, ok := strings.CutPrefix(node.Tag.Value, "`")
	if !ok || from == node.Tag.Pos() {
		return func(i int) token.Pos {
			if i == 0 {
				return from
			}
			return to
		}
	}
	quoted := raw[int(from-node.Tag.Pos())-1+len(key)+2:]
	places := make([]token.Pos, 0, len(text)+1)
	at := from + token.Pos(len(key)+2)
	for len(places) < len(text) {
		r, _, rest, err := strconv.UnquoteChar(quoted, '"')
		if err != nil {
			break
		}
		for range max(1, len(string(r))) {
			places = append(places, at)
		}
		at += token.Pos(len(quoted) - len(rest))
		quoted = rest
	}
	return func(i int) token.Pos {
		if i < len(places) {
			return places[i]
		}
		return at
	}
}
