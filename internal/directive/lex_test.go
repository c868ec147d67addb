package directive

import (
	"fmt"
	"go/ast"
	"strings"
	"testing"
)

// dump shows directive and arguments with columns: directive@7 option@16=value@20-31.
func dump(d *Directive) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s@%d", d.Name, d.NamePos)
	for _, a := range d.Args {
		fmt.Fprintf(&b, " %s@%d-%d", a.Option, a.OptionPos(), a.OptionEnd())
		if a.HasValue {
			fmt.Fprintf(&b, "=%s@%d-%d", a.Value, a.ValuePos(), a.ValueEnd())
		}
	}
	for _, f := range d.Faults {
		fmt.Fprintf(&b, " fault%d@%d-%d", f.Kind, f.Pos, f.End)
	}
	return b.String()
}

func TestParseColumns(t *testing.T) {
	tests := []struct{ name, line, want string }{
		{"directive only", `//mcp:enum`, "enum@7"},
		{"option and value", `//mcp:resource uri=notes:///a`, "resource@7 uri@16-19=notes:///a@20-30"},
		{"flag", `//mcp:resource subscribe`, "resource@7 subscribe@16-25"},
		{"wide gaps and trailing space", "//mcp:cache \t ttl=1h  \t", "cache@7 ttl@15-18=1h@19-21"},
		{"quote after equals", `//mcp:tool title="Two words" open`, "tool@7 title@12-17=Two words@19-28 open@30-34"},
		{"quoted whole", `//mcp:arg n "desc=Two words"`, "arg@7 n@11-12 desc@14-18=Two words@19-28"},
		{"raw string", "//mcp:tool title=`a \\n b`", `tool@7 title@12-17=a \n b@19-25`},
		{"quote inside bare text", `//mcp:tool title=it"s`, `tool@7 title@12-17=it"s@18-22`},
		{"second equals", `//mcp:resource uri=a:///{?x}=1`, "resource@7 uri@16-19=a:///{?x}=1@20-31"},
		{"empty values", `//mcp:tool a= b="" ""`, "tool@7 a@12-13=@14-14 b@15-16=@18-18 @21-21"},
		{"no option", `//mcp:tool =x`, "tool@7 @12-12=x@13-14"},
		{"unclosed", `//mcp:tool title="abc def`, "tool@7 title@12-17=abc def@19-26 fault0@18-26"},
		{"unclosed raw", "//mcp:tool title=`abc", "tool@7 title@12-17=abc@19-22 fault0@18-22"},
		{"escaped quote does not close", `//mcp:tool title="abc\"`, `tool@7 title@12-17=abc"@19-24 fault0@18-24`},
		{"text after quote", `//mcp:tool title="a"b open`, "tool@7 title@12-17=a@19-20 open@23-27 fault2@21-22"},
		{"bad escape", `//mcp:tool title="a\qb" open`, "tool@7 title@12-17=a�b@19-23 open@25-29 fault1@20-22"},
		{"multi byte", `//mcp:tool title=é open`, "tool@7 title@12-17=é@18-20 open@21-25"},
	}
	for _, tt := range tests {
		d, ok := Parse(1, tt.line)
		if !ok {
			t.Errorf("%s: not a directive", tt.name)
			continue
		}
		if got := dump(d); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestParseRefusesWhatGoRefuses(t *testing.T) {
	for _, line := range []string{"", "//", "//mcp", "//mcp:", "//mcp: x", "//mcp:Tool", "// mcp:tool", "/*mcp:tool*/",
		"//go:embed x"} {
		if d, ok := Parse(1, line); ok {
			t.Errorf("%q is parsed as %v", line, d)
		}
	}
}

func TestAtFollowsEscapes(t *testing.T) {
	//      column:  1234567890123456789012345678
	d, _ := Parse(1, `//mcp:resource uri="a\u00e9\t{x}"`)
	a := d.Args[0]
	if a.Value != "aé\t{x}" {
		t.Fatalf("value %q", a.Value)
	}
	for i, want := range map[int]int{0: 21, 1: 22, 2: 22, 3: 28, 4: 30, 6: 32, 7: 33} {
		if got := int(a.At(i)); got != want {
			t.Errorf("At(%d) = %d, want %d", i, got, want)
		}
	}
	if a.Pos != 16 || a.End != 34 {
		t.Errorf("argument at %d-%d", a.Pos, a.End)
	}
}

func TestStringIsNormalForm(t *testing.T) {
	for in, want := range map[string]string{
		"//mcp:tool   title=\"x\"  \"open\" ": `//mcp:tool title=x open`,
		"//mcp:tool title=`a b`":              `//mcp:tool title="a b"`,
		`//mcp:arg n "desc=a b"`:              `//mcp:arg n desc="a b"`,
		`//mcp:arg "a b=c"`:                   `//mcp:arg "a b=c"`,
		`//mcp:tool a= ""`:                    `//mcp:tool a="" ""`,
	} {
		d, _ := Parse(1, in)
		if got := d.String(); got != want {
			t.Errorf("%s prints as %s, want %s", in, got, want)
		}
	}
}

func FuzzDirective(f *testing.F) {
	for _, s := range []string{
		`//mcp:resource uri=notes:///{id} title="a b" subscribe`, `//mcp:arg n "desc=x y"`, "//mcp:tool a=`b",
		`//mcp:tool a="\u00e9\x80" b="c"d`, "//mcp:x \u0085=\"\"", `//mcp:tool a="\`, `// mcp:tool`, `//mcp:Tool`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n\r") {
			return
		}
		d, ok := Parse(1, line)
		std, stdOK := ast.ParseDirective(1, line)
		if ok != (stdOK && std.Tool == "mcp") {
			t.Fatalf("Parse says %v, the standard library %v", ok, stdOK)
		}
		if !ok {
			return
		}
		checkInside(t, d, len(line)+1)
		if len(d.Faults) == 0 {
			once := d.String()
			again, _ := Parse(1, once)
			if len(again.Faults) > 0 || again.String() != once || dumpText(again) != dumpText(d) {
				t.Fatalf("%q prints as %q, which parses as %q", line, once, again.String())
			}
		}
		if d.Name != std.Name {
			t.Fatalf("directive %q, standard %q", d.Name, std.Name)
		}
		if args, err := std.ParseArgs(); err == nil && !strings.Contains(line, "=\"") && !strings.Contains(line, "=`") {
			sameAsStandard(t, d, args)
		}
	})
}

