package golden

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// perPackage is how many texts of one slot share a package.
const perPackage = 60

// batch is one package with texts of one slot, and its harmless twin.
type batch struct {
	slot      slot
	texts     []int // in hostile
	dir, twin string
	accepted  []int
}

// thorough is true in make fuzz only. Everywhere else each slot gets one text in eight, and each text is in one slot
// of eight: all of them take minutes.
var thorough = os.Getenv("MCPGEN_HOSTILE") == "all"

// every is the distance between the texts that a slot gets. The next slot begins with the next text.
var every = map[bool]int{true: 1, false: 8}[thorough]

// TestHostileText puts hostile texts in every slot. Either the generator complains, or the output has the
// shape of the output for a harmless text, and compiles.
func TestHostileText(t *testing.T) {
	if len(hostile) < 400 {
		t.Fatalf("only %d texts", len(hostile))
	}
	dir := tempModule(t, "", "example.com/m")
	batches := layOut(t, dir)
	outputs, refused := settle(t, dir)
	twins := tempModule(t, "", "example.com/m")
	for _, b := range batches {
		b.twin = filepath.Join(twins, diag.RelPath(dir, b.dir))
		for _, i := range b.texts {
			if !refused[b.file(b.dir, i)] {
				b.accepted = append(b.accepted, i)
				b.write(t, b.twin, i, b.harmless(i))
			}
		}
	}
	harmless, wrong := settle(t, twins)
	if len(wrong) > 0 {
		t.Fatalf("harmless texts are refused: %v", wrong)
	}
	accepted := map[string]int{}
	for _, b := range batches {
		accepted[b.slot.name] += len(b.accepted)
		if len(b.accepted) > 0 {
			b.compare(t, outputs[b.dir], harmless[b.twin])
		}
	}
	checkAccepted(t, accepted)
	compileAll(t, dir, outputs)
}

// checkAccepted makes sure that the slots are not refused for another reason than the text.
func checkAccepted(t *testing.T, accepted map[string]int) {
	t.Helper()
	all := 0
	for _, s := range slots {
		n := accepted[s.name]
		all += n
		if thorough && s.takes == formed && n == 0 || s.takes == verbatim && n < len(hostile)/every/2 {
			t.Errorf("%s: only %d texts were accepted", s.name, n)
		}
	}
	t.Logf("%d texts, one in %d of them in each of %d slots, %d accepted", len(hostile), every, len(slots), all)
	if all < len(slots)*len(hostile)/every/2 {
		t.Errorf("only %d texts were accepted", all)
	}
}

// layOut writes all packages.
func layOut(t *testing.T, dir string) (out []*batch) {
	t.Helper()
	for k, s := range slots {
		var mine []int
		for i := k % every; i < len(hostile); i += every {
			mine = append(mine, i)
		}
		for texts := range slices.Chunk(mine, perPackage) {
			b := &batch{slot: s, texts: texts, dir: filepath.Join(dir, fmt.Sprintf("p%04d", len(out)))}
			for _, i := range texts {
				b.write(t, b.dir, i, hostile[i])
			}
			out = append(out, b)
		}
	}
	return out
}

func (b *batch) file(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("f%03d.go", i)) }

// write writes what one text needs: the number of the text takes the place of the mark.
func (b *batch) write(t *testing.T, dir string, i int, text string) {
	t.Helper()
	source, number := b.slot.source(text), strconv.Itoa(i)
	if strings.HasPrefix(source, "package ") {
		write(t, filepath.Join(dir, "a.go"), "// Package m is a test.\n//\n//mcp:server name=m\npackage m\n")
	}
	write(t, b.file(dir, i), strings.ReplaceAll(source, "§", number))
	if strings.Contains(source, "go:embed page") {
		write(t, filepath.Join(dir, "page"+number+".html"), "<!doctype html>\n<title>A page</title>\n")
	}
	if strings.Contains(source, "@text") {
		write(t, filepath.Join(dir, "text"+number), text+"\nThe end.") // blank texts are left out
	}
}

// harmless is the text of a twin. Names differ, as hostile ones do.
func (b *batch) harmless(i int) string {
	switch {
	case strings.HasSuffix(b.slot.name, "name"):
		return "word" + strconv.Itoa(i)
	case b.slot.name == "argument limit":
		return "1"
	case b.slot.name == "icon sizes":
		return "any"
	}
	return "word"
}

