package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// prose are the keywords that hold text of the specification, or repeat inside of a definition what the file says.
// Facts never contain them.
var prose = []string{"description", "title", "$comment", "examples", "markdownDescription", "$schema", "$id"}

// Import turns an official schema file into facts: members sorted, prose removed, the
// SHA-256 of the source kept. Importing facts gives the same bytes again.
func Import(file string, data []byte) ([]byte, error) { return ImportExtension(file, "", data) }

// ImportExtension is [Import] for the schema of an extension, whose identifier the facts keep. An empty id is that of
// the file, which only facts have.
func ImportExtension(file, id string, data []byte) ([]byte, error) {
	if _, err := Parse(file, "", data); err != nil {
		return nil, err
	}
	doc, err := parseJSON(file, data)
	if err != nil {
		return nil, err
	}
	key, defs, err := container(doc)
	if err != nil {
		return nil, err
	}
	id, err = identifierOf(doc, id)
	if err != nil {
		return nil, err
	}
	w := &factsWriter{}
	w.line(0, "{")
	if dialect := doc.get("$schema"); dialect != nil {
		w.line(1, quote("$schema")+": "+quote(dialect.text)+",")
	}
	if id != "" {
		w.line(1, quote("extension")+": "+quote(id)+",")
	}
	w.line(1, quote("source")+`: {"sha256": `+quote(sourceSum(doc, data))+"},")
	w.body(quote(key)+": ", strip(defs, true), "", 1)
	w.line(0, "}")
	return w.buf.Bytes(), nil
}

// sourceSum returns the hash that a facts file carries, or the hash of the data.
func sourceSum(doc *value, data []byte) string {
	if sum := doc.get("source").get("sha256"); sum != nil && sum.kind == kindString {
		return sum.text
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// factsWriter prints schema objects: short ones on one line, others one member a line.
type factsWriter struct{ buf bytes.Buffer }

const factsWidth = 110

func (w *factsWriter) line(indent int, s string) {
	for range indent {
		w.buf.WriteByte('\t')
	}
	w.buf.WriteString(s)
	w.buf.WriteByte('\n')
}

func (w *factsWriter) member(name string, v *value, comma string, indent int) {
	head := quote(name) + ": "
	short := head + flat(v) + comma
	if len(short)+4*indent <= factsWidth || v.kind != kindObject && v.kind != kindArray {
		w.line(indent, short)
		return
	}
	w.body(head, v, comma, indent)
}

// body prints a long object or array over several lines.
func (w *factsWriter) body(head string, v *value, comma string, indent int) {
	open, end := "{", "}"
	if v.kind == kindArray {
		open, end = "[", "]"
	}
	w.line(indent, head+open)
	for i, m := range v.members {
		w.member(m.name, m.value, sep(i, len(v.members)), indent+1)
	}
	for i, item := range v.items {
		short := flat(item) + sep(i, len(v.items))
		if len(short)+4*(indent+1) <= factsWidth {
			w.line(indent+1, short)
			continue
		}
		w.body("", item, sep(i, len(v.items)), indent+1)
	}
	w.line(indent, end+comma)
}

func sep(i, n int) string {
	if i == n-1 {
		return ""
	}
	return ","
}

// strip returns v sorted and without prose. In a map of properties or definitions every
// name is data, so nothing is removed at that level.
func strip(v *value, names bool) *value {
	out := &value{kind: v.kind, text: v.text}
	for _, m := range v.sorted() {
		if !names && slices.Contains(prose, m.name) {
			continue
		}
		sub := m.value
		if names || m.name != "const" && m.name != "enum" && m.name != "default" {
			sub = strip(m.value, !names && isNameMap(m.name))
		}
		out.members = append(out.members, member{name: m.name, value: sub})
	}
	for _, item := range v.items {
		out.items = append(out.items, strip(item, false))
	}
	return out
}

func isNameMap(keyword string) bool {
	return slices.Contains([]string{"properties", "$defs", "definitions", "patternProperties"}, keyword)
}

// flat prints v on one line.
func flat(v *value) string {
	var parts []string
	switch v.kind {
	case kindObject:
		for _, m := range v.members {
			parts = append(parts, quote(m.name)+": "+flat(m.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case kindArray:
		for _, item := range v.items {
			parts = append(parts, flat(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case kindString:
		return quote(v.text)
	case kindNull:
		return "null"
	default:
		return v.text
	}
}

func quote(s string) string {
	text, _ := encode(s, "") // a string cannot fail
	return string(bytes.TrimRight(text, "\n"))
}

// encode prints JSON for files that people read: with line ends, and with <, > and & as they are.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	err := enc.Encode(v)
	return b.Bytes(), err
}
