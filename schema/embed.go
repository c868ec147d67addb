package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:generate go run ../cmd/mcpgen protocol -o ../generated/protocol

//go:embed *.json
var files embed.FS

//go:embed all:ext
var extensionFiles embed.FS

// EmbeddedRevisions returns the dates of the committed revisions, oldest first, without reading the facts. Which
// revisions there are is decided by the files alone.
func EmbeddedRevisions() ([]string, error) {
	names, err := fs.Glob(files, "????-??-??.json")
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".json")
	}
	return names, err
}

// Embedded returns the committed facts, oldest revision first.
func Embedded() ([]*Schema, error) {
	revisions, err := EmbeddedRevisions()
	if err != nil {
		return nil, err
	}
	var out []*Schema
	for _, revision := range revisions {
		name := revision + ".json"
		data, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := Parse("schema/"+name, revision, data)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no schema/<revision>.json was compiled into this binary")
	}
	return out, nil
}

// EmbeddedExceptions returns the committed exceptions, with nothing marked as used.
func EmbeddedExceptions() (*Exceptions, error) {
	data, err := files.ReadFile("exceptions.json")
	if err != nil {
		return nil, err
	}
	return ParseExceptions(data)
}

// EmbeddedDocs returns the committed doc sentences.
func EmbeddedDocs() (*Docs, error) {
	data, err := files.ReadFile("docs.json")
	if err != nil {
		data = nil // a tree without docs still generates, with a warning
	}
	return ParseDocs(data)
}

// EmbeddedAPI returns the committed record of what the generated package has given.
func EmbeddedAPI() (*API, error) {
	data, err := files.ReadFile("api.json")
	if err != nil {
		data = nil // a tree without a record founds one
	}
	return ParseAPI(data)
}
