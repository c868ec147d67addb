package forms

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func newServer(t *testing.T) mcptest.Server {
	t.Helper()
	srv, err := NewFormsServer(FormsImpl{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

const (
	needed = `"customer":"Ann","ref":"123e4567-e89b-12d3-a456-426614174000","lines":[{"article":"AB-1"}]`
	full   = `{"customer":"Ann","mail":"ann@example.com","ref":"123E4567-e89b-12d3-a456-426614174000","day":"2026-07-28","at":"2026-07-28T12:00:00.5+02:00",` +
		`"site":"https://example.com/%20?a=b#c","host":"a-1.example","v4":"192.0.2.1","v6":"2001:db8::1","colour":"green","stage":"sent","rank":3,"urgent":false,` +
		`"discount":0.15,"weight":1e3,"boxes":8,"limit":1,"tags":["x","häßlo"],"days":[1,7],"lines":[{"article":"AB-1","count":200,"note":null},{"article":"ZZ-99","note":"<b>"}],` +
		`"from":"::1","due":"2026-07-28T00:00:00Z","wait":5,"parts":{"b":{"article":"BB-2"},"a":{"article":"AA-1"}},"next":{` + needed + `},"extra":[null],"secret":"s","<odd>&~/":"o"}`
)

// The schemas, and calls that they allow.
func TestAccepted(t *testing.T) {
	transcript.Run(t, "accepted", newServer, func(c *mcptest.Client, rev protocol.Revision) {
		c.Tools()
		c.Call("check", full)
		c.Call("check", `{`+needed+`}`)
		c.Call("check", `{`+needed+`,"days":null,"tags":["t"],"limit":7}`)
		c.Call("check_line", `{"article":"AB-1"}`)
		c.Call("describe", `{"article":"AB-1"}`)
		c.Call("list", "")
		c.Call("count", "")
	})
}

// Each keyword refuses what it should, with the place of the mistake; all mistakes are named.
func TestRefused(t *testing.T) {
	t.Attr("requirements", "tool-validate")
	transcript.Run(t, "refused", newServer, func(c *mcptest.Client, rev protocol.Revision) {
		for _, args := range []string{
			`{}`,
			`{"customer":"A","mail":"ann@","ref":"123e4567","day":"2026-02-30","at":"2026-07-28 12:00","site":"example.com","host":"-a","v4":"192.0.2.256","v6":"192.0.2.1",` +
				`"colour":"blue","stage":"lost","rank":0,"urgent":"true","discount":0,"weight":0.25,"boxes":3,"limit":0,"tags":[],"days":[0,8],"lines":[],` +
				`"from":"here","due":"soon","wait":-1,"parts":{"a/b~c":{"article":"ab"}},"next":{},"secret":1,"<odd>&~/":"","other":null}`,
			`{` + needed + `,"discount":1,"weight":1001,"boxes":6,"tags":["a","b","c","dddddd"],"limit":null}`,
			`{` + needed + `,"discount":0.17,"tags":["a","a"],"wait":1.5,"next":{` + needed + `,"next":{` + needed +
				`,"limit":-1}}}`,
			`{"customer":"` + strings.Repeat("ä", 41) + `","ref":null,"lines":[{"article":"AB-1","count":201},{"article":"AB-1","count":256},{"article":"AB-1","note":"` + strings.Repeat("n", 21) + `"},3,null]}`,
		} {
			c.Do(protocol.MethodToolsCall, []byte(`{"name":"check","arguments":`+args+`}`))
		}
		many := strings.Repeat(`{"article":""},`, 100)
		c.Do(protocol.MethodToolsCall, []byte(`{"name":"check","arguments":{`+strings.Replace(needed, `[`, `[`+many, 1)+`}}`))
	})
}
