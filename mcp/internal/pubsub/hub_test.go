package pubsub

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Spellings of one URI are one topic; each subscriber gets the updates by its own.
func TestSpellingsAreOneTopic(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p, q := newPeer(t, h, nil), newPeer(t, h, nil)
		p.subscribeNow(t, 1, "a:///~")
		q.subscribeNow(t, 1, "a:///%7e")
		if got := h.Stats(); got.Resources != 1 || got.Subscriptions != 2 {
			t.Errorf("%+v", got)
		}
		h.Publish("a:///%7e")
		settleDown()
		wantText(t, "p", p.conn.lines(), "result 1; resources/updated a:///~")
		wantText(t, "q", q.conn.lines(), "result 1; resources/updated a:///%7e")
		q.Unsubscribe("a:///~") // the other spelling
		h.Publish("a:///~")
		settleDown()
		wantText(t, "after unsubscribe", q.conn.lines(), "")
	})
}

// PublishAll reaches every instance of one resource, and no other resource.
func TestPublishAll(t *testing.T) {
	bubble(t, func(t *testing.T, h *Hub) {
		p := newPeer(t, h, nil)
		p.open(t, "1", "a:///x", "a:///y", "b:///x")
		h.PublishAll(0)
		settleDown()
		got := p.conn.lines()
		for uri, want := range map[string]int{"a:///x": 1, "a:///y": 1, "b:///x": 0} {
			if n := strings.Count(got, uri); n != want {
				t.Errorf("%s: %d updates", uri, n)
			}
		}
	})
}

// The package comment names functions in the order in which an update passes them. All of them exist.
func TestDocNamesWhatExists(t *testing.T) {
	declared := map[string]bool{}
	var doc string
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		doc += file.Doc.Text()
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				noteMembers(declared, n)
			case *ast.FuncDecl:
				noteMethod(declared, n)
			}
			return true
		})
	}
	names := regexp.MustCompile(`\b(Hub|topic|Subscription|Streams|Outbox|Encoder|Writer|Keyer|Listen)\]?\.(\w+)`)
	found := names.FindAllStringSubmatch(doc, -1)
	if len(found) < 12 {
		t.Errorf("only %d names in the package comment", len(found))
	}
	for _, m := range found {
		if !declared[m[1]+"."+m[2]] {
			t.Errorf("doc.go names %s.%s, which does not exist", m[1], m[2])
		}
	}
}

// noteMethod notes a method.
func noteMethod(declared map[string]bool, f *ast.FuncDecl) {
	if f.Recv == nil {
		return
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if name, ok := t.(*ast.Ident); ok {
		declared[name.Name+"."+f.Name.Name] = true
	}
}

// noteMembers notes the fields of a struct, or the methods of an interface.
func noteMembers(declared map[string]bool, t *ast.TypeSpec) {
	var list *ast.FieldList
	switch u := t.Type.(type) {
	case *ast.StructType:
		list = u.Fields
	case *ast.InterfaceType:
		list = u.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			declared[t.Name.Name+"."+name.Name] = true
		}
	}
}
