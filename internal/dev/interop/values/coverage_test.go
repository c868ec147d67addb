package values

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/mcp/wire"
	"github.com/mcpgen/mcpgen/schema"
)

// notChecked are the definitions that no value of this package is made for, with the reason.
var notChecked = map[string]string{
	"Annotated":                  "a base: its properties are those of the types that include it",
	"BaseMetadata":               "a base",
	"CacheableResult":            "a base",
	"ClientNotification":         "the list of methods of one side; each method is checked",
	"ClientRequest":              "a list of methods",
	"ClientResult":               "which of its results it is follows from the request; each result is checked",
	"Cursor":                     "a string, checked where it is used",
	"EmptyResult":                "another name of Result",
	"Error":                      "package wire writes it; TestErrors checks errors with a code",
	"Icons":                      "a base",
	"InputRequests":              "a map, checked inside of InputRequiredResult",
	"InputResponseRequestParams": "a base",
	"InputResponses":             "a map, checked inside of the params of three requests",
	"JSONArray":                  "any list: kept as JSON text",
	"JSONObject":                 "any object: kept as JSON text",
	"JSONRPCBatchRequest":        "framing: package wire",
	"JSONRPCBatchResponse":       "framing",
	"JSONRPCError":               "framing",
	"JSONRPCErrorResponse":       "framing",
	"JSONRPCMessage":             "framing",
	"JSONRPCNotification":        "framing",
	"JSONRPCRequest":             "framing",
	"JSONRPCResponse":            "framing",
	"JSONRPCResultResponse":      "framing",
	"JSONValue":                  "any value: kept as JSON text",
	"Notification":               "the base of all notifications",
	"PaginatedRequest":           "the base of four requests",
	"PaginatedResult":            "a base",
	"ProgressToken":              "a string or an integer, checked where it is used",
	"Request":                    "the base of all requests",
	"RequestId":                  "a string or an integer, checked where it is used",
	"ResourceContents":           "a base; the union of its two forms is checked",
	"ResourceRequestParams":      "a base",
	"ResultType":                 "a string, checked where it is used",
	"ServerNotification":         "a list of methods",
	"ServerRequest":              "a list of methods",
	"ServerResult":               "see ClientResult",
	"TaskAugmentedRequestParams": "a base",
}

// TestEveryDefinition finds a check for every definition of every revision, and runs those that other tests do not.
func TestEveryDefinition(t *testing.T) {
	b, schemas := newTables(t), openValidator(t)
	used, checked := map[string]bool{}, 0
	for rev, s := range b.schemas {
		m := &maker{Rand: rand.New(rand.NewSource(int64(rev))), tables: b, rev: rev}
		for _, d := range s.Defs {
			if notChecked[d.Name] != "" {
				used[d.Name] = true
				continue
			}
			checked++
			for range rounds {
				text := m.framed(d)
				if text == nil {
					break
				}
				text, err := place{d.Name, d.Node}.judged(text)
				if err == nil {
					err = schemas.Validate(s.Revision, d.Name, text, false)
				}
				if err != nil {
					t.Errorf("%s in %s: %v\n%s", d.Name, s.Revision, err, text)
					break
				}
			}
			if m.framed(d) == nil && !b.covered(d, rev) {
				t.Errorf("nothing checks %s of %s", d.Name, s.Revision)
			}
		}
	}
	for name := range notChecked {
		if !used[name] {
			t.Errorf("the table of exceptions has %s, which no revision defines", name)
		}
	}
	if checked < 400 {
		t.Errorf("only %d definitions were checked", checked)
	}
}

// covered reports whether another test checks a definition.
func (b *tables) covered(d *schema.Def, rev int) bool {
	for _, byRev := range b.places {
		if byRev[rev].path == d.Name {
			return true
		}
	}
	union := slices.ContainsFunc(b.p.Unions, func(u *ir.Union) bool { return u.Schema == d.Name && u.Revs.Has(rev) })
	enum := slices.ContainsFunc(b.p.Enums, func(e *ir.Enum) bool { return e.Schema == d.Name && e.Revs.Has(rev) })
	return union || enum
}

