package robustness

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// keys of the envelope, with the value that each has in a good call of the tool.
func envelope(e *entry) [][2]string {
	return [][2]string{
		{"jsonrpc", `"2.0"`}, {"id", `7`}, {"method", `"tools/call"`},
		{"params", `{"name":"echo","arguments":{}` + e.meta + `}`},
	}
}

// lookAlikes are names that readers which fold letters, or stop at a NUL, take for key.
func lookAlikes(key string) []string {
	out := []string{strings.ToUpper(key), key + `\u0000`, key + `\u0000x`, key + " ", " " + key, key + "\u200b",
		strings.ReplaceAll(key, "s", "ſ"), strings.ReplaceAll(key, "s", `\u017f`)}
	for i := range key {
		upper := strings.ToUpper(key[i : i+1])
		out = append(out, key[:i]+upper+key[i+1:], fmt.Sprintf(`%s\u%04x%s`, key[:i], upper[0], key[i+1:]))
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == key })
}

// object writes members with a space after each colon and comma, or without.
func object(members [][2]string, space string) string {
	var parts []string
	for _, m := range members {
		parts = append(parts, `"`+m[0]+`":`+space+m[1])
	}
	return "{" + strings.Join(parts, ","+space) + "}"
}

// mutants are texts that are nearly a call of the tool, and must not be taken for one.
func mutants(e *entry) (out []string) {
	good := envelope(e)
	for i, member := range good {
		for _, name := range lookAlikes(member[0]) {
			for _, value := range []string{member[1], `"tools/list"`, `null`, `8`, `{}`, `[]`} {
				renamed, like := slices.Clone(good), [2]string{name, value}
				renamed[i] = like
				for _, members := range [][][2]string{renamed, slices.Insert(slices.Clone(good), 0, like),
					append(slices.Clone(good), like)} {
					out = append(out, object(members, ""), object(members, " "))
				}
			}
		}
		for _, value := range []string{member[1], `null`} { // the key itself, twice
			for _, name := range []string{member[0], fmt.Sprintf(`\u%04x`, member[0][0]) + member[0][1:]} {
				out = append(out, object(append(slices.Clone(good), [2]string{name, value}), ""))
			}
		}
		if member[0] != "params" { // its types are told with -32602
			for _, value := range []string{`true`, `[]`, `{}`, `1.5`, `"\ud800"`} {
				wrong := slices.Clone(good)
				wrong[i][1] = value
				out = append(out, object(wrong, ""))
			}
		}
	}
	text := object(good, "")
	for _, behind := range []string{"x", "{}", "null", ",", "\x00", text, "]", "\ufeff", "//"} {
		out = append(out, text+behind, behind+text)
	}
	return out
}

// TestNames: names in other letters, doubled names, NULs, and text behind the end are no call of anything.
func TestNames(t *testing.T) {
	v := newVictim(t, nil, nil)
	total := 0
	for _, e := range entries(t, v) {
		e.echo(t)
		before := v.calls.Load()
		for _, text := range mutants(e) {
			total++
			got := outcome(t, e.send([]byte(text)))
			if !allowed(strings.TrimPrefix(got, "400 "), "-32700 | -32600") ||
				(e.name != "stdio") != strings.HasPrefix(got, "400") {
				t.Errorf("%s: %q is answered with %q", e.name, text, got)
			}
		}
		if n := v.calls.Load() - before; n > 0 {
			t.Errorf("%s: %d of them were called", e.name, n)
		}
		e.echo(t)
	}
	if total < 5000 {
		t.Errorf("only %d texts", total)
	}
}

