package validator

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/yosida95/uritemplate/v3"
)

// EnvDir is the environment variable that names the directory of the official schemas.
const EnvDir = "MCPGEN_MCP_SCHEMA"

// ErrAbsent says that the official schemas are not on this machine.
var ErrAbsent = errors.New("the official MCP schemas are absent: put <revision>/schema.json into " +
	"../shared/mcp-schema beside the checkout or set " + EnvDir)

// Dir returns the directory of the official schemas for the checkout at root, or ErrAbsent. A directory that EnvDir
// names must exist.
func Dir(root string) (string, error) {
	dir := os.Getenv(EnvDir)
	named := dir != ""
	if !named {
		dir = filepath.Join(root, "..", "shared", "mcp-schema")
	}
	switch _, err := os.Stat(dir); {
	case err == nil:
		return dir, nil
	case named:
		return "", fmt.Errorf("%s: %w", EnvDir, err)
	case errors.Is(err, fs.ErrNotExist):
		return "", ErrAbsent
	default:
		return "", err
	}
}

// Schemas holds the schemas of all revisions, opened on first use. It is not safe for concurrent use.
type Schemas struct {
	file    func(revision string) string
	extFile func(short, version string) (string, error) // nil: no extension is known
	opened  map[string]*schema                          // by revision, those of extensions by identifier
	forAll  map[string]bool                             // see ForAll
}

// Open returns the official schemas where they are on this machine, and otherwise the facts of the checkout at root.
func Open(root string) (*Schemas, error) {
	dir, err := Dir(root)
	switch {
	case err == nil:
		return Official(dir, root), nil
	case errors.Is(err, ErrAbsent):
		return Facts(root), nil
	default:
		return nil, err
	}
}

// Official returns the schemas dir/<revision>/schema.json and, of extensions, dir/ext/<name>/<version>/schema.json. The
// extensions that dir lacks are judged by the facts of the checkout at root.
func Official(dir, root string) *Schemas {
	s := newSchemas(func(revision string) string { return filepath.Join(dir, revision, "schema.json") })
	s.extFile = extensionFile(dir, root)
	return s
}

// Facts returns the schemas schema/<revision>.json of the checkout at root: the official ones without their prose.
func Facts(root string) *Schemas {
	s := FactsIn(filepath.Join(root, "schema"))
	s.extFile = extensionFile("", root)
	return s
}

// FactsIn returns the schemas dir/<revision>.json, without extensions.
func FactsIn(dir string) *Schemas {
	return newSchemas(func(revision string) string { return filepath.Join(dir, revision+".json") })
}

func newSchemas(file func(revision string) string) *Schemas {
	return &Schemas{file: file, opened: map[string]*schema{}, forAll: map[string]bool{}}
}

// of returns the schema of one revision.
func (s *Schemas) of(revision string) (*schema, error) {
	if sc := s.opened[revision]; sc != nil {
		return sc, nil
	}
	if !isRevision.MatchString(revision) { // a revision comes from messages too; it is part of a file's name
		return nil, fmt.Errorf("%q is no revision", revision)
	}
	sc, err := open(s.file(revision), revision)
	if err == nil {
		s.opened[revision] = sc
	}
	return sc, err
}

var isRevision = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// schema is the schema of one revision, as published and closed.
type schema struct {
	revision  string
	container string // "definitions" or "$defs"
	defs      map[string]any
	compiler  *jsonschema.Compiler
	compiled  map[string]*jsonschema.Schema
}

func open(file, revision string) (*schema, error) {
	published, err := readJSON(file)
	if err != nil {
		return nil, err
	}
	closed, err := readJSON(file) // a second copy, since closing changes it
	if err != nil {
		return nil, err
	}
	s := &schema{revision: revision, compiled: map[string]*jsonschema.Schema{}, compiler: newCompiler()}
	if s.container, s.defs = definitions(published); s.defs == nil {
		return nil, fmt.Errorf("%s: no definitions", file)
	}
	_, closedDefs := definitions(closed)
	closeAll(closedDefs)
	if err := s.compiler.AddResource("mcp:open", published); err != nil {
		return nil, err
	}
	return s, s.compiler.AddResource("mcp:closed", closed)
}

