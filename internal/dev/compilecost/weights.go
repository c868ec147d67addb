package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// part is a feature of a server whose weight is measured: what a program has besides a tool of one text on stdio.
type part struct {
	name  string
	code  string            // declarations
	opts  string            // fields of mcp.Options
	impl  string            // fields of the argument of the constructor
	more  string            // statements before srv serves
	serve string            // in place of stdio
	files map[string]string // beside the package
	// imports and mains are what the declarations and the program import.
	imports, mains []string
}

const runtimePath = "github.com/mcpgen/mcpgen/mcp"

// parts are the rows of the table in docs/performance.md.
var parts = []part{
	{name: "a tool of one text on stdio"},
	{name: "a tool with a struct for arguments and result", code: `type In struct {
	Name string ` + "`json:\"name\"`" + `
}

//mcp:tool
func Typed(ctx context.Context, in In) (In, error) { return in, nil }
`},
	{name: "a prompt", code: "//mcp:prompt\n" +
		"func Ask(ctx context.Context, about string) (string, error) { return about, nil }\n"},
	{name: "a resource", code: "//mcp:resource uri=w:///text\nconst Fixed = \"text\"\n"},
	{name: "a template", code: "//mcp:resource uri=w:///items/{name} list=none\n" +
		"func Item(ctx context.Context, name string) (string, error) { return name, nil }\n"},
	{name: "a resource with subscriptions and poll", code: "//mcp:resource uri=w:///news subscribe poll=5s\n" +
		"func News(ctx context.Context) (string, error) { return \"\", nil }\n"},
	{name: "a store of structs", code: `//mcp:resource uri=w:///cards/{id} list subscribe
type Card struct {
	ID string ` + "`json:\"id\" mcp:\"key\"`" + `
}
`, impl: "Card: weight.NewCardStore()"},
	{name: "access and limits", code: "//mcp:tool\n//mcp:access scopes=a\n//mcp:limit rate=5/s timeout=1s\n" +
		"func Guarded(ctx context.Context) (string, error) { return \"\", nil }\n"},
	{name: "a question to the user", code: `//mcp:form
type Form struct {
	Name string ` + "`json:\"name\"`" + `
}

//mcp:tool
func Asks(ctx context.Context, c mcp.Peer) (string, error) {
	f, err := mcp.AskForm[Form](ctx, c, "k", "Who?")
	return f.Name, err
}
`, imports: []string{runtimePath}},
	{name: "`AddTool`", more: `_ = srv.AddTool(mcp.DynamicTool{Name: "added"})`},
	{name: "a task", code: "//mcp:tool task=once\nfunc Long(ctx context.Context) (string, error) { return \"\", nil }\n"},
	{name: "an app", code: "//go:embed page.html\n//mcp:app uri=ui://w/page\nvar Page string\n\n" +
		"//mcp:tool ui=ui://w/page\nfunc Show(ctx context.Context) (string, error) { return \"\", nil }\n",
		imports: []string{"_ embed"}, files: map[string]string{"page.html": "<!doctype html><title>w</title><p>w"}},
	{name: "a skill", code: "//go:embed skills\n//mcp:skill\nvar Skills embed.FS\n", imports: []string{"embed"},
		files: map[string]string{"skills/w/SKILL.md": "---\nname: w\ndescription: Weigh.\n---\nWeigh.\n"}},
	{name: "an event", code: "//mcp:event\ntype Opened struct {\n\tName string `json:\"name\"`\n}\n",
		opts: "Events: &event.Options{Log: new(event.Memory)}", mains: []string{runtimePath + "/event"}},
	{name: "replicas (`Options.Bus`)", opts: "Bus: replica.Over(new(memory.Bus)), Keys: [][]byte{make([]byte, 32)}",
		mains: []string{"_ " + runtimePath + "/keys", runtimePath + "/replica", runtimePath + "/replica/memory"}},
	{name: "`mcphttp.Main`", serve: "mcphttp.Main(srv)", mains: []string{runtimePath + "/mcphttp"}},
	{name: "`mcphttp.Handler` in a program of yours", serve: `h, err := mcphttp.Handler(srv, nil)
	if err == nil {
		err = http.ListenAndServe("localhost:8080", h)
	}
	log.Fatal(err)`, mains: []string{"log", "net/http", runtimePath + "/mcphttp"}},
}

// weigh prints what each of parts adds to the binary, as rows of a table. Programs are stripped.
func weigh(ctx context.Context, m *module) error {
	for i, p := range parts {
		if err := p.write(filepath.Join(m.dir, "w"+strconv.Itoa(i))); err != nil {
			return err
		}
	}
	if _, err := m.command(ctx, nil, m.mcpgen, "./..."); err != nil {
		return err
	}
	var base int64
	for i, p := range parts {
		path := filepath.Join(m.dir, "program")
		env := []string{"CGO_ENABLED=0"}
		_, err := m.command(ctx, env, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./w"+strconv.Itoa(i)+"/cmd")
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if i == 0 {
			base = info.Size()
			fmt.Printf("| %s | %.2f MB |\n", p.name, float64(base)/1e6)
			continue
		}
		fmt.Printf("| %s | %d KB |\n", p.name, (info.Size()-base+500)/1000)
	}
	return nil
}

// write writes the package and its program.
func (p part) write(dir string) error {
	files := map[string]string{
		"weight.go": "// Package weight is weighed.\n//\n//mcp:server name=weight version=1.0.0\npackage weight\n\n" +
			importsOf(append(p.imports, "context")) + "//mcp:tool\nfunc Work(ctx context.Context) (string, error) " +
			"{ return \"done\", nil }\n\n" + p.code,
		"cmd/main.go": p.program(filepath.Base(dir)),
	}
	maps.Copy(files, p.files)
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, []byte(text), 0o600))
		if err != nil {
			return err
		}
	}
	return nil
}

// program is the text of the program of a package in a folder.
func (p part) program(folder string) string {
	imports := append([]string{runtimePath, "mix.test/mix/" + folder}, p.mains...)
	serve := p.serve
	if serve == "" {
		imports = append(imports, "context", runtimePath+"/stdio")
		serve = "_ = srv.Serve(context.Background(), stdio.New(nil))"
	}
	return "package main\n\n" + importsOf(imports) + fmt.Sprintf(`func main() {
	srv, err := weight.NewWeightServer(weight.WeightImpl{%s}, &mcp.Options{%s})
	if err != nil {
		panic(err)
	}
	%s
	%s
}
`, p.impl, p.opts, p.more, serve)
}

func importsOf(paths []string) string {
	var b strings.Builder
	for _, path := range paths {
		name, path, found := strings.Cut(path, " ")
		if !found {
			name, path = "", name
		}
		fmt.Fprintf(&b, "import %s %q\n", name, path)
	}
	return b.String() + "\n"
}