// settle removes the files that the generator complains about until it has nothing to say, and returns the outputs
// by folder and the files that are gone.
func settle(t *testing.T, dir string) (outputs map[string][]byte, refused map[string]bool) {
	t.Helper()
	outputs, refused = map[string][]byte{}, map[string]bool{}
	for {
		r := pipeline(t, dir)
		for _, d := range r.Diags.Sorted() {
			if d.Severity != diag.Error || refused[d.Pos.File] {
				continue
			}
			refused[d.Pos.File] = true
			if err := os.Remove(d.Pos.File); err != nil {
				t.Fatal(err)
			}
		}
		if !r.Diags.HasErrors() {
			for _, f := range r.Files {
				outputs[filepath.Dir(f.Path)] = f.Data
			}
			return outputs, refused
		}
	}
}

// compare holds the output beside that of the twin.
func (b *batch) compare(t *testing.T, data, twin []byte) {
	t.Helper()
	if data == nil || twin == nil {
		t.Errorf("%s: there is no output: %t, twin %t", b.slot.name, data == nil, twin == nil)
		return
	}
	if msg := differs(twin, data); msg != "" {
		t.Errorf("%s, texts %d to %d: %s", b.slot.name, b.accepted[0], b.accepted[len(b.accepted)-1], msg)
	}
	if b.slot.takes != verbatim {
		return
	}
	literals := literalsOf(t, data)
	for _, i := range b.accepted {
		if !strings.Contains(literals, hostile[i]) {
			t.Errorf("%s: %.60q is not in the output", b.slot.name, hostile[i])
		}
	}
}

// differs says how the output for hostile texts differs in shape from that of its twin.
func differs(twin, data []byte) string {
	a, _, err := shape(twin)
	if err != nil {
		return "the twin: " + err.Error()
	}
	b, comments, err := shape(data)
	if err != nil {
		return err.Error()
	}
	if formatted, err := format.Source(data); err != nil || !bytes.Equal(formatted, data) {
		return "the output is not formatted"
	}
	for _, c := range comments {
		if !strings.HasPrefix(c, "// ") && c != "//" || strings.HasPrefix(c, "// +build") {
			return fmt.Sprintf("comment %.80q", c)
		}
	}
	for i := range min(len(a), len(b)) {
		if a[i].kind != b[i].kind {
			return fmt.Sprintf("%s, and %s in the twin", b[i].in(data), a[i].in(twin))
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d nodes, and %d in the twin", len(b), len(a))
	}
	return ""
}

// node is a node of a syntax tree: its type, or the path if it is an import.
type node struct {
	kind string
	line int
}

// in shows the node with its line.
func (n node) in(data []byte) string {
	return fmt.Sprintf("%s in line %d: %.80s", n.kind, n.line, bytes.TrimSpace(bytes.Split(data, []byte("\n"))[n.line-1]))
}

// shape lists all nodes and the comments.
func shape(data []byte) (nodes []node, comments []string, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "mcp_gen.go", data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			comments = append(comments, c.Text)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.CommentGroup, *ast.Comment:
			return false
		}
		if _, ok := literal(n); ok {
			nodes = append(nodes, node{"text", fset.Position(n.Pos()).Line})
			return false
		}
		kind := reflect.TypeOf(n).String()
		if imported, ok := n.(*ast.ImportSpec); ok {
			kind = imported.Path.Value
		}
		nodes = append(nodes, node{kind, fset.Position(n.Pos()).Line})
		return true
	})
	return nodes, comments, nil
}

// literalsOf are all strings of the output.
func literalsOf(t *testing.T, data []byte) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "mcp_gen.go", data, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	ast.Inspect(f, func(n ast.Node) bool {
		if text, ok := literal(n); ok {
			all.WriteString(text + "\x01\x02\x03")
			return false
		}
		return true
	})
	return all.String()
}

// literal returns the value of a string literal, or of several with + between them: long texts are cut.
func literal(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(n.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, okX := literal(n.X)
		y, okY := literal(n.Y)
		return x + y, okX && okY && n.Op == token.ADD
	default:
		return "", false
	}
}
