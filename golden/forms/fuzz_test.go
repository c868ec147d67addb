package forms

import (
	"encoding/json"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// FuzzOrder reads any JSON as an order. What is accepted keeps the rules that are easy to say again here, and is
// accepted again when it is written by encoding/json without its empty members.
func FuzzOrder(f *testing.F) {
	for _, s := range []string{
		`{"customer":"Ada","ref":"123e4567-e89b-12d3-a456-426614174000","lines":[{"article":"AB-12","count":3,"note":null}]}`,
		`{"customer":"Ada","ref":"123e4567-e89b-12d3-a456-426614174000","lines":[{"article":"AB-1"}],"tags":["a","b"],"days":[1,7],"boxes":4,"discount":0.05}`,
		`{"customer":"é","lines":[],"tags":["a","a"],"discount":1,"weight":1e3,"rank":4,"mail":"x","day":"2026-02-30","v4":"1.2.3.4.5"}`,
		`{"customer":1,"lines":[{"article":"ab"}],"next":{"customer":"Bob","parts":{"x":{"article":"ZZ-9"}}},"host":"-a.b","v6":"::1","site":"a:b"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if wire.Check(text, wire.Limits{}) != nil {
			return
		}
		var in, second Order
		if err := mcprt.Arguments(text, decodeOrder, &in); err != nil {
			return
		}
		if n := len([]rune(in.Customer)); n < 2 || n > 40 || len(in.Lines) == 0 || len(in.Tags) > 3 || in.Discount < 0 ||
			in.Discount >= 1 {
			t.Fatalf("%s\nis accepted as %+v", text, in)
		}
		var plain Order
		if err := json.Unmarshal(text, &plain); err != nil {
			t.Fatalf("%s\nencoding/json refuses it: %v", text, err)
		}
		again, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := mcprt.Arguments(again, decodeOrder, &second); err != nil {
			t.Fatalf("%s\nwritten again as\n%s\nis refused: %v", text, again, err)
		}
	})
}
