package desk_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/ask"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// downgrade is one thing that older clients do not know: a row of docs/downgrades.md. The same call, in
// the revision before and in the one since, shows the difference.
type downgrade struct {
	what   string
	since  protocol.Revision
	before string // what older clients get
	// method and params are the call, has is in its answer since that revision and never before, and
	// instead is there before and never since; empty for nothing. Calls of asks are those of the travel desk, and
	// the questions to the client are part of the answer.
	method, params, has, instead string
}

// asks is the method of rows about questions: a call of a tool of golden/ask.
const asks = "ask"

const (
	attachments = `{"name":"attachments"}`
	count       = `{"name":"count_tickets"}`
	book        = `{"name":"book","arguments":{"to":"Rome"}}`
	query       = `{"name":"desk.query","arguments":{"where":{"number":12}}}`
)

// modern is 2026-07-28. The rehearsal of the next revision hides that, and builds this file all the same.
var modern = func() protocol.Revision {
	if rev, ok := protocol.ParseRevision("2026-07-28"); ok {
		return rev
	}
	return protocol.Latest + 1
}()

// downgrades is the one table of what the server leaves out or writes in another way. Codecs do most of
// it by the schemas of the revisions; what they replace is decided in schema/exceptions.go and in mcp.
var downgrades = []downgrade{
	{"Audio", protocol.Revision20250326, "a text block that names the type: `[audio: audio/wav]`",
		protocol.MethodToolsCall, attachments, `"type":"audio"`, `"text":"[audio: audio/wav]"`},
	{"Features declared with `availability proto=2025-03-26..`", protocol.Revision20250326,
		"the feature is not listed and not found",
		protocol.MethodPromptsGet, `{"name":"evidence"}`, `"type":"audio"`, `-32602 invalid params: /name: unknown prompt`},
	{"Resource links", protocol.Revision20250618, "a text block with name and URI: `Door: tickets:///OPS/12`",
		protocol.MethodToolsCall, attachments, `"type":"resource_link"`, `"text":"Door: tickets:///OPS/12"`},
	{"Structured output", protocol.Revision20250618, "nothing; the same JSON is a text block in every revision",
		protocol.MethodToolsCall, count, `"structuredContent":{"open":2,"done":1}`, ""},
	{"Structured output that is no object", modern, "nothing; the text block stays",
		protocol.MethodToolsCall, query, `"structuredContent":["Door"]`, ""},
	{"Annotations of tools (`readOnlyHint` and others)", protocol.Revision20250326, "nothing",
		protocol.MethodToolsList, `{}`, `"readOnlyHint":true`, ""},
	{"Titles of tools", protocol.Revision20250618, "the title among the annotations in 2025-03-26, nothing before",
		protocol.MethodToolsList, `{}`, `},"title":"Show attachments"`, ""},
	{"Titles of resources", protocol.Revision20250618, "nothing",
		protocol.MethodResourcesList, `{}`, `"title":"Questions and answers"`, ""},
	{"Titles of prompts", protocol.Revision20250618, "nothing",
		protocol.MethodPromptsList, `{}`, `"title":"Review a ticket"`, ""},
	{"Titles of arguments", protocol.Revision20250618, "nothing",
		protocol.MethodPromptsList, `{}`, `"title":"Project"`, ""},
	{"Icons", protocol.Revision20251125, "nothing",
		protocol.MethodToolsList, `{}`, `"icons":[{"src":"https://example.com/clip.png"}]`, ""},
	{"Icons of resources and prompts", protocol.Revision20251125, "nothing",
		protocol.MethodPromptsList, `{}`, `"icons":[{"src":"https://example.com/pen.svg"`, ""},
	{"`lastModified` in annotations", protocol.Revision20250618, "nothing; audience and priority stay",
		protocol.MethodToolsCall, attachments, `"lastModified":"2026-01-31T12:00:00Z"`, ""},
	{"`_meta` of features", protocol.Revision20250618, "nothing",
		protocol.MethodToolsList, `{}`, `"_meta":{"com.example/owner":"office"}`, ""},
	{"`resultType`", modern, "nothing",
		protocol.MethodToolsCall, count, `"resultType":"complete"`, ""},
	{"Cache hints of lists (`ttlMs`)", modern, "nothing",
		protocol.MethodPromptsList, `{}`, `"ttlMs":`, ""},
	{"Error code -32602 for a resource that does not exist", modern, "-32002",
		protocol.MethodResourcesRead, `{"uri":"desk:///files/none"}`, `-32602 resource not found`,
		`-32002 resource not found`},
	{"Invalid arguments of a tool as a result with `isError`", protocol.Revision20251125, "the error -32602",
		protocol.MethodToolsCall, `{"name":"picture","arguments":{"big":true}}`, `"isError":true`,
		`-32602 invalid arguments: /big: unknown argument`},
	{"Elicitation by form", protocol.Revision20250618, "an error of the tool: the client does not have the capability elicitation.form",
		asks, book, `Who goes to Rome?`, `the client does not have the capability elicitation.form`},
	{"Elicitation by URL", protocol.Revision20251125, "an error of the tool: the client does not have the capability elicitation.url",
		asks, `{"name":"pay"}`, `https://bank.example.com/pay`, `the client does not have the capability elicitation.url`},
	{"Multiple-choice fields of forms", protocol.Revision20251125, "nothing; if the field is required, `Elicit` returns an error that names it",
		asks, book, `"meals":{"type":"array"`, ""},
	{"Titles of choices in forms (`oneOf`)", protocol.Revision20251125, "`enumNames`",
		asks, book, `"oneOf":[{"title":"Second class"`, ""},
	{"Defaults of strings, numbers and choices in forms", protocol.Revision20251125, "nothing; defaults of booleans stay",
		asks, book, `"default":30`, ""},
}

