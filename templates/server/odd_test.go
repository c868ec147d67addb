package server

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

const oddPath = "github.com/mcpgen/mcpgen/templates/server/odd/"

// oddPackages are shapes that no golden package has, with the source that they are generated for.
var oddPackages = map[string]struct {
	p      *ir.GoPackage
	source string
	want   []string // lines that the output must have
	never  []string // text that it must not have
}{
	"fixed": {
		p: oddServer("fixed", &ir.Server{Resources: []*ir.Resource{{
			Callee: ir.Callee{Kind: ir.CalleeConst, Name: "Motto", Type: named(oddPath+"fixed", "Text")}, URI: "a:///b",
			Name: "b", Size: 3,
			Result: ir.ResultText, Fixed: true,
		}}}),
		source: "type Text string\nconst Motto Text = `abc`",
		want: []string{
			"type FixedImpl struct{}", "func NewFixedServer(_ FixedImpl, opts *mcp.Options) (*FixedServer, error) {",
			"func fixedFeatures() *mcprt.Features {", "Static: new(mcprt.Text(string(Motto))),", "Size: new(int64(3)),",
		},
		never: []string{"Handlers", "Tools", "Route"},
	},
	"tools": {
		p: oddServer("tools", &ir.Server{Tools: []*ir.Tool{{
			Callee: ir.Callee{Kind: ir.CalleeFunc, Name: "Do"}, Name: "do", InputSchema: `{}`, Result: ir.ToolRaw,
			CallName: "callDo",
		}}}),
		source: "func Do(ctx context.Context) (mcp.ToolResult, error) { return mcp.ToolResult{}, nil }",
		want:   []string{"Call: mcprt.WithoutArgs(callDo),", "func callDo(c *mcprt.Call) (mcprt.ToolResult, error) {"},
		never:  []string{"Resources:", "Route:", "(impl)"},
	},
	"structs": {
		p: oddServer("structs",
			&ir.Server{Resources: []*ir.Resource{oddWeek(ir.Callee{Kind: ir.CalleeFunc, Name: "Week", Params: []ir.Param{
				{Kind: ir.ParamCall},
				{Kind: ir.ParamVarsOf, Type: ptr(named(oddPath+"structs", "WeekIn")),
					Fields: []ir.VarField{{Name: "Number", Var: 1}, {Name: "Year", Var: 0}}},
			}})}, Routes: oddRoutes()}),
		source: "type WeekIn struct { Year, Number int }\n" +
			"func Week(ctx context.Context, call *mcp.Call, in *WeekIn) (string, error) { return ``, nil }",
		want: []string{"return mcprt.AsText(Week(c, (*mcp.Call)(c), &WeekIn{Number: v.Week, Year: v.Year}))",
			`if v.N == 2 && v.Take(0, v.Seg[0]) && v.Take(1, v.Seg[1]) && v.OnlyParams() {`},
	},
	"servers": {
		p:      oddTwoServers(),
		source: "func Week(ctx context.Context, year, week int) (string, error) { return ``, nil }",
		want: []string{"func readWeek(c *mcprt.Call) (mcprt.Contents, error) {",
			"func twoReadWeek(c *mcprt.Call) (mcprt.Contents, error) {"},
	},
	"imports": {
		p: oddImports(),
		source: "type mcp struct{}\nvar time, wire, context int\ntype Host = neturl.URL\n" +
			"func Read(ctx stdcontext.Context, u neturl.URL, p parser.Mode, q goparser.Mode) (string, error) { return ``, nil }\nfunc json() {}\nconst Motto = `m`",
		want: []string{
			`pkgcontext "context"`, `mcpgenmcp "github.com/mcpgen/mcpgen/mcp"`, `mcpwire "github.com/mcpgen/mcpgen/mcp/wire"`,
			`goparser "go/parser"`,
			`"github.com/mcpgen/mcpgen/generated/protocol"`,
		},
	},
	"many": {
		p: oddServer("many", &ir.Server{Tools: []*ir.Tool{{
			Callee: ir.Callee{Kind: ir.CalleeFunc, Name: "Do", Params: []ir.Param{{Kind: ir.ParamArgs,
				Type: named(oddPath+"many", "In")}}},
			Name: "do", InputSchema: `{}`, Result: ir.ToolDone, CallName: "callDo", Args: oddMany(),
		}}}, oddMany()),
		source: "type In struct { " + strings.Join(oddFields(), ", ") +
			" bool }\nfunc Do(ctx context.Context, in In) error { return nil }",
		want: []string{"var seen [2]uint64", "seen[1] |= 1 << 5",
			"d.Require(seen[1], \"f64\", \"f65\", \"f66\", \"f67\", \"f68\", \"f69\")", "seen[0] |= 1 << 63"},
	},
}

// oddServer completes a server and its package.
func oddServer(name string, s *ir.Server, args ...*ir.ArgStruct) *ir.GoPackage {
	s.Name = name
	s.Names = oddNames(name)
	return &ir.GoPackage{Path: oddPath + name, Name: name, Sources: []string{"a.go"}, Servers: []*ir.Server{s}, Args: args}
}

func oddNames(name string) ir.ServerNames {
	up := strings.ToUpper(name[:1]) + name[1:]
	return ir.ServerNames{
		Type: up + "Server", Impl: up + "Impl", New: "New" + up + "Server", Features: name + "Features",
		Route: "route" + up,
	}
}

