package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/schema"
)

// entry is one sentence of docs.json.
type entry struct {
	key  string   // as messages show it
	doc  string   //
	name string   // Go name that the sentence begins with
	from []string // names and types that the reader sees beside it
}

// entries returns all sentences in the order of their keys.
func entries(t *testing.T) []entry {
	t.Helper()
	docs, err := schema.EmbeddedDocs()
	if err != nil {
		t.Fatal(err)
	}
	types := fieldTypes(t)
	var out []entry
	for path, d := range docs.Types {
		out = append(out, entry{"types " + path, d.Doc, goname.Of(path), []string{path, "struct union object"}})
		for f, doc := range d.Fields {
			out = append(out, entry{"types " + path + "." + f, doc, goname.Of(f), []string{path, f, types[path+"."+f]}})
		}
	}
	for name, d := range docs.Enums {
		out = append(out, entry{"enums " + name, d.Doc, goname.Of(name), []string{name, "string enum"}})
		for v, doc := range d.Values {
			out = append(out, entry{"enums " + name + "." + v, doc, goname.Of(name) + goname.Of(v), []string{name, v, "string"}})
		}
	}
	for m, doc := range docs.Methods {
		out = append(out, entry{"methods " + m, doc, "Method" + goname.Of(m), []string{m, "method request notification"}})
	}
	codes := codeNames(t)
	for c, doc := range docs.Codes {
		out = append(out, entry{"codes " + c, doc, codes[c], []string{c, codes[c], "error integer"}})
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	return out
}

func revisions(t *testing.T) []*schema.Schema {
	t.Helper()
	list, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// documented calls f for every object of the schemas with the path that its docs stand under, for every property
// of it with the path and the name, and for every value of an enumeration. Envelopes lack their frame.
type documented struct {
	object   func(path string, n *schema.Node)
	property func(path, name string, n *schema.Node)
	value    func(path, value string)
}

func (d documented) walk(list []*schema.Schema) {
	for _, s := range list {
		for _, def := range s.Defs {
			d.node(def.Name, def.Node)
			for _, part := range def.Node.AllOf {
				if part.Ref == "" {
					d.node(def.Name, part)
				}
			}
			for _, v := range def.Node.Enum {
				d.value(def.Name, v.Text)
			}
		}
	}
}

func (d documented) node(path string, n *schema.Node) {
	d.object(path, n)
	for _, p := range n.Properties {
		frame := n.Property("jsonrpc") != nil || n.Property("method") != nil
		if frame && (p.Name == "jsonrpc" || p.Name == "id" || p.Name == "method") {
			continue
		}
		d.property(path, p.Name, p.Node)
		sub := p.Node
		if sub.Items != nil {
			sub = sub.Items
		}
		if len(sub.Properties) > 0 {
			d.node(inlinePath(path, p.Name, frame), sub)
		}
	}
}

// inlinePath returns the path of an anonymous object: that of the named one that newer revisions have in its place,
// where there is one.
func inlinePath(path, property string, frame bool) string {
	switch {
	case property == "params" && frame:
		return path + "Params"
	case property == "annotations":
		return "Annotations"
	case property == "_meta":
		return "RequestMetaObject"
	case path == "JSONRPCError" && property == "error":
		return "Error"
	default:
		return path + "." + property
	}
}

// frames are params that only package wire reads: those of a message whose method is open.
func frames(path string) bool {
	return path == "JSONRPCRequestParams" || path == "JSONRPCNotificationParams"
}

// TestDocsAreComplete asks for a sentence on every definition, property and value of every revision.
func TestDocsAreComplete(t *testing.T) {
	docs, err := schema.EmbeddedDocs()
	if err != nil {
		t.Fatal(err)
	}
	definitions, fields := map[string]bool{}, map[string]bool{}
	documented{
		object: func(path string, _ *schema.Node) {
			definitions[path] = true
			if docs.Types[path].Doc == "" && docs.Enums[path].Doc == "" && !frames(path) {
				t.Errorf("no sentence on %s", path)
			}
		},
		property: func(path, name string, _ *schema.Node) {
			fields[path+"."+name] = true
			if docs.Types[path].Fields[name] == "" && !frames(path) {
				t.Errorf("no sentence on %s.%s", path, name)
			}
		},
		value: func(path, value string) {
			if docs.Enums[path].Values[value] == "" {
				t.Errorf("no sentence on the value %s of %s", value, path)
			}
		},
	}.walk(revisions(t))
	if len(definitions) < 207 || len(fields) < 500 {
		t.Errorf("only %d definitions and %d fields were looked at", len(definitions), len(fields))
	}
}

// fieldTypes returns for each property the names of its types in all revisions.
func fieldTypes(t *testing.T) map[string]string {
	out := map[string]string{}
	documented{
		object: func(string, *schema.Node) {},
		value:  func(string, string) {},
		property: func(path, name string, n *schema.Node) {
			for n != nil {
				out[path+"."+name] += fmt.Sprint(" ", n.Ref, " ", n.Types)
				n = n.Items
			}
		},
	}.walk(revisions(t))
	return out
}

// codeNames returns the Go name of each error code.
func codeNames(t *testing.T) map[string]string {
	out := map[string]string{}
	for _, s := range revisions(t) {
		for _, d := range s.Defs {
			nodes := []*schema.Node{d.Node}
			if p := d.Node.Property("error"); p != nil {
				nodes = append(nodes, p.Node.AllOf...)
			}
			for _, n := range nodes {
				if p := n.Property("code"); p != nil && p.Node.Const != nil {
					out[p.Node.Const.Text] = "Code" + goname.Of(strings.TrimSuffix(d.Name, "Error"))
				}
			}
		}
	}
	return out
}

// stopWords carry no meaning of their own.
var stopWords = strings.Fields(`a an and any are as at be been by can contains each either field for from given has have
	holds if in is it its kind list may member name named not object of on one optional or other property represents
	required returned sent set that the their them this to type used value values when which will with`)

// lintWords splits at everything but letters and digits, and at capitals inside a word.
func lintWords(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		start := 0
		for i := 1; i < len(w); i++ {
			if unicode.IsUpper(rune(w[i])) && unicode.IsLower(rune(w[i-1])) {
				out = append(out, strings.ToLower(w[start:i]))
				start = i
			}
		}
		out = append(out, strings.ToLower(w[start:]))
	}
	return out
}

// stem makes plural and singular alike.
func stem(word string) string { return strings.TrimSuffix(strings.TrimSuffix(word, "s"), "e") }

// saysNothing reports whether all words of a sentence follow from its surroundings.
func saysNothing(doc string, from []string) bool {
	known := map[string]bool{}
	for _, w := range append(lintWords(strings.Join(from, " ")), stopWords...) {
		known[stem(w)] = true
	}
	return !slices.ContainsFunc(lintWords(doc), func(w string) bool { return !known[stem(w)] })
}

func TestDocsSaySomething(t *testing.T) {
	seen := map[string]string{}
	for _, e := range entries(t) {
		_, text, _ := strings.Cut(e.doc, " ")
		switch {
		case e.doc == "":
			t.Errorf("%s: no sentence", e.key)
		case saysNothing(e.doc, append(e.from, e.name)):
			t.Errorf("%s: %q follows from the identifier", e.key, e.doc)
		case len(strings.Fields(text)) < 4:
			t.Errorf("%s: %q is no sentence", e.key, e.doc)
		case seen[e.doc] != "" && seen[e.doc] != e.name: // twins may share one
			t.Errorf("%s: the same sentence as on another %s", e.key, seen[e.doc])
		}
		seen[e.doc] = e.name
	}
}

func TestSaysNothing(t *testing.T) {
	for _, c := range []struct {
		doc  string
		from []string
		want bool
	}{
		{"NextCursor is the next cursor.", []string{"ListToolsResult", "nextCursor", "string"}, true},
		{"Params holds the params of the request.", []string{"PingRequest", "params"}, true},
		{"Tools are the listed tools.", []string{"ListToolsResult", "tools"}, false},
		{"TTL counts milliseconds.", []string{"Task", "ttl", "integer"}, false},
	} {
		if got := saysNothing(c.doc, c.from); got != c.want {
			t.Errorf("%q: %v", c.doc, got)
		}
	}
}

func TestDocsForm(t *testing.T) {
	for _, e := range entries(t) {
		first, _, _ := strings.Cut(e.doc, " ")
		switch {
		case first != e.name:
			t.Errorf("%s: begins with %q, want %s", e.key, first, e.name)
		case !strings.HasSuffix(e.doc, ".") || strings.HasSuffix(e.doc, ".."):
			t.Errorf("%s: %q does not end with one period", e.key, e.doc)
		case strings.ContainsAny(e.doc, "\n\t") || strings.Contains(e.doc, "  ") || strings.TrimSpace(e.doc) != e.doc:
			t.Errorf("%s: %q has odd white space", e.key, e.doc)
		case len(e.doc) > 200:
			t.Errorf("%s: %d bytes are too long for one sentence", e.key, len(e.doc))
		}
	}
}

// copyRun is how many words in a row may not be those of the specification.
const copyRun = 8

// TestDocsAreOurOwn compares runs of words with the descriptions of the official schemas, where they are at hand.
func TestDocsAreOurOwn(t *testing.T) {
	dir := os.Getenv("MCPGEN_MCP_SCHEMA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "mcp-schema")
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the official schemas are absent")
	}
	files, err := filepath.Glob(filepath.Join(dir, "????-??-??", "schema.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no official schemas in %s: %v", dir, err)
	}
	theirs := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc any
		if err := json.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		descriptions(doc, func(text string) { maps.Copy(theirs, runsOf(text)) })
	}
	if len(theirs) < 1000 {
		t.Errorf("only %d runs of words found in the official schemas", len(theirs))
	}
	for _, e := range entries(t) {
		for run := range runsOf(e.doc) {
			if theirs[run] {
				t.Errorf("%s: %q stands in the official schema", e.key, run)
			}
		}
	}
}

func descriptions(v any, f func(string)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			descriptions(item, f)
		}
	case map[string]any:
		for key, item := range v {
			if text, ok := item.(string); ok && key == "description" {
				f(text)
			}
			descriptions(item, f)
		}
	}
}

// runsOf returns every run of copyRun words of a text.
func runsOf(text string) map[string]bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	})
	out := map[string]bool{}
	for i := 0; i+copyRun <= len(words); i++ {
		out[strings.Join(words[i:i+copyRun], " ")] = true
	}
	return out
}