// questions are the answers of the travel desk and what it asks before.
func questions(t *testing.T, rev protocol.Revision, params string) string {
	t.Helper()
	srv, err := ask.NewAskServer(ask.AskImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	c := mcptest.New(t, srv, mcptest.WithRevision(rev),
		mcptest.WithElicitation(func(p protocol.ElicitRequestParams) protocol.ElicitResult {
			all.Write(p.AppendJSON(nil, protocol.Latest))
			return mcptest.Accept(`{"name":"Ada"}`)
		}))
	return answer(c, protocol.MethodToolsCall, params) + all.String()
}

// answer is the result of a call, or its error as "code message".
func answer(c *mcptest.Client, method, params string) string {
	result, err := c.Do(method, []byte(params))
	if fault, ok := errors.AsType[*wire.Error](err); ok {
		return fmt.Sprintf("%d %s", fault.Code, fault.Message)
	}
	return string(result)
}

// Each row holds on the wire, in every revision.
func TestDowngrades(t *testing.T) {
	t.Attr("requirements", "result-type ask-mode res-fields tool-structured tool-arguments-error")
	srv := newServer(t, 0)
	for _, rev := range mcp.Revisions() {
		c := mcptest.New(t, srv, mcptest.WithRevision(rev))
		for _, d := range downgrades {
			var got string
			if d.method == asks {
				got = questions(t, rev, d.params)
			} else {
				got = answer(c, d.method, d.params)
			}
			if has := strings.Contains(got, d.has); has != (rev >= d.since) {
				t.Errorf("%s: %s: has %s: %v\n%s", rev, d.what, d.has, has, got)
			}
			if instead := d.instead != "" && strings.Contains(got, d.instead); instead != (rev < d.since && d.instead != "") {
				t.Errorf("%s: %s: has %s: %v\n%s", rev, d.what, d.instead, instead, got)
			}
		}
	}
}

// What replaces the title of a tool in the one revision that has hints and no titles.
func TestTitleAmongHints(t *testing.T) {
	c := mcptest.New(t, newServer(t, 0), mcptest.WithRevision(protocol.Revision20250326))
	if tool := c.Tools()[0]; tool.Annotations == nil || tool.Annotations.Title != "Show attachments" || tool.Title != "" {
		t.Errorf("got %+v", tool)
	}
}

// The page is the table.
func TestDowngradesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What clients of older revisions get\n\n" +
		"A server declares each feature once. What the negotiated revision does not have is left out or replaced; the\n" +
		"program does nothing for it. This page is generated from the table of a test, which checks each row on the wire in\n" +
		"all revisions: `go test ./golden/desk -run Downgrades -update`.\n\n" +
		"| feature | since | clients of older revisions get |\n|---|---|---|\n")
	for _, d := range downgrades {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", d.what, d.since, d.before)
	}
	file := filepath.Join("..", "..", "docs", "downgrades.md")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != b.String() {
		t.Errorf("%s is not the table: go test -update writes it", file)
	}
}
