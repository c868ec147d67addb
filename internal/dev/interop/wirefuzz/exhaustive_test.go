package wirefuzz

import (
	"testing"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// tokens are the pieces that every text of TestExhaustive is made of.
var tokens = []string{"{", "}", "[", "]", ",", ":", `"a"`, `"\u0061"`, "0", "-1.5e3", "true", " ", "\"\xc3", "x"}

// TestExhaustive compares Check with the oracle on every text of up to five tokens, half a million of them.
func TestExhaustive(t *testing.T) {
	text := make([]byte, 0, 64)
	accepted := 0
	var try func(n int)
	try = func(n int) {
		err := wire.Check(text, wire.Limits{})
		if want := oracle(text); (err == nil) != want {
			t.Fatalf("%q: the oracle says %v, Check says %v", text, want, err)
		}
		if err == nil {
			accepted++
		}
		if n == 0 {
			return
		}
		for _, token := range tokens {
			before := len(text)
			text = append(text, token...)
			try(n - 1)
			text = text[:before]
		}
	}
	depth := 5
	if testing.Short() {
		depth = 4
	}
	try(depth)
	if accepted < 100 {
		t.Errorf("only %d texts were accepted; the tokens are no good", accepted)
	}
}
