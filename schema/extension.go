package schema

import (
	"cmp"
	"fmt"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Extension is an extension of the protocol: its schemas and the hand-written tables beside them.
type Extension struct {
	ID         string    // such as io.modelcontextprotocol/tasks
	Versions   []*Schema // oldest first
	Exceptions *Exceptions
	Docs       *Docs
}

// Short returns the last part of the identifier, which names the folder and the package.
func (e *Extension) Short() string { return ShortOf(e.ID) }

// ShortOf returns the last part of an identifier of an extension.
func ShortOf(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

// identifier is vendor-prefix/name. The name is that of a Go package.
var identifier = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?/[a-z][a-z0-9]*$`)

// CheckIdentifier refuses what is not the identifier of an extension for which there can be a package.
func CheckIdentifier(id string) error {
	if !identifier.MatchString(id) {
		return fmt.Errorf("%q is not the identifier of an extension of the form vendor-prefix/name, "+
			"the name in lower-case letters and digits, such as com.example/charts", id)
	}
	if name := ShortOf(id); token.IsKeyword(name) || name == "main" || name == "internal" {
		return fmt.Errorf("%q cannot have a package of its own: %q is no name that others can import", id, name)
	}
	return nil
}

// identifierOf returns the identifier that facts carry. If both are there, they must agree.
func identifierOf(doc *value, id string) (string, error) {
	v := doc.get("extension")
	if v == nil {
		return id, nil
	}
	if v.kind != kindString {
		return "", Errorf(v.pos, "extension must be the identifier of an extension, a string")
	}
	if id != "" && id != v.text {
		return "", Errorf(v.pos, "these are facts of the extension %q, not of %q", v.text, id)
	}
	if err := CheckIdentifier(v.text); err != nil {
		return "", Errorf(v.pos, "%s", err.Error())
	}
	return v.text, nil
}

// ParseExtension is [Parse] for the schema of an extension. The error of facts of another extension, or of the core,
// says so.
func ParseExtension(file, id, version string, data []byte) (*Schema, error) {
	return (&Extension{ID: id}).parse(file, version, data)
}

// parse reads a version. An extension without an identifier gets the one that the version has.
func (e *Extension) parse(file, version string, data []byte) (*Schema, error) {
	doc, err := parseJSON(file, data)
	if err != nil {
		return nil, err
	}
	if e.ID, err = identifierOf(doc, e.ID); err != nil {
		return nil, err
	}
	return Parse(file, version, data)
}

// EmbeddedExtensions returns the committed extensions in order of their identifiers.
func EmbeddedExtensions() ([]*Extension, error) {
	folders, err := fs.Glob(extensionFiles, "ext/*")
	if err != nil {
		return nil, err
	}
	var out []*Extension
	for _, folder := range folders {
		e, err := embeddedExtension(folder)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *Extension) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

func embeddedExtension(folder string) (*Extension, error) {
	e := &Extension{}
	var err error
	if e.Versions, err = embeddedSchemas(extensionFiles, folder+"/"+revisionFiles, e.parse); err != nil {
		return nil, err
	}
	if e.ID == "" || e.Short() != path.Base(folder) {
		return nil, fmt.Errorf("schema/%s: no version in it says that it is of the extension %q", folder, path.Base(folder))
	}
	if e.Exceptions, err = embeddedTable(folder+"/exceptions.json", `{}`, ParseExceptions); err != nil {
		return nil, err
	}
	e.Docs, err = embeddedTable(folder+"/docs.json", ``, ParseDocs)
	return e, err
}

// embeddedTable reads a hand-written table, which may be missing.
func embeddedTable[T any](name, missing string, parse func([]byte) (*T, error)) (*T, error) {
	data, err := extensionFiles.ReadFile(name)
	if err != nil {
		data = []byte(missing)
	}
	out, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("schema/%s: %w", name, err)
	}
	return out, nil
}
