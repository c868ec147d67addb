package shapes

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// FuzzArguments reads any JSON as arguments of every kind. What the generated decoder accepts, encoding/json accepts
// too, and both read the same; what it refuses it says in an error, without a panic.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		everything, `{"id":"","name":"","level":"debug"}`, `{"point":{"x":1}}`, `{"deep":{"a/b":[{"~":3}]}}`,
		`{"large":18446744073709551616}`,
		`{"id":"a","name":"b","level":"info","next":{"id":"a","name":"b","level":"warn","limit":0}}`, `{"ratio":1e39}`,
		`{"when":"yesterday"}`, `[]`, `{`,
		`{"id":"a","name":"b","level":"info","small":-0,"ratio":1.17549e-38,"grid":[[],[1,-2]],"labels":{"":9223372036854775807},"any":1e400}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if wire.Check(text, wire.Limits{}) != nil {
			return
		}
		var got All
		if err := mcprt.Arguments(text, decodeAll, &got); err != nil {
			if err.Error() == "" {
				t.Fatal("an error without words")
			}
			return
		}
		var want All
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatalf("%s\nencoding/json refuses it: %v", text, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nis read as %+v\nand by encoding/json as %+v", text, got, want)
		}
	})
}
