package check

import (
	"go/token"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/directive/nearmiss"
)

// check parses line on a target and returns the directive with what was
// reported, one line per diagnostic: code, columns, message, fix.
func check(t *testing.T, line string, on directive.Target) (*directive.Directive, []string) {
	t.Helper()
	fset := token.NewFileSet()
	f := fset.AddFile("a.go", -1, len(line)+1)
	d, ok := directive.Parse(f.Pos(0), line)
	var l diag.List
	if !ok {
		nearmiss.Line(fset, f.Pos(0), line, nearmiss.Where{On: on, Begins: true}, &l)
	} else {
		Directive(fset, d, on, &l)
	}
	return d, lines(&l)
}

func lines(l *diag.List) []string {
	var out []string
	for _, d := range l.Sorted() {
		s := d.Code + " " + strings.TrimPrefix(d.Pos.String(), "a.go:1:")
		if d.Pos.EndCol > 0 {
			s += "-" + strings.TrimPrefix(diag.Pos{File: "a.go", Line: 1, Col: d.Pos.EndCol}.String(), "a.go:1:")
		}
		s += " " + d.Message
		if d.Fix != "" {
			s += " | " + d.Fix
		}
		out = append(out, s)
	}
	return out
}

// checkReports are directives and what is said of them.
var checkReports = []struct {
	line string
	on   directive.Target
	want []string
}{
	{`//mcp:resorce uri=a:///b`, directive.OnFunc, []string{"MCP103 7-14 unknown directive `resorce` | did you mean `resource`?"}},
	{`//mcp:zzzzzzz`, directive.OnFunc, []string{"MCP103 7-14 unknown directive `zzzzzzz`"}},
	{`//mcp:reSource uri=a:///b`, directive.OnFunc, []string{"MCP102 9-10 `//mcp:reSource` is not a directive (gofmt will turn it into prose) | write `//mcp:resource`"}},
	{`//mcp:cache tll=1h scop=public`, directive.OnFunc, []string{
		"MCP104 13-16 `cache` has no option `tll`; it has: ttl scope | ttl=",
		"MCP104 20-24 `cache` has no option `scop`; it has: ttl scope | scope=",
	}},
	{`//mcp:cache ttl=1h // short`, directive.OnFunc, []string{"MCP104 20-28 a directive cannot be followed by a comment | put the comment on a line of its own"}},
	{`//mcp:toggle x`, directive.OnFunc, []string{
		"MCP104 14-15 `toggle` takes no options | remove it",
	}},
	{`//mcp:tool title="a`, directive.OnFunc, []string{"MCP105 18-19 quoted value is not closed on this line; directives cannot continue on the next | close the quote; use a second line or `desc=@file`"}},
	{`//mcp:tool title="a\qb" name=x"`, directive.OnFunc, []string{"MCP105 20-22 quoted value holds an escape that Go does not know | write the backslash twice, or quote with backquotes"}},
	{`//mcp:resource uri=a:///b uri=a:///c`, directive.OnFunc, []string{"MCP106 27-30 `uri` given twice | remove one; for a second URI add `//mcp:alias uri=…`"}},
	{`//mcp:cache ttl=1h ttl=2h`, directive.OnFunc, []string{"MCP106 20-23 `ttl` given twice | remove one"}},
	{`//mcp:watch of=Note`, directive.OnStruct, []string{"MCP108 1-20 `watch` cannot stand on a struct; it goes on a method or func | move it to a method or func"}},
	{`//mcp:server name=x`, directive.OnImport, []string{"MCP108 1-20 `server` cannot stand on an import; it goes on a package doc | move it to a package doc"}},
	{`//mcp:cache ttl=30`, directive.OnFunc, []string{"MCP109 17-19 `ttl` needs a duration such as 30s, found \"30\" | ttl=30s"}},
	{`//mcp:cache scope`, directive.OnFunc, []string{"MCP109 13-18 `scope` needs a value | scope=public"}},
	{`//mcp:cache scope=pubic`, directive.OnFunc, []string{"MCP109 19-24 scope `pubic` must be public or private | scope=public"}},
	{`//mcp:annotate priority=1.5 audience=user,model`, directive.OnFunc, []string{
		"MCP601 25-28 priority 1.5 is outside 0..1 | priority=1",
		"MCP601 43-48 audience `model` must be user or assistant | audience=user",
	}},
	{`//mcp:annotate priority=high`, directive.OnFunc, []string{"MCP601 25-29 `priority` needs a number from 0 to 1, found \"high\" | priority=0.8"}},
	{`//mcp:icon src=https://e.org/i.png sizes=48x48,big`, directive.OnVar, []string{"MCP109 48-51 `sizes` needs sizes such as 48x48, or any, found \"48x48,big\" | sizes=48x48,any"}},
	{`//mcp:server name=x instructions=@../a.md page=-1`, directive.OnPackage, []string{
		"MCP109 34-42 `instructions` needs a file inside the package after @, found \"@../a.md\" | instructions=@INSTRUCTIONS.md",
		"MCP109 48-50 `page` needs a whole number from 0, found \"-1\" | page=200",
	}},
	{`//mcp:resource uri="a:///b c"`, directive.OnFunc, []string{"MCP109 21-29 `uri` needs a URI without white space, found \"a:///b c\" | write a space as %20"}},
	{`//mcp:resource`, directive.OnFunc, []string{"MCP110 7-15 `resource` needs its option `uri` | uri=notes:///{name}"}},
	{`//mcp:complete of=X`, directive.OnFunc, []string{"MCP110 7-15 `complete` needs its option `var` | var=number"}},
	{`//mcp:var default=1`, directive.OnFunc, []string{"MCP110 7-10 `var` needs its NAME | var limit"}},
	{`//mcp:var x-y default=1`, directive.OnFunc, []string{"MCP109 11-14 `x-y` is not a name | var limit"}},
	{`//mcp:meta owner=finance`, directive.OnFunc, []string{"MCP109 12-25 `owner=finance` is not a meta entry: its key needs a reverse-DNS prefix and a slash | com.example/owner=finance"}},
	{`//mcp:meta io.mcp/owner=finance`, directive.OnFunc, []string{"MCP109 12-32 prefix of `io.mcp/owner` is reserved for the protocol | use a domain of your own"}},
	{`//mcp:meta com.example/a=1 com.example/a=2`, directive.OnFunc,
		[]string{"MCP106 28-41 `com.example/a` given twice | remove one"}},
	{`//mcp:resource uri=a:///b subscribe=yes`, directive.OnFunc, []string{"MCP109 37-40 `subscribe` needs true or false, found \"yes\" | `subscribe`, or `subscribe=false`"}},
	{`//mcp:server name=a astools=typed`, directive.OnPackage, nil},
	{`//mcp:tool task`, directive.OnFunc, []string{"MCP109 12-16 `task` needs a value | task=once"}},
	{`//mcp:resource uri=a:///b list`, directive.OnStruct, nil},
	{`//mcp:resource uri=a:///b`, directive.OnStruct, nil},
	{`//mcp:limit timeout=5 rate=60`, directive.OnFunc, []string{
		"MCP109 21-22 `timeout` needs a duration such as 30s, found \"5\" | timeout=5s",
		"MCP109 28-30 `rate` needs a rate such as 60/m (per s, m, h or d), found \"60\" | rate=60/m",
	}},
	{`//mcp:allow MCP7 because`, directive.OnFunc, []string{
		"MCP109 13-17 `MCP7` is not the id of a diagnostic | allow MCP702",
	}},
	{`//mcp:allow MCP999 because`, directive.OnFunc, []string{
		"MCP109 13-19 no diagnostic is called `MCP999` | allow MCP702",
	}},
	{`//mcp:allow MCP301 because`, directive.OnFunc, []string{
		"MCP109 13-19 `MCP301` is an error, and only warnings and notes can be allowed | allow MCP702",
	}},
	{`//mcp:allow MCP702`, directive.OnFunc, []string{
		"MCP110 7-12 `allow` needs its REASON | allow checked against the index",
	}},
	{`//mcp:cache ttl=1h scope=private`, directive.OnNamed, nil},
	{`//mcp:annotate modified=2026-01-31T12:00:00Z`, directive.OnVar, nil},
	{`//mcp:resource uri=a:///b list=false subscribe=false "title=x y"`, directive.OnMethod, nil},
}

