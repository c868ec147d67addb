package jenutil

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// text renders code as it stands behind "var _ = ".
func text(code jen.Code) string {
	return strings.TrimPrefix(jen.Var().Id("_").Op("=").Add(code).GoString(), "var _ = ")
}

func TestExpressions(t *testing.T) {
	var m, none Members
	m.Text("Name", "a\n")
	m.Text("Empty", "")
	m.Add("Missing", nil)
	m.Add("Size", jen.Lit(1))
	for _, c := range []struct {
		code jen.Code
		want string
	}{
		{Verbatim(`{"a":1}`), "`{\"a\":1}`"},
		{Verbatim("plain"), `"plain"`},
		{Verbatim("\"`"), "\"\\\"`\""},
		{Verbatim("\"\u202e"), `"\"\u202e"`},
		{Verbatim("\"\xff"), `"\"\xff"`},
		{Number("010"), "10"},
		{Number("-1"), "-1"},
		{Number("18446744073709551615"), "18446744073709551615"},
		{Number("1.50"), "1.5"},
		{Duration(0), "0 * time.Nanosecond"},
		{Duration(time.Hour), "time.Hour"},
		{Duration(-time.Minute), "-time.Minute"},
		{Duration(90 * time.Second), "90 * time.Second"},
		{Duration(1001), "1001 * time.Nanosecond"},
		{jen.Id("T").Add(m.Inline()), `T{Name: "a\n", Size: 1}`},
		{Ref(MCP("Ref"), none.Inline()), "&mcp.Ref{}"},
		{jen.Id("T").Add(none.Lines("note")), "T{}"},
	} {
		if got := text(c.code); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	got, want := text(jen.Id("T").Add(m.Lines("see\nbelow"))), "T{ // see below\n\tName: \"a\\n\",\n\tSize: 1,\n}"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNoteIsOneCommentPerLine(t *testing.T) {
	got := Note("first\n//go:build x\u2028y", strings.Repeat("long ", 25), "").GoString()
	want := "// first //go:build x y\n// " + strings.TrimSpace(strings.Repeat("long ", 19)) + "\n// " +
		strings.TrimSpace(strings.Repeat("long ", 6))
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Flat("+build a +build"); strings.Contains(got, "+build") {
		t.Errorf("gofmt would make a constraint of %q", got)
	}
}

func TestGoTypes(t *testing.T) {
	str := &ir.GoType{Kind: ir.GoNamed, Name: "string"}
	seq := &ir.GoType{Kind: ir.GoNamed, Path: "iter", Name: "Seq2", Args: []*ir.GoType{str, str}}
	for _, c := range []struct {
		typ  *ir.GoType
		want string
	}{
		{seq, "iter.Seq2[string, string]"},
		{&ir.GoType{Kind: ir.GoPointer, Elem: seq}, "*iter.Seq2[string, string]"},
		{&ir.GoType{Kind: ir.GoArray, Len: 3, Elem: str}, "[3]string"},
		{&ir.GoType{Kind: ir.GoMap, Key: str, Elem: &ir.GoType{Kind: ir.GoSlice, Elem: str}}, "map[string][]string"},
		{&ir.GoType{Kind: ir.GoChan, Dir: 1, Elem: str}, "chan<- (string)"},
		{&ir.GoType{Kind: ir.GoChan, Dir: 2, Elem: str}, "<-chan string"},
		{&ir.GoType{Kind: ir.GoChan, Elem: &ir.GoType{Kind: ir.GoChan, Dir: 2, Elem: str}}, "chan (<-chan string)"},
		{&ir.GoType{Kind: ir.GoFunc}, "func()"},
		{&ir.GoType{Kind: ir.GoFunc, Params: []*ir.GoType{str}, Results: []*ir.GoType{str}}, "func(string) string"},
		{&ir.GoType{Kind: ir.GoFunc, Variadic: true, Params: []*ir.GoType{{Kind: ir.GoSlice, Elem: str}},
			Results: []*ir.GoType{str, str}}, "func(...string) (string, string)"},
		{&ir.GoType{Kind: ir.GoStruct}, "struct{}"},
		{&ir.GoType{Kind: ir.GoStruct, Fields: []ir.GoField{{Name: "A", Type: str, Tag: `json:"a"`}, {Type: seq}}},
			"struct {\n\tA string \"json:\\\"a\\\"\"\n\titer.Seq2[string, string]\n}"},
		{&ir.GoType{Kind: ir.GoInterface}, "interface{}"},
		{&ir.GoType{Kind: ir.GoInterface, Fields: []ir.GoField{{Name: "M",
			Type: &ir.GoType{Kind: ir.GoFunc, Params: []*ir.GoType{seq}, Results: []*ir.GoType{str}}}, {Type: str}}},
			"interface {\n\tM(iter.Seq2[string, string]) string\n\tstring\n}"},
	} {
		got := strings.TrimPrefix(jen.Var().Id("_").Add(GoType(c.typ)).GoString(), "var _ ")
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestWhatIsNotWhatItShouldBePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"identifier": func() { Ident("a b") },
		"keyword":    func() { Ident("func") },
		"member":     func() { new(Members).Add("a.b", jen.Nil()) },
		"number":     func() { Number("0x1") },
		"infinity":   func() { Number("1e999") },
		"field": func() {
			GoType(&ir.GoType{Kind: ir.GoStruct, Fields: []ir.GoField{{Name: "A int; B", Type: &ir.GoType{Kind: ir.GoStruct}}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if err, ok := recover().(error); !ok || !errors.As(err, new(BadIRError)) || err.Error() == "" {
					t.Errorf("recovered %v", err)
				}
			}()
			f()
		})
	}
}
