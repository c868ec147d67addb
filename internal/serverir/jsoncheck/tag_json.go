package jsoncheck

import (
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// jsonOptions are what encoding/json knows behind the name in a json tag.
var jsonOptions = []string{"omitempty", "omitzero", "string"}

// jsonTag reports what encoding/json ignores without a word in the tag of a field: text that is not key:"value", a name
// that it does not take, and options that it does not know. Tags in other modules are as they are.
func (w *checker) jsonTag(f *tagrule.Field) {
	node := w.b.FieldNode(f.Var())
	if node == nil || node.Tag == nil {
		return
	}
	if rest := unreadTag(string(f.Tag)); rest != "" {
		w.tagFault("MCP105", node.Tag.Pos(), node.Tag.End(),
			fmt.Sprintf("the tag of field %s cannot be read from %q on", f.Var().Name(),
				rest), "write key:\"value\" pairs with one space between them")
		return
	}
	text, ok := f.Tag.Lookup("json")
	if !ok {
		return
	}
	from, to := w.b.TagRange(f.Var(), "json")
	name, options, _ := strings.Cut(text, ",")
	if name != "" && !tagrule.ValidName(name) {
		w.tagFault("MCP109", from, to, fmt.Sprintf("encoding/json does not take the name %q, and uses the name of field %s",
			name, f.Var().Name()),
			"use letters, digits and punctuation other than quotes, backslash and comma")
	}
	for option := range strings.SplitSeq(options, ",") {
		if option == "" || slices.Contains(jsonOptions, option) {
			continue
		}
		better := "one of: " + strings.Join(jsonOptions, " ")
		if near := directive.Nearest(option, jsonOptions); near != "" {
			better = near
		}
		w.tagFault("MCP104", from, to, fmt.Sprintf("encoding/json has no option `%s`", option), better)
	}
}

func (w *checker) tagFault(code string, from, to token.Pos, message, better string) {
	w.b.Report(code, from, to, message, report.Fix(better))
	w.Found++
}

// unreadTag returns what of a tag package reflect does not read: from the first byte that is not in the form
// key:"value". It is empty if all of it is.
func unreadTag(tag string) string {
	for tag = strings.TrimLeft(tag, " "); tag != ""; tag = strings.TrimLeft(tag, " ") {
		i := strings.IndexFunc(tag, func(r rune) bool { return r <= ' ' || r == ':' || r == '"' || r == 0x7f })
		if i <= 0 || !strings.HasPrefix(tag[i:], `:"`) {
			return tag
		}
		end := source.QuotedEnd(tag, i+1)
		if _, err := strconv.Unquote(tag[i+1 : end]); err != nil {
			return tag
		}
		if _, ok := reflect.StructTag(tag).Lookup(tag[:i]); !ok {
			return tag
		}
		tag = tag[end:]
	}
	return ""
}