func TestCheckReports(t *testing.T) {
	for _, tt := range checkReports {
		_, got := check(t, tt.line, tt.on)
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s\n got %s\nwant %s", tt.line, strings.Join(got, "\n     "), strings.Join(tt.want, "\n     "))
		}
	}
}

func TestNearMiss(t *testing.T) {
	const prose = " is documentation, not a directive, because of the space "
	tests := []struct{ line, want string }{
		{`// mcp:resource uri=a:///b`, "MCP101 3-4 `// mcp:resource`" + prose + "after `//` | delete the space"},
		{`//  mcp:enum`, "MCP101 3-4 `//  mcp:enum`" + prose + "after `//` | delete the space"},
		{`// mcp:Resource uri=a:///b`, "MCP101 3-4 `// mcp:Resource`" + prose + "after `//` | delete the space"},
		{`//mcp: resource uri=a:///b`, "MCP101 7-8 `//mcp: resource`" + prose + "after the colon | delete the space"},
		{`//mcp :resource uri=a:///b`, "MCP101 6-7 `//mcp :resource`" + prose + "before the colon | delete the space"},
		{`// mcp:resource subscribe`, "MCP101 3-4 `// mcp:resource`" + prose + "after `//` | delete the space"},
		{`//mcp:Resource uri=a:///b`, "MCP102 7-8 `//mcp:Resource` is not a directive (gofmt will turn it into prose) | write `//mcp:resource`"},
		{`//MCP:resource`, "MCP102 3-4 `//MCP:resource` is not a directive (gofmt will turn it into prose) | write `//mcp:resource`"},
		{`//mcp:Resorce`, "MCP102 7-8 `//mcp:Resorce` is not a directive (gofmt will turn it into prose) | write `//mcp:resource`"},
		{`//mcp:Zebra`, "MCP103 7-12 unknown directive `Zebra`"},
		{`// mcp:resource is the verb that you want`, ""},
		{`// mcp:tool declares a tool`, ""},
		{`// mcp:nothing`, ""},
		{"//\tmcp:resource uri=a:///b", ""},
		{`//     mcp:resource uri=a:///b`, ""},
		{`// mcp is a package`, ""},
		{`//mcp:`, "MCP103 1-7 the name of the directive is missing after `//mcp:`"},
		{`// see mcp:resource`, ""},
		{`//`, ""},
	}
	for _, tt := range tests {
		_, got := check(t, tt.line, directive.OnFunc)
		if s := strings.Join(got, "\n"); s != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.line, s, tt.want)
		}
	}
}

