package schema

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:generate go run ../cmd/mcpgen protocol -o ../generated/protocol

//go:embed *.json
var files embed.FS

//go:embed all:ext
var extensionFiles embed.FS

// revisionFiles matches the files with facts.
const revisionFiles = "????-??-??.json"

// EmbeddedRevisions returns the dates of the committed revisions, oldest first, without reading the facts. Which
// revisions there are is decided by the files alone.
func EmbeddedRevisions() ([]string, error) {
	names, err := fs.Glob(files, revisionFiles)
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".json")
	}
	return names, err
}

// Embedded returns the committed facts, oldest revision first.
func Embedded() ([]*Schema, error) {
	out, err := embeddedSchemas(files, revisionFiles, Parse)
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("no schema/<revision>.json was compiled into this binary")
	}
	return out, err
}

// embeddedSchemas reads the files of a pattern, which are named after revisions, oldest first.
func embeddedSchemas(in embed.FS, pattern string, parse func(file, revision string, data []byte) (*Schema, error)) (
	out []*Schema, err error,
) {
	names, err := fs.Glob(in, pattern)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := in.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := parse("schema/"+name, strings.TrimSuffix(path.Base(name), ".json"), data)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
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
	data, _ := files.ReadFile("docs.json") // a tree without docs still generates, with a warning
	return ParseDocs(data)
}

// EmbeddedAPI returns the committed record of what the generated package has given.
func EmbeddedAPI() (*API, error) {
	data, _ := files.ReadFile("api.json") // a tree without a record founds one
	return ParseAPI(data)
}
