package diag

import (
	"errors"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

func source(text string) func(string) ([]byte, error) {
	return func(string) ([]byte, error) { return []byte(text), nil }
}

func TestFormatMatchesTheDocumentedForm(t *testing.T) {
	src := strings.Repeat("\n", 40) + "//mcp:complete of=Ticket var=nr\n"
	d := New("MCP502", Pos{"/m/notes.go", 41, 30, 32}, "%q is not a variable of %s", "nr", "tickets:///{project}/{number}")
	d.Hint = "variables: project, number"
	d.Related = []Related{{Pos{"/m/notes.go", 30, 1, 0}, "template declared here"}}
	d.Fix = "var=number"
	want := `notes.go:41:30: error MCP502: "nr" is not a variable of tickets:///{project}/{number}
   41 | //mcp:complete of=Ticket var=nr
                                     ^^ variables: project, number
   related: notes.go:30:1 template declared here
   fix: var=number
`
	p := Printer{Dir: "/m", Source: source(src)}
	if got := p.Format(d); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestCaretUnderTabsAndWideText(t *testing.T) {
	tests := []struct {
		name, line  string
		col, endCol int
		want        string
	}{
		{"tab", "\tvar x int", 6, 7, "        \t    ^"},
		{"tab inside", "a\tb", 3, 4, "         \t^"},
		{"two byte runes", "é é ab", 7, 9, "            ^^"},
		{"wide runes take two columns", "日本 ab", 8, 10, "             ^^"},
		{"range over wide runes", "日本 ab", 1, 7, "        ^^^^"},
		{"combining mark takes none", "e\u0301 x", 5, 6, "          ^"},
		{"no end is one column", "abc", 2, 0, "         ^"},
		{"behind the line", "abc", 9, 12, "           ^"},
		{"carriage return is not shown", "abc\r", 4, 5, "           ^"},
	}
	for _, tt := range tests {
		p := Printer{Source: source(tt.line)}
		got := p.Format(New("MCP104", Pos{"f.go", 1, tt.col, tt.endCol}, "x"))
		lines := strings.Split(got, "\n")
		if lines[2] != tt.want {
			t.Errorf("%s: caret line %q, want %q", tt.name, lines[2], tt.want)
		}
		if shown := "    1 | " + strings.TrimSuffix(tt.line, "\r"); lines[1] != shown {
			t.Errorf("%s: source line %q, want %q", tt.name, lines[1], shown)
		}
	}
}

func TestPrintHostileTextStaysOnItsLine(t *testing.T) {
	p := Printer{Source: source("a\x1b[2Jb\u202ec")}
	d := New("MCP104", Pos{"f.go", 1, 1, 2}, "bad\nnotes.go:1:1: error")
	d.Fix, d.Hint = "x\ry", "h\vi"
	got := p.Format(d)
	if strings.ContainsAny(got, "\x1b\r\v\u202e") || strings.Count(got, "\n") != 4 {
		t.Errorf("control characters reach the terminal: %q", got)
	}
}

func TestFormatWithoutSource(t *testing.T) {
	p := Printer{Source: func(string) ([]byte, error) { return nil, errors.New("gone") }}
	d := New("MCP806", Pos{File: "f.go", Line: 3, Col: 1}, "cannot be read")
	d.Hint = "why"
	if got, want := p.Format(d), "f.go:3:1: error MCP806: cannot be read\n   hint: why\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := p.Format(New("MCP806", Pos{}, "no place")), "error MCP806: no place\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRelPath(t *testing.T) {
	for _, tt := range []struct{ dir, file, want string }{
		{"/m", "/m/a/b.go", "a/b.go"},
		{"/m/a", "/m/b.go", "../b.go"},
		{"/m/a/b/c", "/n/b.go", "/n/b.go"},
		{"", "/m/b.go", "/m/b.go"},
	} {
		if got := RelPath(tt.dir, tt.file); got != tt.want {
			t.Errorf("RelPath(%q, %q) = %q, want %q", tt.dir, tt.file, got, tt.want)
		}
	}
}

func TestListOrderAndSeverity(t *testing.T) {
	var l List
	l.Add(
		New("MCP504", Pos{"b.go", 1, 1, 0}, "late file"),
		New("MCP209", Pos{"a.go", 2, 1, 0}, "note"),
		New("MCP104", Pos{"a.go", 1, 9, 0}, "second column"),
		New("MCP103", Pos{"a.go", 1, 3, 0}, "first column"),
		New("MCP103", Pos{"a.go", 1, 3, 0}, "first column"),
	)
	var got []string
	for _, d := range l.Sorted() {
		got = append(got, d.Message)
	}
	if s := strings.Join(got, ","); s != "first column,second column,note,late file" {
		t.Errorf("order %s", s)
	}
	if l.Count(Error) != 2 || l.Count(Warning) != 1 || l.Count(Note) != 1 {
		t.Errorf("counts %d %d %d", l.Count(Error), l.Count(Warning), l.Count(Note))
	}
	if s := l.Strict(); s.Count(Error) != 3 || s.Count(Warning) != 0 || s.Count(Note) != 1 {
		t.Errorf("strict counts %d %d %d", s.Count(Error), s.Count(Warning), s.Count(Note))
	}
	if n := l.AtLeast(Warning).Count(Note); n != 0 {
		t.Errorf("AtLeast(Warning) keeps %d notes", n)
	}
	if (&List{}).HasErrors() || !l.HasErrors() {
		t.Error("HasErrors is wrong")
	}
}

func TestCodeTable(t *testing.T) {
	form := regexp.MustCompile(`^MCP[1-8]\d\d$`)
	seen := map[string]bool{}
	for _, c := range Codes() {
		if !form.MatchString(c.ID) || seen[c.ID] {
			t.Errorf("bad or repeated id %s", c.ID)
		}
		seen[c.ID] = true
		if c.Meaning == "" || c.Why == "" || c.Wrong == "" || c.Right == "" || strings.Contains(c.Meaning, "\n") {
			t.Errorf("%s is not fully explained", c.ID)
		}
	}
	if len(seen) < 45 {
		t.Errorf("only %d codes", len(seen))
	}
}

func TestEachFamilyHasItsSlice(t *testing.T) {
	for families, codes := range map[string][]Code{
		"1": syntaxCodes, "2": uriCodes, "3": bindingCodes, "4": resultCodes, "5": referenceCodes, "67": protocolCodes,
		"8": buildCodes,
	} {
		for i, c := range codes {
			if !strings.ContainsAny(c.ID[3:4], families) || i > 0 && c.ID <= codes[i-1].ID {
				t.Errorf("%s does not belong in its place among the codes of family %sxx", c.ID, families)
			}
		}
	}
}

func TestExplain(t *testing.T) {
	for _, id := range []string{"MCP104", "mcp104", "104", " MCP104 "} {
		text, ok := Explain(id)
		if !ok || !strings.HasPrefix(text, "MCP104 (error): ") || !strings.Contains(text, "mimetype") {
			t.Errorf("Explain(%q) = %q, %v", id, text, ok)
		}
	}
	if _, ok := Explain("MCP999"); ok {
		t.Error("an unknown id is explained")
	}
}

func TestPosOfCutsRangesAtTheLineEnd(t *testing.T) {
	fset := token.NewFileSet()
	f := fset.AddFile("a.go", -1, 20)
	f.SetLines([]int{0, 10})
	if got := PosOf(fset, f.Pos(2), f.Pos(5)); got != (Pos{"a.go", 1, 3, 6}) {
		t.Errorf("got %+v", got)
	}
	if got := PosOf(fset, f.Pos(2), f.Pos(15)); got != (Pos{"a.go", 1, 3, 0}) {
		t.Errorf("got %+v", got)
	}
	if got := PosOf(fset, token.NoPos, token.NoPos); got.IsValid() {
		t.Errorf("got %+v", got)
	}
	if got := EditOf(fset, f.Pos(2), f.Pos(15), "x"); got != (Edit{"a.go", 2, 15, "x"}) {
		t.Errorf("got %+v", got)
	}
}

func TestWriteJSON(t *testing.T) {
	var l List
	d := New("MCP103", Pos{"/m/a.go", 1, 7, 14}, "unknown directive <b>")
	d.Fix = "did you mean?"
	d.Edits = []Edit{{"/m/a.go", 6, 13, "resource"}}
	d.Related = []Related{{Pos{File: "/m/b.go", Line: 2}, "here"}}
	l.Add(d)
	var b strings.Builder
	p := Printer{Dir: "/m"}
	if err := p.WriteJSON(&b, &l, errors.New("no room")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"file": "a.go"`, `"endCol": 14`, `"id": "MCP103"`, `"version": 1`, `"error": "no room"`,
		`unknown directive <b>`, `"start": 6`, `"file": "b.go"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s missing in %s", want, b.String())
		}
	}
}
