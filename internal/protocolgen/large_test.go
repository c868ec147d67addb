package protocolgen

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/output"
)

// multiply returns a schema that has every definition of the newest revision many times, each time with other names of
// definitions and methods.
func multiply(t *testing.T, copies int) []byte {
	t.Helper()
	all := committed(t)
	data, err := os.ReadFile(all[len(all)-1].Path)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	defs := doc["$defs"].(map[string]any)
	many, roles := map[string]any{}, map[string][]any{}
	for i := range copies {
		suffix := fmt.Sprintf("X%d", i)
		for name, def := range defs {
			def = withSuffix(def, suffix)
			if !isRole(name) {
				many[name+suffix] = def
			} else if list, ok := def.(map[string]any)["anyOf"].([]any); ok {
				roles[name] = append(roles[name], list...)
			} else {
				roles[name] = append(roles[name], def)
			}
		}
	}
	for name, list := range roles {
		many[name] = map[string]any{"anyOf": list}
	}
	data, err = json.MarshalIndent(map[string]any{"$defs": many}, "", "    ")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// isRole reports whether a definition lists messages by who sends them.
func isRole(name string) bool {
	for _, side := range []string{"Client", "Server"} {
		for _, kind := range []string{"Request", "Notification", "Result"} {
			if name == side+kind {
				return true
			}
		}
	}
	return false
}

// withSuffix returns a copy of a schema in which references and methods end in suffix.
func withSuffix(v any, suffix string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, value := range v {
			ref, isText := value.(string)
			method, isObject := value.(map[string]any)
			switch {
			case name == "$ref" && isText:
				out[name] = ref + suffix
			case name == "method" && isObject && method["const"] != nil:
				out[name] = map[string]any{"type": "string", "const": fmt.Sprint(method["const"], suffix)}
			default:
				out[name] = withSuffix(value, suffix)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withSuffix(v[i], suffix)
		}
		return out
	default:
		return v
	}
}

// ofText generates a package from one schema that is given as text, and logs sizes and the time.
func ofText(t *testing.T, text []byte) []output.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "2099-01-01.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	files, _ := generate(t, SchemaFile{Path: path})
	t.Logf("%d kB of schema, %d kB of Go, %v", len(text)>>10, sizeOf(files)>>10,
		time.Since(start).Round(10*time.Millisecond))
	return files
}

func sizeOf(files []output.File) int {
	n := 0
	for _, f := range files {
		n += len(f.Data)
	}
	return n
}

// TestLargeSchema checks the types of what a schema gives that has ten times the size of the official one. How large
// it is says MCPGEN_COPIES.
func TestLargeSchema(t *testing.T) {
	copies := 10
	if text := os.Getenv("MCPGEN_COPIES"); text != "" {
		if _, err := fmt.Sscan(text, &copies); err != nil {
			t.Fatal(err)
		}
	}
	files := ofText(t, multiply(t, copies))
	pkg, err := newTypeChecker(t).check(files)
	if err != nil {
		t.Fatal(err)
	}
	for i := range copies {
		for _, name := range []string{"ToolX%d", "CallToolRequestParamsX%d", "ContentBlockX%d", "MethodToolsCallX%d"} {
			if pkg.Scope().Lookup(fmt.Sprintf(name, i)) == nil {
				t.Fatalf("no "+name, i)
			}
		}
	}
}

// TestLargeShapes generates from schemas in which one thing is large. The output stays in proportion, and so does the
// time: each of them took minutes or gave gigabytes when a step was done for each pair.
func TestLargeShapes(t *testing.T) {
	list := func(n int, format string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = strings.ReplaceAll(format, "%", fmt.Sprint(i))
		}
		return strings.Join(items, ",\n")
	}
	const member = `"M%": {"type": "object", "properties": {"kind": {"const": "k%", "type": "string"}}, "required": ["kind"]}`
	const untold = `"M%": {"type": "object", "properties": {"a%": {"type": "string"}}, "required": ["a%"]}`
	checker := newTypeChecker(t)
	for name, defs := range map[string]string{
		"values": `"A": {"type": "string", "enum": [` + list(20_000, `"v%"`) + `]}`,
		"properties": `"A": {"type": "object", "properties": {` + list(21_000, `"p%": {"type": "string"}`) +
			`}}`,
		"equal Go names of properties": `"A": {"type": "object", "properties": {` +
			squash(list(3_000, `"a%": {"type": "string"}`)) + `}}`,
		"equal Go names of values": `"A": {"type": "string", "enum": [` + squash(list(3_000, `"a%"`)) + `]}`,
		"members with tags": list(2_000, member) + `, "U": {"anyOf": [` + list(2_000, `{"$ref": "#/$defs/M%"}`) +
			`]}`,
		"members without": list(2_000, untold) + `, "U": {"anyOf": [` + list(2_000, `{"$ref": "#/$defs/M%"}`) +
			`]}`,
	} {
		t.Run(name, func(t *testing.T) {
			text := `{"$defs": {` + defs + `}}`
			files := ofText(t, []byte(text))
			if sizeOf(files) > 100*len(text) {
				t.Errorf("%d bytes of schema become %d bytes of Go", len(text), sizeOf(files))
			}
			if sizeOf(files) > 2<<20 {
				return // the type checker looks at each pair of the fields of a struct
			}
			if _, err := checker.check(files); err != nil {
				t.Error(err)
			}
		})
	}
}

// squash writes the digits of names such as "a12" in letters that Go names leave out.
func squash(text string) string {
	return digits.Replace(text)
}

var digits = strings.NewReplacer("0", "é", "1", "è", "2", "à", "3", "ù", "4", "ç", "5", "ü", "6", "ö", "7", "ä", "8",
	"ß", "9", "ñ")