func TestFixesAreApplicable(t *testing.T) {
	for line, want := range map[string]string{
		`//mcp:resorce uri=a:///b`:               `//mcp:resource uri=a:///b`,
		`//mcp:resource uri=a:///b mimetype=a/b`: `//mcp:resource uri=a:///b mime=a/b`,
		`// mcp:Resource uri=a:///B`:             `//mcp:resource uri=a:///B`,
		`//mcp :resource uri=a:///b`:             `//mcp:resource uri=a:///b`,
		`//mcp:Resource uri=a:///b`:              `//mcp:resource uri=a:///b`,
	} {
		fset := token.NewFileSet()
		f := fset.AddFile("a.go", -1, len(line)+1)
		var l diag.List
		if d, ok := directive.Parse(f.Pos(0), line); ok {
			Directive(fset, d, directive.OnFunc, &l)
		} else {
			nearmiss.Line(fset, f.Pos(0), line, nearmiss.Where{On: directive.OnFunc, Begins: true}, &l)
		}
		got := line
		for _, d := range l.Sorted() {
			for _, e := range d.Edits {
				got = got[:e.Start] + e.New + got[e.End:]
			}
		}
		if got != want {
			t.Errorf("%s becomes %s, want %s", line, got, want)
		}
	}
}

func TestSpecValues(t *testing.T) {
	d, errs := check(t, `//mcp:limit timeout=5s rate=60/m burst=3 by=user concurrency=4 bytes=2MiB`, directive.OnFunc)
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	l := d.Spec.(*directive.Limit)
	if l.Timeout.V != 5*time.Second || l.Rate.N != 60 || l.Rate.Per != time.Minute || l.Burst.V != 3 ||
		l.By.V != "user" || l.Concurrency.V != 4 || l.Bytes.V != 2<<20 {
		t.Errorf("limit %+v", l)
	}

	d, _ = check(t, `//mcp:server name=n instructions=@doc/I.md desc="A b"`, directive.OnPackage)
	s := d.Spec.(*directive.Server)
	if s.Name.V != "n" || s.Instructions.File != "doc/I.md" || s.Desc.V != "A b" || s.Version.Set() {
		t.Errorf("server %+v", s)
	}

	d, _ = check(t, `//mcp:tool updates=a:///{x,y},b:///c updates=d:///e tags=p,q`, directive.OnFunc)
	tool := d.Spec.(*directive.Tool)
	var got []string
	for _, it := range append(tool.Updates.V, tool.Tags.V...) {
		got = append(got, it.V)
		if it.Arg.Value[it.From:it.To] != it.V {
			t.Errorf("item %q has range %d-%d of %q", it.V, it.From, it.To, it.Arg.Value)
		}
	}
	if strings.Join(got, " ") != "a:///{x,y} b:///c d:///e p q" {
		t.Errorf("items %q", got)
	}

	d, _ = check(t, `//mcp:availability proto=2025-11-25..`, directive.OnFunc)
	if p := d.Spec.(*directive.Availability).Proto; p.From != "2025-11-25" || p.To != "" {
		t.Errorf("range %+v", p)
	}
	d, _ = check(t, `//mcp:allow MCP504 listed, size=big elsewhere`, directive.OnFunc)
	if a := d.Spec.(*directive.Allow); a.Code.V != "MCP504" || len(a.Reason.V) != 3 || a.Reason.V[1].V != "size=big" {
		t.Errorf("allow %+v", a)
	}
	d, _ = check(t, `//mcp:var limit default=100 min=1 complete=none`, directive.OnFunc)
	v := d.Spec.(*directive.Var)
	if v.Name.V != "limit" || v.Default.V != "100" || v.Min.V != "1" || v.Complete.V != "none" {
		t.Errorf("var %+v", v)
	}
}