// framed makes a message: a request, a notification, a result in its frame or an error; nil for anything else.
func (m *maker) framed(d *schema.Def) []byte {
	if p := d.Node.Property("method"); p != nil && p.Node.Const != nil {
		return fmt.Appendf(nil, `{"method":%q,"params":%s}`, p.Node.Const.Text, m.params(p.Node.Const.Text))
	}
	if s := m.structs[strings.TrimSuffix(d.Name, "Response")]; s != nil && d.Node.Property("result") != nil {
		return fmt.Appendf(nil, `{"result":%s}`, m.encoded(s))
	}
	return m.fault(d)
}

func (m *maker) params(method string) []byte {
	for _, x := range m.p.Methods {
		if x.Name == method && x.Union {
			return unions[x.Params].encode(nil, revision(m.rev), m.member(m.unions[x.Params], 0).Interface())
		}
		if x.Name == method {
			return m.encoded(m.structs[x.Params])
		}
	}
	return []byte("null")
}

func (m *maker) encoded(s *ir.Struct) []byte {
	return m.pointer(s, 0).Interface().(message).AppendJSON(nil, revision(m.rev))
}

// fault makes an error with the code of a definition, alone or in its frame.
func (m *maker) fault(d *schema.Def) []byte {
	e := &wire.Error{Message: m.text(), Data: m.raw(0)}
	if s := m.structs[strings.TrimSuffix(d.Name, "Error")+"Data"]; s != nil {
		e.Data = m.encoded(s)
	}
	if p := d.Node.Property("code"); p != nil && p.Node.Const != nil {
		_ = json.Unmarshal([]byte(p.Node.Const.Text), &e.Code)
		return e.AppendJSON(nil)
	}
	p := d.Node.Property("error")
	if p == nil || len(p.Node.AllOf) != 2 {
		return nil
	}
	_ = json.Unmarshal([]byte(p.Node.AllOf[1].Property("code").Node.Const.Text), &e.Code)
	return fmt.Appendf(nil, `{"error":%s}`, e.AppendJSON(nil))
}

// TestEnums writes every constant in every revision that has it.
func TestEnums(t *testing.T) {
	b, schemas := newTables(t), openValidator(t)
	for _, e := range b.p.Enums {
		for _, v := range e.Values {
			for rev, s := range b.schemas {
				if s.Lookup(e.Schema) == nil || !v.Revs.Has(rev) {
					continue
				}
				if err := schemas.Validate(s.Revision, e.Schema, wire.AppendString(nil, v.Value), false); err != nil {
					t.Errorf("%s in %s: %v", v.Go, s.Revision, err)
				}
			}
		}
	}
}

// TestUnknownMembersSurvive puts members that nobody knows into every object of a message and expects them back.
func TestUnknownMembersSurvive(t *testing.T) {
	const text = `{"contents":[{"uri":"a:b","text":"x","x-in":{"deep":[1,2.50,null]},"annotations":{"x":1}}],"x-out":"\u0041",` +
		`"_meta":{"vendor.example/key":true},"ttlMs":5,"cacheScope":"public","resultType":"complete"}`
	d := wire.NewDecoder([]byte(text))
	var v protocol.ReadResourceResult
	v.DecodeJSON(&d, protocol.Latest)
	if d.Err() != nil {
		t.Fatal(d.Err())
	}
	for _, rev := range protocol.Revisions() {
		var got struct {
			Contents []map[string]json.RawMessage
			Out      json.RawMessage            `json:"x-out"`
			Meta     map[string]json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(v.AppendJSON(nil, rev), &got); err != nil {
			t.Fatal(err)
		}
		if string(got.Out) != `"\u0041"` || string(got.Meta["vendor.example/key"]) != "true" || len(got.Contents) != 1 ||
			string(got.Contents[0]["x-in"]) != `{"deep":[1,2.50,null]}` || string(got.Contents[0]["annotations"]) != `{"x":1}` {
			t.Errorf("%s: %s", rev, v.AppendJSON(nil, rev))
		}
	}
}
