// Package comment makes doc comments from the sentences of a table, and knows which sentences are missing.
package comment

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/protocolir/merged"
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// Writer makes doc comments from the sentences of a table.
type Writer struct {
	Dates   []string // of the revisions
	All     ir.Revs
	Missing []schema.DocKey // items without a sentence
}

// Type returns the doc comment of a type: the sentence of docs.json or one made from
// the name, and the revisions that have it.
func (c *Writer) Type(name string, d *merged.Def, doc string) string {
	if doc == "" {
		key := schema.DocKey{Section: "types", Name: d.Path}
		if d.Kind == revision.Enum {
			key = schema.DocKey{Section: "enums", Name: d.Name}
		}
		c.Missing = append(c.Missing, key)
		doc = name + " is the " + d.Path + " object of the protocol."
	}
	doc = rename(doc, goname.Of(d.Path), name)
	if note := c.Note(d.Revs, c.All); note != "" && !c.tells(doc, d.Revs) {
		doc += "\n\n" + note
	}
	return doc
}

// Member returns the doc comment of a field, an enum value, a method or a code. The key
// is what its sentence is looked up by.
func (c *Writer) Member(key schema.DocKey, doc string, revs, owner ir.Revs) string {
	if doc == "" {
		c.Missing = append(c.Missing, key)
	}
	note := c.Note(revs, owner)
	switch {
	case doc == "" || note == "":
		return doc + note
	case c.tells(doc, revs):
		return doc
	default:
		return doc + " " + note
	}
}

// tells reports whether a sentence already names the revision in which something came or
// after which it went.
func (c *Writer) tells(doc string, revs ir.Revs) bool {
	first, after := revs.First(), revs.Last()+1
	if first > 0 && !strings.Contains(doc, c.Dates[first]) {
		return false
	}
	if after == len(c.Dates) {
		return true
	}
	return strings.Contains(doc, c.Dates[after]) || strings.Contains(doc, c.Dates[after-1])
}

// rename lets a sentence that begins with the computed name of an anonymous type begin
// with the name that the exceptions chose for it.
func rename(doc, from, to string) string {
	if rest, ok := strings.CutPrefix(doc, from+" "); ok {
		return to + " " + rest
	}
	return doc
}

// Note says in words which revisions have something, or nothing if its owner has the same.
func (c *Writer) Note(revs, owner ir.Revs) string {
	if revs == 0 || revs&owner == owner {
		return ""
	}
	first, last := revs.First(), revs.Last()
	switch {
	case first == last && last < len(c.Dates)-1:
		return "Only in " + c.Dates[first] + "."
	case !revs.Contiguous():
		return "In " + c.list(revs) + "."
	case last == owner.Last():
		return "Since " + c.Dates[first] + "."
	case first == owner.First():
		return "Until " + c.Dates[last] + "."
	default:
		return "From " + c.Dates[first] + " to " + c.Dates[last] + "."
	}
}

// list lists the dates of revisions.
func (c *Writer) list(revs ir.Revs) string {
	var list []string
	for i, date := range c.Dates {
		if revs.Has(i) {
			list = append(list, date)
		}
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}