func readJSON(file string) (any, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return jsonschema.UnmarshalJSON(f)
}

func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: "byte", Validate: func(v any) error {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		_, err := base64.StdEncoding.DecodeString(text)
		return err
	}})
	// The validator's own check takes the ? of {?name} for the start of a query.
	c.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: func(v any) error {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		_, err := uritemplate.New(text)
		return err
	}})
	return c
}

// definitions returns the member of a schema that holds its definitions. Drafts differ in its name.
func definitions(doc any) (string, map[string]any) {
	m, _ := doc.(map[string]any)
	for _, name := range []string{"$defs", "definitions"} {
		if defs, ok := m[name].(map[string]any); ok {
			return name, defs
		}
	}
	return "", nil
}

// validate checks v against a definition, as published and then closed.
func (s *schema) validate(def string, v any) error {
	if err := s.validateIn("mcp:open", def, v); err != nil {
		return err
	}
	if err := s.validateIn("mcp:closed", def, v); err != nil {
		return fmt.Errorf("revision %s does not know this: %w", s.revision, err)
	}
	return nil
}

func (s *schema) validateIn(resource, def string, v any) error {
	ref := resource + "#/" + s.container + "/" + def
	c := s.compiled[ref]
	if c == nil {
		var err error
		if c, err = s.compiler.Compile(ref); err != nil {
			return err
		}
		s.compiled[ref] = c
	}
	if err := c.Validate(v); err != nil {
		return fmt.Errorf("%s: %s", def, strings.TrimPrefix(err.Error(), "jsonschema validation failed with "))
	}
	return nil
}

// closeAll forbids further properties in every definition that names its properties. What users fill stays open:
// _meta, the schemas of tools, and objects that name no property at all. So do the parts of an allOf, since one part
// does not know the properties of the others; what has the parts is closed by unevaluatedProperties, which schemas of
// extensions have and those of older revisions do not.
func closeAll(defs map[string]any) {
	parts := map[string]bool{}
	for _, d := range defs {
		findParts(d, parts)
	}
	for name, d := range defs {
		if strings.HasSuffix(name, "MetaObject") {
			continue
		}
		if !parts[name] {
			closeObjects(d)
		} else if part, ok := d.(map[string]any); ok && isOpen(part["additionalProperties"]) {
			delete(part, "additionalProperties") // says nothing, and would count as having judged all properties
		}
		closeSums(d)
	}
}

// findParts notes the definitions that v uses as parts of an allOf.
func findParts(v any, parts map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			findParts(e, parts)
		}
	case map[string]any:
		all, _ := v["allOf"].([]any)
		for _, part := range all {
			if ref, ok := lookup(part, "$ref").(string); ok {
				parts[path.Base(ref)] = true
			}
		}
		for _, e := range v {
			findParts(e, parts)
		}
	}
}

// closeSums closes what has an allOf.
func closeSums(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			closeSums(e)
		}
	case map[string]any:
		for name, sub := range v {
			if name != "const" && name != "enum" && name != "default" {
				closeSums(sub)
			}
		}
		if _, sum := v["allOf"].([]any); sum {
			v["unevaluatedProperties"] = false
		}
	}
}

func closeObjects(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			closeObjects(e)
		}
	case map[string]any:
		closeObject(v)
	}
}

func closeObject(m map[string]any) {
	props, isObject := m["properties"].(map[string]any)
	for name, sub := range m {
		if name != "allOf" && (name != "properties" || !isObject) {
			closeObjects(sub)
		}
	}
	for name, sub := range props {
		switch name {
		case "_meta", "inputSchema", "outputSchema", "structuredContent", "data":
		default:
			closeObjects(sub)
		}
	}
	if len(props) > 0 && isOpen(m["additionalProperties"]) && m["type"] == "object" {
		m["additionalProperties"] = false
	}
}

// isOpen reports whether an additionalProperties allows everything: absent, true or {}.
func isOpen(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return v
	case map[string]any:
		return len(v) == 0
	}
	return false
}
