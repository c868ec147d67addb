package wire

import (
	"fmt"
	"strings"
	"testing"
)

// Each text is a megabyte and aims at a place where careless code is quadratic or recursive. Linear code
// needs milliseconds for each; quadratic code would need minutes to hours.
func TestAdversary(t *testing.T) {
	t.Attr("requirements", "schema-bounds")
	size := 1 << 20
	if raceDetector {
		size /= 4
	}
	fill := func(head, piece, tail string) []byte {
		n := (size - len(head) - len(tail)) / len(piece)
		return []byte(head + strings.Repeat(piece, n) + tail)
	}
	seventeen := manyNames(fewNames, "0") + `"z":0}`
	depth := DefaultDepth - 2
	for name, text := range map[string][]byte{
		"escapes":                   fill(`{"a":"`, `\n`, `"}`),
		"escaped quotes":            fill(`{"a":"`, `\"`, `"}`),
		"backslashes":               fill(`{"a":"`, `\\`, `"}`),
		"unfinished escapes":        fill(`{"a":"`, `\n`, ``),
		"empty objects":             fill(`{"a":[0`, `,{}`, `]}`),
		"hashed objects":            fill(`{"a":[0`, ","+seventeen, `]}`),
		"escaped names":             fill(`{"a":[0`, `,{"\u0061":0}`, `]}`),
		"digits":                    fill(`{"a":1`, `0`, `}`),
		"fraction":                  fill(`{"a":0.`, `0`, `1}`),
		"space":                     fill(`{"a":`, ` `, `1}`),
		"open":                      fill(``, `[`, ``),
		"late mistake":              fill(strings.Repeat(`[`, depth), `1,`, `x`),
		"late mistake within names": fill(strings.Repeat(`{"a":`, depth)+"[", `{"b":1},`, `x`),
		"long name":                 fill(`{"`, `a`, `":1}`),
		"characters":                fill(`{"a":"`, `é`, `"}`),
		"bad character":             fill(`{"a":"`, `é`, "\xff\"}"),
	} {
		t.Run(name, func(t *testing.T) {
			ok := Check(text, Limits{}) == nil
			d := NewDecoder(text)
			d.pos = len(text) - 1
			d.Fail("late")
			var x Extra
			d = NewDecoder(text)
			x.DecodeJSON(&d)
			if ok && d.Err() != nil {
				t.Fatal(d.Err())
			}
			if len(x) == 1 {
				v := NewDecoder(x[0].Value)
				_ = v.String()
				v = NewDecoder(x[0].Value)
				v.Int()
				v = NewDecoder(x[0].Value)
				v.Float()
			}
			if out := AppendRaw(nil, text); ok == (string(out) == "null") {
				t.Fatal("AppendRaw and Check disagree")
			}
		})
	}
}

// The table grows and is emptied again and again under an outer object that has entries of its own.
func TestAdversaryNestedTables(t *testing.T) {
	var b strings.Builder
	b.WriteString(manyNames(fewNames+1, "0"))
	for i := range 60 {
		fmt.Fprintf(&b, `"n%d":[%s"z":0},%s"z":0}],`, i, manyNames(2000, "0"), manyNames(fewNames+1, "0"))
	}
	text := b.String()
	if err := Check([]byte(text+`"last":0}`), Limits{}); err != nil {
		t.Fatal(err)
	}
	for _, twin := range []string{"k0", "k16", "n0", "n59"} {
		if Check([]byte(text+`"`+twin+`":0}`), Limits{}) == nil {
			t.Errorf("the second %s was not noticed", twin)
		}
	}
}

func TestTooManyUnknownMembers(t *testing.T) {
	var x Extra
	d := NewDecoder([]byte(manyNames(maxExtra, "0") + `"z":0}`))
	if x.DecodeJSON(&d); d.Err() == nil || len(x) != maxExtra {
		t.Errorf("%d members, %v", len(x), d.Err())
	}
}

func TestAdversaryURI(t *testing.T) {
	for _, piece := range []string{"/", "&", "&a", "%41", "..", "?", "%2e/"} {
		tail := strings.Repeat(piece, (maxURI-16)/len(piece))
		for _, uri := range []string{"a://h/" + tail, "a://h?" + tail} {
			var p Path
			if !p.Split(uri) {
				t.Fatalf("%.20s was refused", uri)
			}
			_, _ = p.Param("b")
			plain, ok := Unescape(p.Tail(0))
			if !ok {
				t.Fatalf("%.20s was not decoded", uri)
			}
			SafeText(plain)
		}
	}
}
