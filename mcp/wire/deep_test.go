package wire_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// A message that is nested too deep is refused with its id, wherever that stands, if there is one.
func TestIDOfDeepMessage(t *testing.T) {
	t.Attr("requirements", "msg-error-id")
	deep := strings.Repeat("[", 200) + `"}]",{"id":9}` + strings.Repeat("]", 200)
	for text, want := range map[string]string{
		`{"id":7,"p":DEEP}`:                "7",
		`{"p":DEEP,"id":7}`:                "7",
		`{"p":DEEP, "id" : "x\"]" }` + " ": `"x\"]"`,
		`{"p":DEEP,"i\u0064":7}`:           "7",
		`{"p":DEEP}`:                       "null",
		`{"p":"id","x":DEEP}`:              "null",
		`{"id":1,"p":DEEP,"id":2}`:         "null",
		`{"id":1,"p":DEEP`:                 "null",
		`{"id":1,"p":DEEP}}`:               "null",
		`{"id":null,"p":DEEP}`:             "null",
		`{"id":[1],"p":DEEP}`:              "null",
		`{"id":1x,"p":DEEP}`:               "null",
		`{"id":1.5,"p":DEEP}`:              "null",
		`[{"id":1,"p":DEEP}]`:              "null",
		`{"id":`:                           "null",
	} {
		m, fault := wire.ParseMessage([]byte(strings.ReplaceAll(text, "DEEP", deep)), wire.Limits{})
		if fault == nil || fault.Code != wire.CodeParse {
			t.Fatalf("%s: %v", text, fault)
		}
		if got := string(m.ID.AppendJSON(nil)); got != want {
			t.Errorf("%s: the id is %s, want %s", text, got, want)
		}
	}
}