func dumpText(d *Directive) string {
	s := d.Name
	for _, a := range d.Args {
		s += fmt.Sprintf("|%q %v", a.Text(), a.HasValue)
	}
	return s
}

func checkInside(t *testing.T, d *Directive, end int) {
	last := int(d.NameEnd())
	for _, a := range d.Args {
		if int(a.Pos) < last || int(a.End) > end || a.End < a.Pos {
			t.Fatalf("argument %q at %d-%d, line ends at %d", a.Text(), a.Pos, a.End, end)
		}
		last = int(a.End)
		prev := a.OptionPos()
		if prev < a.Pos || a.OptionEnd() > a.End {
			t.Fatalf("option %q outside its argument", a.Option)
		}
		for i := range len(a.Value) + 1 {
			p := a.At(i)
			if p < prev || p > a.End {
				t.Fatalf("byte %d of %q at %d, after %d", i, a.Value, p, prev)
			}
			prev = p
		}
	}
	for _, f := range d.Faults {
		if f.Pos < d.Pos || int(f.End) > end || f.End <= f.Pos {
			t.Fatalf("fault at %d-%d, line ends at %d", f.Pos, f.End, end)
		}
	}
}

func sameAsStandard(t *testing.T, d *Directive, args []ast.DirectiveArg) {
	if len(args) != len(d.Args) {
		t.Fatalf("%d arguments, standard has %d", len(d.Args), len(args))
	}
	for i, a := range args {
		if d.Args[i].Text() != a.Arg || d.Args[i].Pos != a.Pos {
			t.Fatalf("argument %d is %q at %d, standard %q at %d", i, d.Args[i].Text(), d.Args[i].Pos, a.Arg, a.Pos)
		}
	}
}