func oddWeek(c ir.Callee) *ir.Resource {
	vars := []*ir.Var{
		{Name: "year", GoName: "Year", Param: "year", Kind: ir.VarInt, Type: basic("int"), MaxLen: -1},
		{Name: "week", GoName: "Week", Param: "week", Kind: ir.VarInt, Type: basic("int"), MaxLen: -1},
	}
	return &ir.Resource{
		Callee: c, URI: "w://{year}/{week}", Vars: vars, Size: -1, Result: ir.ResultText, Name: "week",
		Template: &uritemplate.Template{Scheme: "w", Multi: -1, StrictQuery: true,
			Segments: []uritemplate.Segment{{{Var: 0}}, {{Var: 1}}}},
		Names: ir.ResourceNames{URI: "WeekURI", Parse: "ParseWeekURI", Vars: "WeekVars", ReadVars: "readWeekVars",
			Read: "readWeek"},
	}
}

func oddRoutes() *ir.RouteNode {
	leaf := &ir.RouteNode{Try: []ir.RouteTry{{Segs: []int{0, 1}}}}
	count := &ir.RouteNode{On: ir.RouteCount, Cases: []ir.RouteCase{{Count: 2, Node: leaf}}}
	return &ir.RouteNode{On: ir.RouteScheme, Cases: []ir.RouteCase{{Text: "w", Node: count}}}
}

func oddTwoServers() *ir.GoPackage {
	week := oddWeek(ir.Callee{Kind: ir.CalleeFunc, Name: "Week",
		Params: []ir.Param{{Kind: ir.ParamVar, Var: 0}, {Kind: ir.ParamVar, Var: 1}}})
	p := oddServer("servers", &ir.Server{Resources: []*ir.Resource{week}, Routes: oddRoutes()})
	second, again := *p.Servers[0], *week
	again.Names.Read = "twoReadWeek"
	second.Resources = []*ir.Resource{&again}
	p.Servers = append(p.Servers, &second)
	p.Servers[0].Names, second.Names = oddNames("one"), oddNames("two")
	return p
}

func oddImports() *ir.GoPackage {
	mode := func(path string) *ir.GoType { return named(path, "Mode") }
	mine := mode(oddPath + "parser")
	p := oddServer("imports", &ir.Server{Resources: []*ir.Resource{{
		Callee: ir.Callee{Kind: ir.CalleeConst, Name: "Motto"}, URI: "a:///b", Size: -1, Result: ir.ResultText, Fixed: true,
	}}})
	p.Declared = []string{"Host", "Read", "context", "json", "mcp", "time", "wire"}
	p.Guards = []ir.Guard{{Func: "Read", Type: funcOf(
		[]*ir.GoType{contextType(), named("net/url", "URL"), mine, mode("go/parser")}, []*ir.GoType{basic("string"),
			basic("error")})}}
	return p
}

func oddFields() []string {
	var names []string
	for i := range 70 {
		names = append(names, fmt.Sprintf("F%d", i))
	}
	return names
}

func oddMany() *ir.ArgStruct {
	a := &ir.ArgStruct{Type: named(oddPath+"many", "In"), Decode: "decodeIn"}
	for _, name := range oddFields() {
		a.Fields = append(a.Fields, ir.ArgField{GoName: name, JSONName: strings.ToLower(name), Required: true,
			Value: ir.ArgValue{Kind: ir.ArgBool, Type: basic("bool")}})
	}
	return a
}

// TestOddShapesCompile emits each package and compiles it in the place of a folder that is not there.
func TestOddShapesCompile(t *testing.T) {
	dir := t.TempDir()
	overlay := map[string]string{}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	add := func(pkg, name, text string) {
		file := filepath.Join(dir, pkg+"_"+name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(here, "odd", pkg, name)] = file
	}
	args := []string{"build", "-o", os.DevNull, "-overlay", filepath.Join(dir, "overlay.json")}
	for name, odd := range oddPackages {
		out, err := emitOne(namePlaces(odd.p))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		checkLines(t, name, string(out), odd.want, odd.never)
		add(name, "mcp_gen.go", string(out))
		add(name, "a.go", "package "+name+"\n\n"+oddImportLines(odd.source)+odd.source+"\n")
		args = append(args, "./odd/"+name)
	}
	add("parser", "parser.go", "package parser\n\ntype Mode int\n")
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func checkLines(t *testing.T, name, out string, want, never []string) {
	t.Helper()
	for _, line := range want {
		if !strings.Contains(out, line+"\n") {
			t.Errorf("%s: no line %s in\n%s", name, line, out)
		}
	}
	for _, text := range never {
		if strings.Contains(out, text) {
			t.Errorf("%s: %q in\n%s", name, text, out)
		}
	}
}

// oddImportLines are the imports that a source needs.
func oddImportLines(source string) string {
	var b strings.Builder
	for name, line := range map[string]string{
		"context": `import "context"`, "mcp": `import "github.com/mcpgen/mcpgen/mcp"`,
		"stdcontext": `import stdcontext "context"`,
		"neturl":     `import neturl "net/url"`, "parser": `import "github.com/mcpgen/mcpgen/templates/server/odd/parser"`,
		"goparser": `import goparser "go/parser"`,
	} {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(source) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func TestParametersOfOneTypeShareIt(t *testing.T) {
	list := paramList([]typed{
		{"a", named("x/net", "Addr")}, {"b", named("x/net", "Addr")}, {"c", named("y/net", "Addr")}, {"d", ptr(basic("int"))},
		{"e", ptr(basic("int"))},
	})
	got := jen.Func().Id("f").Params(list...).Block().GoString()
	if want := "func f(a, b net.Addr, c net1.Addr, d, e *int) {}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
