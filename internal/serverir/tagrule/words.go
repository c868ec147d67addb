package tagrule

import (
	"cmp"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// Word is one item of a list in a tag: a name, and perhaps a value behind an equals sign.
type Word struct {
	name, value string
	// option is what an arg line calls the word; empty in a tag.
	option string
	// valued says that there is an equals sign.
	valued bool
	// From and to are the place of the item, and at that of its value; invalid if the source is not known.
	From, to, at token.Pos
}

// said is the name as the user writes it.
func (w *Word) said() string { return cmp.Or(w.option, w.name) }

// Words returns the items of a key of a tag. They are separated by commas; a comma behind a backslash
// is part of the item.
func (b *Reader) Words(v *types.Var, tag reflect.StructTag, key string) []Word {
	text, has := tag.Lookup(key)
	if !has {
		return nil
	}
	position := b.tagPlaces(v, key, text)
	line := b.ArgLineOf[v]
	var out []Word
	for start := 0; start <= len(text); {
		end := start
		for end < len(text) && (text[end] != ',' || end > start && text[end-1] == '\\') {
			end++
		}
		if item := text[start:end]; item != "" {
			w := Word{From: position(start), to: position(end)}
			w.name, w.value, w.valued = strings.Cut(item, "=")
			w.value = strings.ReplaceAll(w.value, `\,`, ",")
			w.at = w.From
			if w.valued {
				w.at = position(start + len(w.name) + 1)
			}
			if line != nil {
				w.position(line)
			}
			out = append(out, w)
		}
		start = end + 1
	}
	return out
}

// tagPlaces returns the function that finds a byte of a value in the source of the tag. It gives the
// whole tag if that is written with escapes of its own.
func (b *Reader) tagPlaces(v *types.Var, key, text string) func(int) token.Pos {
	from, to := b.TagRange(v, key)
	if !from.IsValid() {
		return func(int) token.Pos { return token.NoPos }
	}
	node := b.FieldNode(v)
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

// position puts a word that an arg line was turned into where the line says it.
func (w *Word) position(line *directive.PromptArg) {
	for _, o := range directive.Lookup("arg").Options {
		if arg, _ := o.Written(line); arg != nil && o.Keyword == w.name {
			w.option, w.From, w.to = o.Name, arg.Pos, arg.End
			w.at, _ = source.ValueOf(arg)
		}
	}
}

// Mistakes is what is found wrong with the tags of the fields of one type of a signature.
type Mistakes struct {
	// From and To are the place of the type in the signature.
	From, To token.Pos
	// Top says that the fields at hand are the arguments themselves.
	Top bool
	// Headers are the headers that fields are mirrored in, in lower case.
	Headers map[string]Word
	// Found counts the problems.
	Found int
}
