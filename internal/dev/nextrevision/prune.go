package main

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/schema"
)

// prune removes what applies to nothing in these revisions from the exceptions and the sentences. It returns the
// exceptions that went: "names A.b", for instance.
func (t *tree) prune(revisions []*schema.Schema) (gone []string, err error) {
	tables := protocolir.Tables{API: &schema.API{}}
	if tables.Exceptions, err = schema.EmbeddedExceptions(); err != nil {
		return nil, err
	}
	if tables.Docs, err = schema.EmbeddedDocs(); err != nil {
		return nil, err
	}
	if _, err = protocolir.Protocol(revisions, tables); err != nil {
		return nil, err
	}
	text, err := unsaid(tables.Docs)
	if err != nil {
		return nil, err
	}
	if err := t.write(sentences, string(text)); err != nil {
		return nil, err
	}
	gone = tables.Exceptions.Unused()
	return gone, t.except(gone)
}

// unsaid returns the sentences that something has asked for.
func unsaid(docs *schema.Docs) ([]byte, error) {
	unused := docs.Unused()
	gone := func(prefix string) func(name, _ string) bool {
		return func(name, _ string) bool { return slices.Contains(unused, prefix+name) }
	}
	maps.DeleteFunc(docs.Codes, gone("codes "))
	maps.DeleteFunc(docs.Methods, gone("methods "))
	maps.DeleteFunc(docs.Enums, func(name string, e schema.EnumDoc) bool {
		maps.DeleteFunc(e.Values, gone("enums "+name+"."))
		return gone("enums ")(name, "")
	})
	maps.DeleteFunc(docs.Types, func(name string, d schema.TypeDoc) bool {
		maps.DeleteFunc(d.Fields, gone("types "+name+"."))
		return gone("types ")(name, "")
	})
	return docs.Outline(nil)
}

// except takes entries out of the exceptions: members of a section, texts of a list, or objects of a list.
func (t *tree) except(entries []string) error {
	return t.editJSON(exceptions, func(doc map[string]any) {
		for _, entry := range entries {
			section, name, _ := strings.Cut(entry, " ")
			switch list := doc[section].(type) {
			case map[string]any:
				delete(list, name)
			case []any:
				doc[section] = slices.DeleteFunc(list, func(item any) bool {
					object, ok := item.(map[string]any)
					return item == name || ok && (object["name"] == name || object["variant"] == name)
				})
			}
		}
	})
}

// editJSON changes a file.
func (t *tree) editJSON(file string, change func(doc map[string]any)) error {
	text, err := os.ReadFile(t.path(file))
	if err != nil {
		return err
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	change(doc)
	text, err = json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return t.write(file, string(text)+"\n")
}
