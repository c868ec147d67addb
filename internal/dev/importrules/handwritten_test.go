package importrules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/schema"
)

// handWritten are the messages, or parts of them, that are not generated from a schema, and why: types of a package,
// and members of objects that the runtime writes itself.
var handWritten = map[string]string{
	"mcp/wire.ID":                        "a string or an integer; the leaf of all codecs",
	"mcp/wire.Extra":                     "members that no schema knows",
	"mcp/wire.Error":                     "the error object of JSON-RPC, which package wire needs before there is a protocol",
	"mcp/internal/lists.toolEntry":       "2025-03-26 has the title of a tool among its hints; wraps the generated type",
	"mcp/internal/pipeline.largeContent": "wraps the generated types, whose large value is encoded when it is written",
	"mcp/internal/pipeline.largeBlock":   "as mcp/internal/pipeline.largeContent",
	"mcp/catalog.record":                 "the form of the command's own output",
	"mcp/mcpskill.entry":                 "the extension of skills has no schema to import, only a text",
	"mcp/mcpskill.entryFile":             "as mcp/mcpskill.entry",
	"mcp/mcphttp.cardDocument":           "a document beside the protocol; its experimental schema has no revisions",
	"mcp/mcphttp.cardRemote":             "as mcp/mcphttp.cardDocument",
	"mcp/mcphttp.catalogDocument":        "of another specification, AI Catalog",
	"mcp/mcphttp.catalogEntry":           "as mcp/mcphttp.catalogDocument",

	"directoryRead": "as mcp/mcpskill.entry", "skills": "as mcp/mcpskill.entry", "skill": "as mcp/mcpskill.entry",
	"resources": "as mcp/mcpskill.entry",

	"eventId":   "no schema of the extension of events can be had, only a text; mcp/internal/events has all of them",
	"timestamp": "as eventId", "data": "as eventId", "events": "as eventId", "truncated": "as eventId",
	"hasMore": "as eventId", "nextPollMs": "as eventId", "max": "as eventId", "delivery": "as eventId",
	"io.modelcontextprotocol/subscriptionId": "as eventId", "title": "as eventId", "description": "as eventId",
	"inputSchema": "as eventId", "payloadSchema": "as eventId", "refreshBefore": "as eventId",
	"deliveryStatus": "as eventId", "active": "as eventId", "lastDeliveryAt": "as eventId", "lastError": "as eventId",
	"failedSince": "as eventId", "throttled": "as eventId", "listChanged": "as eventId",
	"additionalProperties": "of the schema of updates as events, which is the same for all", "required": "as additionalProperties",

	"jsonrpc": "the frame of JSON-RPC", "id": "the frame of JSON-RPC", "method": "the frame of JSON-RPC",
	"params": "the frame of JSON-RPC",
	"result": "the frame of JSON-RPC; a tool's output that is no object is an object with this member",
	"error":  "the frame of JSON-RPC",

	"supported":            "data of an error, which starts from bytes of the message",
	"requested":            "data of an error, which starts from bytes of the message",
	"requiredCapabilities": "data of an error in all revisions; the generated type is of one",
	"uri":                  "data of an error, which the specification has in prose only",
	"mimeTypes":            "of apps, whose settings have no schema to import; a task keeps that its client has them",
	"task":                 "of the test kit, which must build without the newest revision and its extensions",
	"taskId":               "as task",
	"Checkpoint":           "of the text of a record in a store of tasks, which is no message",
	"retryAfterMs":         "data of an error of our own",
	"nextCursor":           "pages are joined from entries that were encoded before",

	"_meta":  "test clients write it before params that are text already",
	"cursor": "test clients ask for pages of any method",
	"name":   "test clients take arguments as text", "arguments": "test clients take arguments as text",
	"inputResponses":        "test clients repeat params that are text",
	"requestState":          "test clients repeat params that are text",
	"notifications":         "test clients ask for one kind of news",
	"resourceSubscriptions": "test clients ask for one kind of news",
	"requestId":             "test clients repeat the id of a listen as text",
}

// finding is something that looks like a message written by hand.
type finding struct {
	name string // package path and declaration, or a member
	what string
	pos  token.Position
}

