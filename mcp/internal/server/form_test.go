package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// wishes has fields with several choices; needy needs one of them.
type (
	wishes struct{ Meals, Class string }
	needy  struct{ wishes }
)

const wishFields = `{"type":"object","properties":{"class":{"type":"string","enum":["a","b"]},` +
	`"meals":{"type":"array","items":{"type":"string","enum":["x","y"]}},"any":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}}`

func decodeWishes(d *wire.Decoder, w *wishes) {
	for d.Object(); d.Next(); {
		switch string(d.Name()) {
		case "class":
			w.Class = d.String()
		case "meals":
			w.Meals = string(d.Raw())
		default:
			d.Fail("unknown")
		}
	}
}

func (*wishes) MCPForm() wire.FormSchema[wishes] {
	return wire.FormSchema[wishes]{Schema: wishFields + "}", Decode: decodeWishes}
}

func (*needy) MCPForm() wire.FormSchema[needy] {
	return wire.FormSchema[needy]{Schema: wishFields + `,"required":["class","meals"]}`,
		Decode: func(d *wire.Decoder, n *needy) { decodeWishes(d, &n.wishes) }}
}

// A field that forms of 2025-06-18 cannot show is left out, and what a client says for it all the same is not believed;
// if the form needs the field, the user is not asked.
func TestOlderForms(t *testing.T) {
	s := newNotifier(t, map[string]func(*call.Call) error{
		"wish": func(c *call.Call) error {
			w, err := call.AskForm[wishes](c, c.Peer(), "wishes", "What?")
			return errorsOr(err, "class %s, meals %s", w.Class, w.Meals)
		},
		"need": func(c *call.Call) error {
			w, err := call.AskForm[needy](c, c.Peer(), "needs", "What?")
			return errorsOr(err, "class %s, meals %s", w.Class, w.Meals)
		},
	})
	ask := func(rev protocol.Revision, tool, content string) (fields, result string) {
		c := able(t, s, rev, `{"elicitation":{}}`)
		c.send(toolCall("1", tool, "{}"))
		var q struct {
			ID     json.RawMessage
			Params struct {
				RequestedSchema struct{ Properties map[string]json.RawMessage }
			}
		}
		got := c.recv()
		if !strings.Contains(got, "elicitation/create") {
			return "", got
		}
		if err := json.Unmarshal([]byte(got), &q); err != nil {
			t.Fatal(err)
		}
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":%s}}`, q.ID, content))
		for _, name := range []string{"class", "meals", "any"} {
			if q.Params.RequestedSchema.Properties[name] != nil {
				fields += name + " "
			}
		}
		return fields, c.recv()
	}
	for _, c := range []struct {
		rev                           protocol.Revision
		tool, content, fields, result string
	}{
		{protocol.Revision20251125, "wish", `{"class":"a","meals":["x"]}`, "class meals any ", `class a, meals [\"x\"]`},
		{protocol.Revision20250618, "wish", `{"class":"a"}`, "class ", "class a, meals "},
		{protocol.Revision20250618, "wish", `{"class":"a","meals":["x"]}`, "class ", "class a, meals "},
		{protocol.Revision20251125, "need", `{"class":"a","meals":["x"]}`, "class meals any ", `class a, meals [\"x\"]`},
		{protocol.Revision20250618, "need", "", "",
			"the form needs its field meals, which has several choices: clients of revision 2025-06-18 cannot show it"},
	} {
		fields, result := ask(c.rev, c.tool, c.content)
		if fields != c.fields {
			t.Errorf("%s in %s: fields %q, want %q", c.tool, c.rev, fields, c.fields)
		}
		wantMatch(t, result, textFault("1", c.result))
	}
}

// errorsOr makes what a tool has heard visible: tools of newNotifier have no other result.
func errorsOr(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return content.Errorf(format, args...)
}

func textFault(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[{"type":"text","text":"` + text + `"}],"isError":true}}`
}
