package wire

import (
	"encoding/json"
	"testing"
)

func TestUnescapeString(t *testing.T) {
	for raw, want := range map[string]string{
		`\"\\\/\b\f\n\r\t`: "\"\\/\b\f\n\r\t", `\u0000\u001F`: "\x00\x1f", `x\u00e9y`: "xéy", `\ud83d\ude00!`: "😀!",
		// What Check refuses.
		`\`: "\ufffd", `a\x`: "a\ufffd", `\u12`: "\ufffd12", `\ud800`: "\ufffd", `\ud800\ud800`: "\ufffd\ufffd",
		`\udc00\ud800`: "\ufffd\ufffd",
		`\ud800\u00`:   "\ufffd\ufffd00", `\ud800\n`: "\ufffd\n", `\ud83d\u0041`: "\ufffdA",
	} {
		if got := string(appendUnescaped([]byte("."), []byte(raw))); got != "."+want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
		if got := unescapedString([]byte(raw)); got != want || unescapedLen([]byte(raw)) != len(want) {
			t.Errorf("%s: got %q with length %d, want %q", raw, got, unescapedLen([]byte(raw)), want)
		}
	}
}

func TestIDMarshal(t *testing.T) {
	in := struct{ A, B, C ID }{NumberID(-3), StringID("x"), ID{}}
	text, err := json.Marshal(in)
	if err != nil || string(text) != `{"A":-3,"B":"x","C":null}` {
		t.Fatalf("%s, %v", text, err)
	}
	out := in
	if err := json.Unmarshal(text, &out); err != nil || out != in {
		t.Errorf("%+v, %v", out, err)
	}
	for _, bad := range []string{`1.5`, `true`, `[]`} {
		if json.Unmarshal([]byte(bad), &out.A) == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
