package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCheckAccepts(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `""`, `0`, `-0`, `true`, `false`, `null`, " \t\r\n[ ] \n",
		`1.5`, `-1e5`, `1E+5`, `1e-5`, `0.0`, `10`, `123456789012345678901234567890`, `1e999`,
		`"\"\\\/\b\f\n\r\t\u00e9"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`, "\"\U0001F600é\u2028\x7f\"", `"\u0000"`, "\"\ufeff\"",
		`"\uffff"`,
		`{"a":1,"A":2,"b":{"a":3},"c":[{"a":4},{"a":5}]}`, `{"key":1,"key\u0000":2}`, `{"":1," ":2}`,
		`{"params":1,"param` + "\u017f" + `":2,"k":3,"` + "\u212a" + `":4}`, "{\"\u00e9\":1,\"e\u0301\":2}",
	} {
		if err := Check([]byte(text), Limits{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	tests := []struct {
		text   string
		offset int
		reason string
	}{
		{"", 0, reasonEnd}, {"  ", 2, reasonEnd}, {"[", 1, reasonEnd}, {"[1", 2, reasonEnd}, {"[1,", 3, reasonEnd},
		{"{", 1, reasonEnd}, {`{"a`, 3, reasonEnd}, {`{"a"`, 4, reasonEnd}, {`{"a":`, 5, reasonEnd},
		{`{"a":1,`, 7, reasonEnd},
		{`"a\`, 2, reasonEnd}, {"\ufeff{}", 0, "byte order mark"},
		{"{}{}", 2, "text after the value"}, {"1 2", 2, "text after the value"}, {"{}\x00", 2, "text after the value"},
		{"null,", 4, "text after the value"}, {"\x00", 0, "expected a value"}, {"\v1", 0, "expected a value"},
		{"\u00a01", 0, "expected a value"},
		{"[1,]", 3, "expected a value"}, {"[,1]", 1, "expected a value"},
		{"[1 2]", 3, "expected a comma or the end of the array"},
		{`{"a":1 "b":2}`, 7, "expected a comma or the end of the object"},
		{`{"a":1]`, 6, "expected a comma or the end of the object"},
		{"[1}", 2, "expected a comma or the end of the array"}, {"]", 0, "expected a value"}, {"}", 0, "expected a value"},
		{`{"a":1,}`, 7, "expected a member name"}, {`{,}`, 1, "expected a member name"},
		{`{a:1}`, 1, "expected a member name"},
		{`{1:1}`, 1, "expected a member name"}, {`{'a':1}`, 1, "expected a member name"}, {`{"a",1}`, 4, "expected a colon"},
		{`{"a":}`, 5, "expected a value"}, {"tru", 0, "expected a value"}, {"True", 0, "expected a value"},
		{"nul", 0, "expected a value"},
		{"truex", 4, "text after the value"}, {"NaN", 0, "expected a value"}, {"Infinity", 0, "expected a value"},
		{"//c\n1", 0, "expected a value"},
		{"+1", 0, "expected a value"}, {".5", 0, "expected a value"}, {"-", 0, "bad number"}, {"1.", 0, "bad number"},
		{"1.e5", 0, "bad number"},
		{"1e", 0, "bad number"}, {"1e+", 0, "bad number"}, {"-a", 0, "bad number"}, {"01", 1, "text after the value"},
		{"-01", 2, "text after the value"},
		{"0x10", 1, "text after the value"}, {"1_0", 1, "text after the value"},
		{"\"a\nb\"", 2, "control character in a string"}, {"\"\x00\"", 1, "control character in a string"},
		{"\"0123456\x1f\"", 8, "control character in a string"},
		{`"\x41"`, 1, "unknown escape in a string"}, {`"\'"`, 1, "unknown escape in a string"},
		{`"\U0041"`, 1, "unknown escape in a string"},
		{`"\u12"`, 1, `bad \u escape in a string`}, {`"\u12g4"`, 1, `bad \u escape in a string`},
		{`"\u+123"`, 1, `bad \u escape in a string`},
		{`"\ud800"`, 1, "lone surrogate in a string"}, {`"\udc00"`, 1, "lone surrogate in a string"},
		{`"\ud800\ud800"`, 1, "lone surrogate in a string"},
		{`"\ud800x\udc00"`, 1, "lone surrogate in a string"}, {`"\udc00\ud800"`, 1, "lone surrogate in a string"},
		{`"\ud800\u0041"`, 1, "lone surrogate in a string"},
		{"\"\xff\"", 1, "invalid UTF-8"}, {"\"\xc0\x80\"", 1, "invalid UTF-8"}, {"\"\xed\xa0\x80\"", 1, "invalid UTF-8"},
		{"\"\xf4\x90\x80\x80\"", 1, "invalid UTF-8"}, {"\"\u00e9\xc3\"", 3, "invalid UTF-8"},
		{"\"\u00e9\x80\"", 3, "invalid UTF-8"}, {"{\"\xff\":1}", 2, "invalid UTF-8"},
		{`{"a":1,"a":1}`, 7, reasonTwice}, {`{"a":1,"\u0061":2}`, 7, reasonTwice}, {`{"\u0061":1,"a":2}`, 12, reasonTwice},
		{`{"/":1,"\/":2}`, 7, reasonTwice}, {`{"":1,"":2}`, 6, reasonTwice},
		{"{\"\U0001F600\":1,\"\\ud83d\\ude00\":2}", 10, reasonTwice},
		{`{"a":{"x":1,"x":2}}`, 12, reasonTwice}, {`{"a":{"b":1},"a":2}`, 13, reasonTwice},
		{`[{"a":1},{"b":1,"b":2}]`, 16, reasonTwice},
	}
	for _, tt := range tests {
		var e *SyntaxError
		if err := Check([]byte(tt.text), Limits{}); !errors.As(err, &e) {
			t.Errorf("%q: accepted", tt.text)
		} else if e.Offset != tt.offset || e.Reason != tt.reason {
			t.Errorf("%q: got %v, want %q at %d", tt.text, e, tt.reason, tt.offset)
		}
	}
}

func TestCheckLimits(t *testing.T) {
	t.Attr("requirements", "schema-bounds")
	nested := func(n int) []byte {
		return []byte(strings.Repeat(`[{"a":`, n/2) + "1" + strings.Repeat("}]", n/2))
	}
	tests := []struct {
		name string
		text []byte
		l    Limits
		want string
	}{
		{"default depth", nested(128), Limits{}, ""},
		{"over default depth", nested(130), Limits{}, reasonDepth},
		{"own depth", nested(512), Limits{Depth: 512}, ""},
		{"over own depth", nested(4), Limits{Depth: 3}, reasonDepth},
		{"depth is not size", []byte(`[[],[],[[]],[]]`), Limits{Depth: 3}, ""},
		{"empty counts", []byte(`[[]]`), Limits{Depth: 1}, reasonDepth},
		{"size", []byte(`[1,2]`), Limits{Bytes: 5}, ""},
		{"over size", []byte(`[1,2] `), Limits{Bytes: 5}, reasonSize},
		{"default size", bytes.Repeat([]byte(" "), DefaultBytes+1), Limits{}, reasonSize},
		{"bomb", bytes.Repeat([]byte("["), DefaultBytes), Limits{Depth: DefaultBytes + 1}, reasonEnd},
	}
	for _, tt := range tests {
		var e *SyntaxError
		errors.As(Check(tt.text, tt.l), &e)
		switch {
		case tt.want == "" && e != nil:
			t.Errorf("%s: %v", tt.name, e)
		case tt.want != "" && (e == nil || e.Reason != tt.want):
			t.Errorf("%s: got %v, want %q", tt.name, e, tt.want)
		}
	}
}

// Every place of a name in objects around the size where hashing begins, plain and escaped, nested and not.
func TestCheckDuplicatesAtEverySize(t *testing.T) {
	for _, n := range []int{1, 2, fewNames - 1, fewNames, fewNames + 1, 2 * fewNames, 100, 1000} {
		for _, twin := range []int{0, n / 2, n - 1} {
			for _, form := range []string{`"k%d":0`, `"\u006b%d":0`} {
				open := manyNames(n, `{"x":[{"x":1},{"y":2}]}`)
				good := open + `"other":1}`
				if err := Check([]byte(good), Limits{}); err != nil {
					t.Fatalf("n=%d: %v", n, err)
				}
				bad := open + fmt.Sprintf(form, twin) + "}"
				if err := Check([]byte(bad), Limits{}); err == nil {
					t.Errorf("n=%d: duplicate of name %d as %s was not noticed", n, twin, form)
				}
			}
		}
	}
}

// manyNames returns an object with n members, not yet closed.
func manyNames(n int, value string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"k%d":%s,`, i, value)
	}
	return b.String()
}

// Large objects inside and beside large objects use one table; a name must never be seen from another object, and the
// names of the outer object must still be known after an inner one has made the table grow.
func TestCheckNestedLargeObjects(t *testing.T) {
	inner := manyNames(300, "1") + `"z":1}`
	middle := manyNames(40, "["+inner+","+inner+"]") + `"z":1}`
	text := manyNames(20, "0") + `"m":` + middle + `,"n":` + inner
	if err := Check([]byte(text+"}"), Limits{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"k0", "k19", "m", "n"} {
		if err := Check([]byte(text+`,"`+name+`":1}`), Limits{}); err == nil {
			t.Errorf("duplicate %q after nested objects was not noticed", name)
		}
	}
	if err := Check([]byte(text+"}"), Limits{}); err != nil {
		t.Fatalf("after refusals: %v", err)
	}
}

// A huge message must not leave its memory in the pool.
func TestCheckManyNames(t *testing.T) {
	c := new(checker)
	if e := c.check([]byte(manyNames(2*maxIdleNames, "0")+`"z":0}`), Limits{}); e != nil {
		t.Fatal(e)
	}
	c.release()
	if c.names.list != nil || c.names.table != nil {
		t.Error("a checker keeps the memory of a huge message")
	}
}

// Finding a hundred thousand names of their own among each other looks at few places of the table, reads hardly any
// name again, and the second message of that kind allocates nothing.
func TestManyNamesAreCheap(t *testing.T) {
	const n = 100_000
	text := []byte(manyNames(n, "0") + `"z":0}`)
	var s nameSet
	s.begin(text)
	scope := s.open()
	for i := 1; text[i] != 'z'; i++ {
		if text[i-1] == '"' && text[i] == 'k' {
			end := i + strings.IndexByte(string(text[i:i+10]), '"')
			if !s.add(&scope, i, end, false) {
				t.Fatalf("%s is there already", text[i:end])
			}
		}
	}
	probes, reads := 0, 0
	for at, e := range s.table {
		if e == 0 {
			continue
		}
		for to := s.slot(s.list[s.index(e)].hash); to != at; to = (to + 1) & (len(s.table) - 1) {
			probes++
			if (s.table[to]^e)>>s.width == 0 {
				reads++
			}
		}
	}
	if s.hashed != n || probes > 2*n || reads > n/100 {
		t.Errorf("%d names: %d further places looked at, %d further names read", s.hashed, probes, reads)
	}
	if raceDetector {
		return
	}
	c := new(checker)
	again := testing.AllocsPerRun(1, func() { // after a run of its own
		if e := c.check(text, Limits{}); e != nil {
			t.Error(e)
		}
		for len(c.frames) > 0 {
			c.pop()
		}
		c.names.reset()
	})
	if again > 0 {
		t.Errorf("the second message costs %v allocations", again)
	}
}