// TestTable checks the table against the grammar: every directive has help, every
// option has help and an example or values that it accepts itself.
func TestTable(t *testing.T) {
	if n := len(directive.Definitions()); n != 33 {
		t.Errorf("%d directives", n)
	}
	for _, v := range directive.Definitions() {
		if v.On == 0 || !strings.HasPrefix(v.Doc(), v.Name+" ") || !strings.HasSuffix(v.Doc(), ".") {
			t.Errorf("%s: doc %q", v.Name, v.Doc())
		}
		for _, k := range v.Options {
			if doc := v.OptionDoc(k); !strings.HasPrefix(doc, k.Name+" ") || !strings.HasSuffix(doc, ".") {
				t.Errorf("%s %s: doc %q", v.Name, k.Name, doc)
			}
			if k.Positional || k.Kind == "bool" {
				continue
			}
			line := directive.Prefix + v.Name + " " + k.Name + "=" + sample(k)
			_, got := check(t, line, v.On)
			for _, g := range got {
				if !strings.HasPrefix(g, "MCP804") && !strings.HasPrefix(g, "MCP110") {
					t.Errorf("%s: %s", line, g)
				}
			}
		}
	}
}

func TestNearest(t *testing.T) {
	set := []string{"uri", "name", "mime", "desc", "title"}
	for in, want := range map[string]string{
		"mimetype": "mime", "description": "desc", "nmae": "name", "tite": "title", "Name": "name",
		"zzz": "", "": "", "u": "",
	} {
		if got := directive.Nearest(in, set); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", in, got, want)
		}
	}
}
