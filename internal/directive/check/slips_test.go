package check

import (
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/directive/nearmiss"
)

// repaired checks a line and returns what was reported, and the line after all edits of the first diagnostic that has
// some. Each edit must leave what its diagnostic says.
func repaired(t *testing.T, line string, at nearmiss.Where) (codes []string, after string) {
	t.Helper()
	fset := token.NewFileSet()
	f := fset.AddFile("a.go", -1, len(line)+1)
	var l diag.List
	if d, ok := directive.Parse(f.Pos(0), line); ok {
		Directive(fset, d, at.On, &l)
	} else {
		nearmiss.Line(fset, f.Pos(0), line, at, &l)
	}
	for _, d := range l.Sorted() {
		codes = append(codes, d.Code)
		if after != "" || len(d.Edits) == 0 {
			continue
		}
		after = line
		for _, v := range slices.Backward(d.Edits) {
			after = after[:v.Start] + v.New + after[v.End:]
		}
		dir, ok := directive.Parse(1, after)
		if !ok || len(d.Becomes) != 1 || dir.String() != d.Becomes[0] {
			t.Errorf("%s becomes %s, but %q was promised", line, after, d.Becomes)
		}
	}
	return codes, after
}

// nearMisses are lines that were meant as directives. What is behind the arrow is the repair; none if only a human can
// tell.
const nearMisses = `
//mcpgen:resource uri=a:///b -> //mcp:resource uri=a:///b
//mcp-resource uri=a:///b -> //mcp:resource uri=a:///b
//mcp.tool -> //mcp:tool
//@mcp:tool -> //mcp:tool
//+mcp:tool -> //mcp:tool
//mcp tool -> //mcp:tool
//mcp=tool -> //mcp:tool
//mpc:tool -> //mcp:tool
//acp:tool
// +mcp:tool readonly -> //mcp:tool readonly
// @mcp:tool -> //mcp:tool
//MCP:tool -> //mcp:tool
//Mcp:Tool name=x -> //mcp:tool name=x
//mcp :tool -> //mcp:tool
//mcp: tool -> //mcp:tool
//mcp : tool readonly -> //mcp:tool readonly
//go:mcp:tool -> //mcp:tool
//go:mcp-tool -> //mcp:tool
//go:mcp tool name=x -> //mcp:tool name=x
//mcp/tool -> //mcp:tool
//mcp_tool readonly -> //mcp:tool readonly
// mcp:tool -> //mcp:tool
// mcp:use Audit Trace -> //mcp:use Audit Trace
// mcp:var limit default=3 -> //mcp:var limit default=3
// mcp:allow MCP504 nobody asks -> //mcp:allow MCP504 nobody asks
// mcp:meta com.example/owner=x -> //mcp:meta com.example/owner=x
// mcp:tol name=x -> //mcp:tool name=x
//#mcp:tool -> //mcp:tool
///mcp:tool -> //mcp:tool
//!mcp:tool -> //mcp:tool
// mcp-gen:tool name=x -> //mcp:tool name=x
//mcp-gen:tool -> //mcp:tool
//mcp::tool -> //mcp:tool
//mcptool -> //mcp:tool
//mc:ptool readonly -> //mcp:tool readonly
//mcpt:ool -> //mcp:tool
//m:cptool -> //mcp:tool
// mcp.tool readonly name=x -> //mcp:tool readonly name=x
// mcp-tool -> //mcp:tool
//mcp tool name=x -> //mcp:tool name=x
// mcp tool name=x -> //mcp:tool name=x
// MCP Tool name=x -> //mcp:tool name=x
//mcp:Tool(name=x) -> //mcp:tool(name=x)
//mcp: name=x
//mcp:"tool" -> //mcp:tool
`

func TestNearMisses(t *testing.T) {
	for row := range strings.Lines(strings.TrimSpace(nearMisses)) {
		line, want, _ := strings.Cut(strings.TrimSuffix(row, "\n"), " -> ")
		codes, after := repaired(t, line, nearmiss.Where{On: directive.OnFunc, Begins: true})
		if len(codes) == 0 || after != want {
			t.Errorf("%s: %v, becomes %q, want %q", line, codes, after, want)
		}
	}
}