// bombs cost little to send. Each is sent as it is, and inside of a call.
var bombs = []struct{ name, value string }{
	{"deep arrays", strings.Repeat("[", 1<<20)},
	{"deep closed arrays", strings.Repeat("[", 1<<19) + strings.Repeat("]", 1<<19)},
	{"deep objects", strings.Repeat(`{"a":`, 1<<17)},
	{"deeper than a tool may get", strings.Repeat("[", 513) + strings.Repeat("]", 513)},
	{"a long number with a zero in front", "0" + strings.Repeat("9", 1<<20)},
	{"more than 4 MiB", `"` + strings.Repeat("x", 4<<20) + `"`},
	{"escapes without end", `"` + strings.Repeat(`\u0000`, 1<<17)},
	{"half pairs", `"` + strings.Repeat(`\ud800`, 1<<16) + `"`},
	{"one name very often", `{` + strings.Repeat(`"a":1,`, 1<<16) + `"a":1}`},
	{"the last two of 100,000 names", manyNames(100_000, `"n99998":1`)},
	{"nothing", strings.Repeat(" ", 1<<20)},
}

// harmless are values that only look dangerous; a tool gets them.
var harmless = []struct{ name, value string }{
	{"100,000 names", manyNames(100_000, `"last":1`)},
	{"a long number", strings.Repeat("9", 1<<20)},
	{"a number with a large exponent", "1e" + strings.Repeat("9", 1<<16)},
	{"as deep as a tool may get", strings.Repeat("[", 100) + strings.Repeat("]", 100)},
	{"many escapes", `"` + strings.Repeat(`\u00e4`, 1<<16) + `"`},
}

func manyNames(n int, last string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"n%d":%d,`, i, i)
	}
	return b.String() + last + "}"
}

// TestBombs: what is too deep, too large or too many is refused, and costs memory in proportion to its length only.
func TestBombs(t *testing.T) {
	v := newVictim(t, nil, nil)
	for _, e := range entries(t, v) {
		inside := func(value string) string {
			return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"x":` + value + `}` +
				e.meta + `}}`
		}
		for _, bomb := range bombs {
			for _, text := range []string{bomb.value, inside(bomb.value)} {
				before := v.calls.Load()
				got, cost := measured(func() string { return outcome(t, e.send([]byte(text))) })
				if !allowed(got, "-32700 | -32600 | -32602 | 400 -32700 | 400 -32600 | 400 -32602 | 413 -32600 | 413 -32700 | 413") {
					t.Errorf("%s: %s: %q", e.name, bomb.name, got)
				}
				if v.calls.Load() != before {
					t.Errorf("%s: %s reached the tool", e.name, bomb.name)
				}
				if limit := 20*len(text) + 1<<20; cost > limit { // all that was ever used, most of it by net/http and this test
					t.Errorf("%s: %s of %d bytes took %d bytes of memory", e.name, bomb.name, len(text), cost)
				}
				e.echo(t)
			}
		}
		for _, value := range harmless {
			if got := outcome(t, e.await(inside(value.value))); !allowed(got, "result | 200 result") {
				t.Errorf("%s: %s: %q", e.name, value.name, got)
			}
		}
	}
}

// TestDeepMessageIsAnsweredWithItsID: what is nested too deep is refused with the id of the message, also if that comes
// last, and without one if there is none.
func TestDeepMessageIsAnsweredWithItsID(t *testing.T) {
	v := newVictim(t, nil, nil)
	deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	for _, e := range entries(t, v) {
		for text, id := range map[string]string{
			`{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{"name":"echo","arguments":{"x":DEEP}META}}`: `"id":"first"`,
			`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"x":DEEP}META},"id":777}`:     `"id":777`,
			`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"x":DEEP}META}}`:              "",
		} {
			got := e.send([]byte(strings.NewReplacer("DEEP", deep, "META", e.meta).Replace(text)))
			if !strings.Contains(got, "-32700") || !strings.Contains(got, id) || id == "" && regexp.MustCompile(`"id":[^n]`).MatchString(got) {
				t.Errorf("%s: %s is answered with %q", e.name, text, got)
			}
		}
		e.echo(t)
	}
}

// measured returns what f returns, and the bytes that were allocated meanwhile.
func measured(f func() string) (string, int) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := f()
	runtime.ReadMemStats(&after)
	return got, int(after.TotalAlloc - before.TotalAlloc)
}
