package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/schema"
)

// entry is one of the exceptions: "names" and "A.b", for instance.
type entry struct{ section, name string }

func (e entry) String() string { return e.section + " " + e.name }

func entryOf(text string) entry {
	section, name, _ := strings.Cut(text, " ")
	return entry{section, name}
}

// prune removes what applies to nothing in these revisions from the exceptions and the sentences, until nothing is
// left to remove. It returns the exceptions that went.
func (t *tree) prune(facts []string) ([]entry, error) {
	var gone []entry
	for {
		ex, docs, err := t.unused(facts)
		if err != nil || len(ex) == 0 && len(docs) == 0 {
			return gone, err
		}
		err = t.edit(exceptions, func(doc map[string]any) {
			for _, text := range ex {
				e := entryOf(text)
				doc[e.section] = without(doc[e.section], e.name)
				gone = append(gone, e)
			}
		})
		if err != nil {
			return gone, err
		}
		err = t.edit(sentences, func(doc map[string]any) {
			for _, text := range docs {
				e := entryOf(text)
				unsay(at(doc, e.section), e.name)
			}
		})
		if err != nil {
			return gone, err
		}
	}
}

// unused merges the revisions and lists the exceptions and the sentences that apply to nothing.
func (t *tree) unused(facts []string) (ex, docs []string, err error) {
	var list []*schema.Schema
	for _, f := range facts {
		text, err := t.read(f)
		if err != nil {
			return nil, nil, err
		}
		s, err := schema.Parse(f, revisionOf(f), []byte(text))
		if err != nil {
			return nil, nil, err
		}
		list = append(list, s)
	}
	tables := protocolir.Tables{API: &schema.API{}}
	text, err := t.read(exceptions)
	if err != nil {
		return nil, nil, err
	}
	if tables.Exceptions, err = schema.ParseExceptions([]byte(text)); err != nil {
		return nil, nil, err
	}
	if text, err = t.read(sentences); err != nil {
		return nil, nil, err
	}
	if tables.Docs, err = schema.ParseDocs([]byte(text)); err != nil {
		return nil, nil, err
	}
	if _, err = protocolir.Protocol(list, tables); err != nil {
		return nil, nil, err
	}
	return tables.Exceptions.Unused(), tables.Docs.Unused(), nil
}

// edit changes a JSON file of the tree.
func (t *tree) edit(file string, change func(map[string]any)) error {
	text, err := t.read(file)
	if err != nil {
		return err
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	change(doc)
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return t.write(file, string(out)+"\n")
}

// without returns a section of the exceptions without an entry: a member, a text of a list, or an object of a list.
func without(section any, name string) any {
	switch section := section.(type) {
	case map[string]any:
		delete(section, name)
	case []any:
		return slices.DeleteFunc(section, func(item any) bool {
			object, ok := item.(map[string]any)
			return item == name || ok && (object["name"] == name || object["variant"] == name)
		})
	}
	return section
}

// unsay removes a sentence: that of a definition, "A", or of its member, "A.b". Names of definitions may have dots.
func unsay(section map[string]any, name string) {
	if object, ok := section[name].(map[string]any); ok {
		object["doc"] = ""
		forget(section, name)
		return
	}
	if _, ok := section[name]; ok {
		delete(section, name)
		return
	}
	for owner := range section {
		member, ok := strings.CutPrefix(name, owner+".")
		if !ok {
			continue
		}
		delete(at(section, owner, "fields"), member)
		delete(at(section, owner, "values"), member)
		forget(section, owner)
	}
}

// forget removes a definition about which nothing is said.
func forget(section map[string]any, name string) {
	object := at(section, name)
	if object["doc"] == "" && len(at(object, "fields")) == 0 && len(at(object, "values")) == 0 {
		delete(section, name)
	}
}

// extensionsSince lists the facts files of extensions that are not older than a revision: they may refer to what it
// has.
func (t *tree) extensionsSince(date string) ([]string, error) {
	files, err := filepath.Glob(t.path("schema/ext/*/????-??-??.json"))
	var out []string
	for _, file := range files {
		if file, err := filepath.Rel(t.dir, file); err == nil && revisionOf(file) >= date {
			out = append(out, filepath.ToSlash(file))
		}
	}
	return out, err
}
