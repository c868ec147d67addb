package typed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func newClient(t *testing.T, opts *mcp.Options) *mcptest.Client {
	t.Helper()
	srv, err := NewTypedServer(TypedImpl{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return mcptest.New(t, srv, mcptest.WithRevision(protocol.Revision20260728))
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// valid are arguments for the tool of each template, by name.
var valid = map[string]map[string]string{
	"read_numbers": {"i": "1", "u": "2", "f": "1.5", "small": "3", "exact": "0.5", "ok": "true"},
	"read_texts":   {"text": `"a"`, "open": `"b"`, "short": `"abc"`, "word": `"abc"`, "many": `["a"]`},
	"read_enums": {"level": `"low"`, "rank": "1", "tone": `"soft"`, "shade": `"light"`, "tones": `["loud"]`, "second": "2",
		"soft": `"soft"`},
	"read_words": {"ip": `"192.0.2.1"`, "key": `"k"`, "at": `"2026-07-28T12:00:00Z"`, "day": `"2026-07-28"`,
		"wait": `"1h30m"`, "other": `"::1"`},
	"read_steps": {"steps": `["a","b"]`},
	"read_file":  {"path": `"a/b"`},
	"read_item":  {"id": `"a"`, "n": "1"},
}

// probes replace one argument.
var probes = []string{
	"null", "true", "false", "0", "-0", "1", "2", "3", "-6", "101", "1.0", "1e1", "1.5", "0.1", "2.5",
	"0.09999999999999999999",
	"2.50000000000000000001", "1e400", "65536", "128", "9223372036854775808", `""`, `"1"`, `"5"`, `"true"`, `"a"`, `"ab"`,
	`"abcd"`, `"abcde"`, `"ABC"`, `"K"`, `"low"`, `"LOW"`, `"soft"`, `"dark"`, `"none"`, `"zz"`, `"192.0.2.1"`, `"::1"`,
	`"2026-07-28"`, `"2026-07-28T12:00:00Z"`, `"2026-07-28T12:00:00,5Z"`, `"2026-07-28T12:00:00.25+02:00"`, `"2026-13-01"`,
	`"1h"`, `"1.5h2m"`, `"-1h"`, `"1"`, `"h"`, `"0"`, `".s"`, `"1.s"`, `"\u0661h"`, `"a b"`, `"\u00e4\u00f6\u00fc"`,
	`"u:42"`, `".."`, `"a\tb"`, `"100%2F"`, `"/a"`, `"a\\b"`, `"a/b"`, `"C:/x"`, "[]", `[""]`, `["a"]`, `["a",""]`,
	`["abcd"]`, `["soft","loud"]`,
	`["soft","hard"]`, `[1]`, `[null]`, `["a/b"]`, `[".."]`, `["a"," "]`, "{}",
}

// stricter are the reasons for which a tool may refuse what its schema takes; docs/values.md lists them.
var stricter = []string{
	"is not a valid value", "not a valid value", "must be in lower case", // methods
	"want a whole number from", "want a number", // range
	"must not contain", "must not begin", // screening
	"want one of light, dark", // the constants of an integer type with methods
}

// What the schema of a tool that reads a template refuses, the tool refuses, and what it takes, the tool takes.
func TestSchemasOfTypedTools(t *testing.T) {
	c := newClient(t, nil)
	seen := map[string]bool{}
	for _, tool := range c.Tools() {
		args := valid[tool.Name]
		if args == nil {
			continue
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		if err := compiler.AddResource("mem:///s.json", parsed(t, string(tool.InputSchema))); err != nil {
			t.Fatal(err)
		}
		schema, err := compiler.Compile("mem:///s.json")
		if err != nil {
			t.Fatal(err)
		}
		seen[tool.Name] = true
		for name := range args {
			compare(t, c, schema, tool.Name, with(args, name, args[name]), true)
			for _, probe := range probes {
				compare(t, c, schema, tool.Name, with(args, name, probe), false)
			}
			compare(t, c, schema, tool.Name, with(args, name, ""), false)
		}
		compare(t, c, schema, tool.Name, with(args, "nobody", "1"), false)
	}
	if len(seen) != len(valid) {
		t.Errorf("tools %v", seen)
	}
}

// with writes arguments with another value for name; "" leaves it out.
func with(args map[string]string, name, value string) string {
	members := map[string]json.RawMessage{}
	for k, v := range args {
		members[k] = json.RawMessage(v)
	}
	if members[name] = json.RawMessage(value); value == "" {
		delete(members, name)
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func compare(t *testing.T, c *mcptest.Client, schema *jsonschema.Schema, tool, args string, good bool) {
	t.Helper()
	r, invalid := c.Call(tool, args), schema.Validate(parsed(t, args))
	wrong := ""
	if r.IsError != nil && *r.IsError {
		wrong = r.Content[0].(*protocol.TextContent).Text
	}
	is := func(reason string) bool { return strings.Contains(wrong, reason) }
	switch {
	case good && (invalid != nil || wrong != ""), (invalid == nil) != (wrong == "") && !slices.ContainsFunc(stricter, is),
		invalid != nil && wrong == "", strings.Contains(wrong, "secret"):
		t.Errorf("%s %s\nschema: %v\ncheck: %s", tool, args, invalid, wrong)
	}
}

const enums = "enums:///{level}/{rank}/{tone}/{shade}{?tones*,second,soft}"

// A type has the same limits wherever it is read.
func TestLimitsAreTheSameEverywhere(t *testing.T) {
	c := newClient(t, nil)
	for _, tt := range []struct{ name, good, bad, want string }{
		{"level", "low", "none", "low, high"},
		{"rank", "1", "3", "1, 2"},
		{"tone", "soft", "none", "soft, loud"},
		{"shade", "light", "none", "light, dark"},
	} {
		uri := func(value string) string {
			u := "enums:///low/1/soft/light"
			old := map[string]string{"level": "low", "rank": "1", "tone": "soft", "shade": "light"}[tt.name]
			return strings.Replace(u, "/"+old, "/"+value, 1)
		}
		jsonOf := func(value string) string {
			if tt.name == "rank" {
				return value
			}
			return fmt.Sprintf("%q", value)
		}
		refusals := map[string]error{
			"template":   c.ReadError(uri(tt.bad)),
			"tool":       c.CallError("take", `{"`+tt.name+`":`+jsonOf(tt.bad)+`}`),
			"typed tool": c.CallError("read_enums", with(valid["read_enums"], tt.name, jsonOf(tt.bad))),
			"prompt":     promptError(c, tt.name, tt.bad),
		}
		for place, err := range refusals {
			if !strings.Contains(err.Error(), "one of "+tt.want) {
				t.Errorf("%s: %s: %v", place, tt.name, err)
			}
		}
		if text := c.Read(uri(tt.good)); text == "" {
			t.Errorf("%s: %s", tt.name, text)
		}
		for place, got := range map[string][]string{
			"template": c.Complete(enums, tt.name, ""),
			"prompt":   c.CompletePrompt("ask", tt.name, ""),
		} {
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("%s: completion of %s: %q", place, tt.name, got)
			}
		}
	}
}

// Elements of lists and keys of maps have the limits of their type too, and lists of all instances have all values.
func TestLimitsOfPartsAreTheSame(t *testing.T) {
	c := newClient(t, nil)
	if got := c.Complete(enums, "tones", "l"); !slices.Equal(got, []string{"loud"}) {
		t.Errorf("completion of a list: %q", got)
	}
	for _, args := range []string{`{"tones":{"none":1}}`, `{"shades":{"none":1}}`} {
		if err := c.CallError("take", args); !strings.Contains(err.Error(), "the name must be one of ") {
			t.Errorf("%s: %v", args, err)
		}
	}
	var uris []string
	for _, r := range c.List() {
		if strings.HasPrefix(r.URI, "pairs:") {
			uris = append(uris, r.URI)
		}
	}
	want := []string{"pairs:///soft/light", "pairs:///soft/dark", "pairs:///loud/light", "pairs:///loud/dark"}
	if !slices.Equal(uris, want) {
		t.Errorf("instances: %v", uris)
	}
}

func promptError(c *mcptest.Client, name, value string) error {
	_, err := c.Do(protocol.MethodPromptsGet, fmt.Appendf(nil, `{"name":"ask","arguments":{%q:%q}}`, name, value))
	return err
}

// Clients get the public part of the error of a method, and no other, wherever a value is read.
func TestErrorsOfMethodsArePublic(t *testing.T) {
	c := newClient(t, nil)
	for _, err := range []error{
		c.CallError("take", `{"key":"A"}`), c.ReadError("words:///::1/A"), promptError(c, "key", "A"),
		c.CallError("read_words", `{"ip":"::1","key":"A"}`),
	} {
		if !strings.Contains(err.Error(), ": must be in lower case") {
			t.Error(err)
		}
	}
	for _, err := range []error{
		c.CallError("take", `{"shade":"x"}`), c.CallError("take", `{"money":"x"}`), c.CallError("take", `{"shades":{"x":1}}`),
		c.ReadError("enums:///low/1/soft/x"), promptError(c, "shade", "x"),
		c.CallError("read_words", `{"ip":"zz","key":"a"}`),
	} {
		if !strings.Contains(err.Error(), "not a valid value") {
			t.Error(err)
		}
	}
}

// What cannot be read is not listed, not proposed, and logged once.
func TestListsHaveWhatCanBeRead(t *testing.T) {
	var log bytes.Buffer
	c := newClient(t, &mcp.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range 2 {
		var got []string
		for _, r := range c.List() {
			if strings.HasPrefix(r.URI, "items:") {
				got = append(got, r.URI)
				c.Read(r.URI)
			}
		}
		want := []string{"items:///plain/1", "items:///u%3A42/1", "items:///100%25/1", "items:///C%3A/1"}
		if !slices.Equal(got, want) {
			t.Errorf("listed: %q, want %q", got, want)
		}
		if got := c.Complete("items:///{id}/{n}", "id", ""); !slices.Equal(got, []string{"plain", "u:42", "100%", "C:"}) {
			t.Errorf("completed: %q", got)
		}
	}
	for _, reason := range []string{
		"id: must not contain control characters", "id: must not contain the escape %2F",
		"id: must not contain path elements of dots", "id: must not begin with a slash", "id: must not contain a backslash",
		"n: want at least 1", "perhaps a variable of its path is empty",
	} {
		if n := strings.Count(log.String(), reason); n != 1 && !strings.Contains(reason, "dots") || n > 2 {
			t.Errorf("%q is logged %d times\n%s", reason, n, log.String())
		}
	}
}

// A drive letter matters in a path only.
func TestDriveLetters(t *testing.T) {
	c := newClient(t, nil)
	if got := c.Read("items:///C:/1"); got != "C:1" {
		t.Error(got)
	}
	if err := c.ReadError("file:///x/C:/y"); err.Error() != "variable path: must not contain a drive letter (code -32602)" {
		t.Error(err)
	}
}

func TestContents(t *testing.T) {
	c := newClient(t, nil)
	if got := c.Read("counts:///all"); got != "{}" {
		t.Errorf("a nil map is %s", got)
	}
	for _, uri := range []string{"when:///value", "when:///pointer"} {
		r := c.ReadContents(uri)[0].(*protocol.TextResourceContents)
		if r.MIMEType != "application/json" || r.Text != `"1970-01-01T00:00:00Z"` {
			t.Errorf("%s: %s %s", uri, r.MIMEType, r.Text)
		}
	}
}

// Keys that become equal are an error of the tool, not a result without content.
func TestEqualKeys(t *testing.T) {
	c := newClient(t, nil)
	for _, args := range []string{`{"odd":true}`, `{"odd":false}`} {
		if err := c.CallError("collide", args); !strings.Contains(err.Error(), "internal error") {
			t.Errorf("%s: %v", args, err)
		}
	}
}