// What the protocol and its extensions say in their schemas is generated. By hand there is no type with a codec, in the
// runtime no struct with JSON tags and no function that writes members of objects, and in the example servers no struct
// with the members of a definition.
func TestHandWrittenMessages(t *testing.T) {
	definitions := definitionsOf(t)
	used := map[string]bool{}
	for _, folder := range []string{"mcp", "golden"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(file string, d fs.DirEntry, err error) error {
			generated := strings.HasSuffix(file, "mcp_gen.go")
			if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || generated {
				return err
			}
			for _, f := range findingsIn(t, packageOf(t, file), file, folder == "mcp", definitions) {
				if handWritten[f.name] == "" {
					t.Errorf("%s: %s %s: generate it from a schema (CONTRIBUTING, \"A new extension arrives\"), "+
						"or write it into handWritten with a reason", f.pos, f.name, f.what)
				}
				used[f.name] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range handWritten {
		if !used[name] {
			t.Errorf("handWritten: nothing in %s looks like a message; delete the entry", name)
		}
	}
}

// memberText is the name of a member in JSON text that a program puts together.
var memberText = regexp.MustCompile(`"([A-Za-z_$][A-Za-z0-9_/.$-]*)":`)

func packageOf(t *testing.T, file string) string {
	t.Helper()
	dir, err := filepath.Rel(root, filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(dir)
}

func findingsIn(t *testing.T, pkg, file string, runtime bool, definitions []definition) []finding {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []finding
	found := func(name, what string, pos token.Pos) {
		out = append(out, finding{pkg + "." + name, what, fset.Position(pos)})
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			receiver := receiverOf(decl)
			switch name := decl.Name.Name; {
			case receiver != "" && (name == "AppendJSON" || name == "DecodeJSON"):
				found(receiver, "has a codec", decl.Pos())
			case runtime && decl.Body != nil:
				for _, member := range members(decl.Body) {
					out = append(out, finding{member, "is a member that " + pkg + "." + name + " writes", fset.Position(decl.Pos())})
				}
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				typ, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				if tags := tagsOf(typ.Type); runtime && len(tags) > 0 {
					found(typ.Name.Name, "has JSON tags", typ.Pos())
				} else if d := definitionLike(definitions, tags); d != "" {
					found(typ.Name.Name, "has the members of "+d, typ.Pos())
				}
			}
		}
	}
	return out
}

func receiverOf(decl *ast.FuncDecl) string {
	if decl.Recv == nil {
		return ""
	}
	typ := decl.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	switch typ := typ.(type) {
	case *ast.Ident:
		return typ.Name
	case *ast.IndexExpr:
		return typ.X.(*ast.Ident).Name
	}
	return "?"
}

// members returns the names of the members of objects in the texts of a body, but for whole JSON schemas.
func members(body *ast.BlockStmt) []string {
	var out []string
	ast.Inspect(body, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil || strings.HasPrefix(text, `{"type":"object"`) {
			return true
		}
		for _, m := range memberText.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		return true
	})
	return out
}

// tagsOf returns the JSON names of the fields of a struct that have tags.
func tagsOf(typ ast.Expr) []string {
	s, ok := typ.(*ast.StructType)
	if !ok {
		return nil
	}
	var out []string
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			continue
		}
		if name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); name != "" && name != "-" {
			out = append(out, name)
		}
	}
	return out
}

// definition is an object of a schema, with at least two members that must be there.
type definition struct {
	name               string
	required, possible []string
}

// definitionLike returns the definition that a struct with these members could stand for, or "".
func definitionLike(definitions []definition, names []string) string {
	for _, d := range definitions {
		has := func(name string) bool { return slices.Contains(names, name) }
		known := func(name string) bool { return slices.Contains(d.possible, name) }
		if !slices.ContainsFunc(d.required, func(n string) bool { return !has(n) }) &&
			!slices.ContainsFunc(names, func(n string) bool { return !known(n) }) {
			return d.name
		}
	}
	return ""
}

// definitionsOf returns the definitions of the core and of the extensions.
func definitionsOf(t *testing.T) []definition {
	t.Helper()
	schemas, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	extensions, err := schema.EmbeddedExtensions()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range extensions {
		schemas = append(schemas, x.Versions...)
	}
	var out []definition
	for _, s := range schemas {
		for _, d := range s.Defs {
			one := definition{name: d.Name + " of " + s.File, required: d.Node.Required}
			for _, p := range d.Node.Properties {
				one.possible = append(one.possible, p.Name)
			}
			if len(one.required) > 1 {
				out = append(out, one)
			}
		}
	}
	return out
}

// TestHandWrittenIsFound shows the test that it finds what it is for.
func TestHandWrittenIsFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tasks.go")
	text := "package x\n\ntype Task struct {\n\tID string `json:\"taskId\"`\n" +
		"\tStatus string `json:\"status\"`\n\tCreated string `json:\"createdAt\"`\n" +
		"\tUpdated string `json:\"lastUpdatedAt\"`\n" +
		"\tTTL *int `json:\"ttlMs\"`\n}\n\nfunc (t *Task) AppendJSON(b []byte) []byte { return b }\n\n" +
		"func ack(b []byte) []byte { return append(b, `{\"resultType\":\"complete\"}`...) }\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range findingsIn(t, "x", file, true, nil) {
		got = append(got, f.name+" "+f.what)
	}
	want := []string{"x.Task has JSON tags", "x.Task has a codec", "resultType is a member that x.ack writes"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	example := findingsIn(t, "x", file, false, definitionsOf(t))
	if len(example) != 2 || !strings.Contains(example[0].what, "Task of schema/ext/tasks/") {
		t.Errorf("in an example: %v", example)
	}
}