// argumentSlips are directives with arguments in the manner of other languages.
const argumentSlips = `
//mcp:resource uri=notes:///a, name=x -> //mcp:resource uri=notes:///a name=x
//mcp:resource uri=notes:///a; name=x -> //mcp:resource uri=notes:///a name=x
//mcp:resource uri=notes:///a,name=x -> //mcp:resource uri=notes:///a name=x
//mcp:resource uri=notes:///a , name=x -> //mcp:resource uri=notes:///a name=x
//mcp:tool readonly, idempotent -> //mcp:tool readonly idempotent
//mcp:tool title="a b", name=x -> //mcp:tool title="a b" name=x
//mcp:tool title=Hello, name=x -> //mcp:tool title=Hello name=x
//mcp:tool title=Hello, world name=x -> //mcp:tool title="Hello, world" name=x
//mcp:tool title='Team notes' name=x -> //mcp:tool title="Team notes" name=x
//mcp:tool title=‘Team notes’ name=x -> //mcp:tool title="Team notes" name=x
//mcp:tool title=“Team notes” -> //mcp:tool title="Team notes"
//mcp:tool title=„Team notes“ -> //mcp:tool title="Team notes"
//mcp:tool title=«Team» -> //mcp:tool title="Team"
//mcp:tool 'title=Team notes' name=x -> //mcp:tool "title=Team notes" name=x
//mcp:tool title='say "x"' name=x
//mcp:tool title='Team notes
//mcp:tool(name=x) -> //mcp:tool name=x
//mcp:tool(name=x, readonly, title="a, b") -> //mcp:tool name=x readonly title="a, b"
//mcp:tool (name=x readonly) -> //mcp:tool name=x readonly
//mcp:tool{name=x} -> //mcp:tool name=x
//mcp:tool[name=x] -> //mcp:tool name=x
//mcp:tool() -> //mcp:tool
//mcp:tool(name=x
//mcp:tool(x)
//mcp:tool,name=x -> //mcp:tool name=x
//mcp:tool:name=x -> //mcp:tool name=x
//mcp:tool; name=x -> //mcp:tool name=x
//mcp:tool=search
//mcp:tool name:x -> //mcp:tool name=x
//mcp:tool name: x -> //mcp:tool name=x
//mcp:tool title:"Team notes" name=x -> //mcp:tool title="Team notes" name=x
//mcp:tool title: "Team notes" name=x -> //mcp:tool title="Team notes" name=x
//mcp:tool name:=x -> //mcp:tool name=x
//mcp:resource uri:notes:///a -> //mcp:resource uri=notes:///a
//mcp:resource uri: notes:///a -> //mcp:resource uri=notes:///a
//mcp:tool name = x -> //mcp:tool name=x
//mcp:tool name =x -> //mcp:tool name=x
//mcp:tool name==x -> //mcp:tool name=x
//mcp:tool name=>x -> //mcp:tool name=x
//mcp:tool --name=x -> //mcp:tool name=x
//mcp:tool -name=x -> //mcp:tool name=x
//mcp:tool --name x --readonly -> //mcp:tool name=x --readonly
//mcp:tool --title "Team notes" -> //mcp:tool title="Team notes"
//mcp:tool --readonly -> //mcp:tool readonly
//mcp:tool @readonly -> //mcp:tool readonly
//mcp:tool !readonly -> //mcp:tool readonly=false
//mcp:tool no-readonly -> //mcp:tool readonly=false
//mcp:tool "name"=x -> //mcp:tool name=x
//mcp:tool 'name'=x
//mcp:tool Name=x -> //mcp:tool name=x
//mcp:tool read-only -> //mcp:tool readonly
//mcp:tool description=x -> //mcp:tool desc=x
//mcp:annotate audience=user, assistant priority=1 -> //mcp:annotate audience=user,assistant priority=1
//mcp:access scopes=a, b, c -> //mcp:access scopes=a,b,c
//mcp:access scopes=a,
//mcp:meta com.example/a=b, com.example/c=d -> //mcp:meta com.example/a=b com.example/c=d
//mcp:resource a:///b -> //mcp:resource uri=a:///b
//mcp:resource urinotes:///b
//mcp:tool namex=
//mcp:tool nam=ex
//mcp:tool nmae=x -> //mcp:tool name=x
//mcp:too name=x
`

func TestArgumentSlips(t *testing.T) {
	for row := range strings.Lines(strings.TrimSpace(argumentSlips)) {
		line, want, _ := strings.Cut(strings.TrimSuffix(row, "\n"), " -> ")
		codes, after := repaired(t, line, nearmiss.Where{On: directive.OnFunc})
		if len(codes) == 0 || after != want {
			t.Errorf("%s: %v, becomes %q, want %q", line, codes, after, want)
		}
	}
}

// prose are comments, and code in comments, that name MCP or look like other directives.
const prose = `
// mcp is the protocol.
// MCP: the Model Context Protocol
// MCP tool
// MCP server
// mcp server
// mcp tool
// mcp resource templates are listed here
// mcp.Server is safe for concurrent use.
// mcp.Tool
//mcp.Tool{Name: "x"}
//mcp.NewServer(nil)
// mcp.list of=Note is what people write
// mcp/server is a package
// mcp-server name of the program
// mcp:tool declares a tool
// mcp: tool
// MCP: Tool
// the directive mcp:tool makes a tool
// see //mcp:tool
// use //mcp:resource uri=notes:///motd to offer it
// mcptest.New
// mcplist
// mcpgen writes this file
// mcpgen: tools are generated
// mcpgen tool
// mcpgen list ./...
// mcp_gen.go
// mcp://host/path
// mcp-tools name things
// tcp:list the sockets
// map:list of things
//tcp:8080
// cmp:opaque
//go:generate go tool mcpgen ./...
//go:embed mcp/tool.md
//nolint:mcp
//lint:ignore MCP504 listed elsewhere
// mp: form fields
// TODO(mcp): tool names
// mcp=tool pairs are counted
// MCP_TOOL name=x of the environment
// mcp tools: name=x, readonly
// mcp prompt
// mcp-list
// mpc:tool makes signatures
// mcp|tool|resource
// mcp,tool
// mcp> tool
//   mcp tool
// +build mcp
// @mcp is an organisation
// https://mcp:tool@example.com
`

// TestProse keeps the near misses from speaking up where nothing is wrong: on every kind of declaration, in running
// text and at the beginning of a sentence.
func TestProse(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(prose)) {
		line = strings.TrimSuffix(line, "\n")
		for _, on := range []directive.Target{directive.OnFunc, directive.OnPackage, directive.OnStruct, directive.OnNamed,
			directive.OnVar, directive.OnField, 0} {
			for _, begins := range []bool{true, false} {
				at := nearmiss.Where{On: on, Begins: begins, Inside: on == directive.OnField || on == 0}
				if codes, _ := repaired(t, line, at); len(codes) > 0 && !(begins && on == directive.OnFunc && knownRisk[line]) {
					t.Errorf("%s on %s, begins %v: %v", line, on, begins, codes)
				}
			}
		}
	}
}

// knownRisk are lines that are reported if they are a sentence of their own on a function: more people write them who
// mean a directive.
var knownRisk = map[string]bool{"// mcp: tool": true, "// mcp,tool": true}
