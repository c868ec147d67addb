package wire

import (
	"errors"
	"strings"
	"testing"
)

func TestParseMessage(t *testing.T) {
	tests := []struct {
		text                         string
		id, method, params, res, err string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "1", "ping", "", "", ""},
		{` {"method":"a", "params": {"x": 1} ,"id":"s","jsonrpc":"2.0"} `, `"s"`, "a", `{"x": 1}`, "", ""},
		{`{"jsonrpc":"2.0","method":"n","params":[1]}`, "", "n", "[1]", "", ""},
		{`{"jsonrpc":"2.0","id":-7,"method":"resources\/read","other":{"id":5}}`, "-7", "resources/read", "", "", ""},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, "1", "", "", "", ""},
		{`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"jsonrpc":"2.0","id":1,"method":"late"}`, "1", "late", "", "", ""},
		{`{"\u006asonrpc":"2\u002e0","\u0069d":2,"m\u0065thod":"x"}`, "2", "x", "", "", ""},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "1", "", "", "{}", ""},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, "1", "", "", "null", ""},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, "1", "", "", "", `{"code":1}`},
		{`{"jsonrpc":"2.0","id":null,"error":{}}`, "", "", "", "", "{}"},
		{`{"jsonrpc":"2.0","error":{}}`, "", "", "", "", "{}"},
	}
	for _, tt := range tests {
		m, e := ParseMessage([]byte(tt.text), Limits{})
		if e != nil {
			t.Errorf("%s: %v", tt.text, e)
			continue
		}
		got := [...]string{m.ID.Raw(), string(m.Method), string(m.Params), string(m.Result), string(m.Error)}
		if want := [...]string{tt.id, tt.method, tt.params, tt.res, tt.err}; got != want {
			t.Errorf("%s: got %q, want %q", tt.text, got, want)
		}
		answer := tt.res+tt.err != ""
		if m.IsResponse() != answer || m.IsRequest() != (!answer && tt.id != "") ||
			m.IsNotification() != (!answer && tt.id == "") {
			t.Errorf("%s: wrong sort of message", tt.text)
		}
	}
}

func TestParseMessageRefuses(t *testing.T) {
	t.Attr("requirements", "msg-id-null")
	const head = `{"jsonrpc":"2.0","id":1,`
	tests := []struct {
		text string
		code int
		id   string
	}{
		{`{"jsonrpc":"2.0","id":1`, CodeParse, ""}, {``, CodeParse, ""}, {"\ufeff" + head + `"method":"m"}`, CodeParse, ""},
		{head + `"method":"m"}{}`, CodeParse, ""}, {head + `"method":"m"}` + "\x00", CodeParse, ""},
		{head + `"id":1,"method":"m"}`, CodeParse, ""},
		{head + `"method":"m","m\u0065thod":"m"}`, CodeParse, ""},
		{head + `"method":"m","params":{"a":1,"a":1}}`, CodeParse, ""},
		{head + `"method":"` + "\xff" + `"}`, CodeParse, ""}, {head + `"method":"\ud800"}`, CodeParse, ""},
		{head + `"method":"m","params":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + "}", CodeParse, "1"},
		{`[]`, CodeInvalidRequest, ""}, {`1`, CodeInvalidRequest, ""}, {`null`, CodeInvalidRequest, ""},
		{`{}`, CodeInvalidRequest, ""},
		{`[` + head + `"method":"m"}]`, CodeInvalidRequest, ""},
		{`{"id":1,"method":"m"}`, CodeInvalidRequest, "1"}, {`{"jsonrpc":"1.0","id":1,"method":"m"}`, CodeInvalidRequest,
			"1"},
		{`{"jsonrpc":2.0,"id":1,"method":"m"}`, CodeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0 ","id":1,"method":"m"}`, CodeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, CodeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"m"}`, CodeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":1e2,"method":"m"}`, CodeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":true,"method":"m"}`, CodeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":[1],"method":"m"}`, CodeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":{},"method":"m"}`, CodeInvalidRequest, ""},
		{head + `"method":1}`, CodeInvalidRequest, "1"}, {head + `"method":null}`, CodeInvalidRequest, "1"},
		{head + `"method":"m","params":null}`, CodeInvalidRequest, "1"},
		{head + `"method":"m","params":"x"}`, CodeInvalidRequest, "1"},
		{head + `"method":"m","params":1}`, CodeInvalidRequest, "1"},
		{head + `"method":"m","result":{}}`, CodeInvalidRequest, "1"},
		{head + `"method":"m","error":{}}`, CodeInvalidRequest, "1"},
		{head + `"result":{},"error":{}}`, CodeInvalidRequest, "1"},
		{head + `"error":"x"}`, CodeInvalidRequest, "1"}, {head + `"error":null}`, CodeInvalidRequest, "1"},
		{head + `"params":{}}`, CodeInvalidRequest, "1"},
		{head + `"result":{},"params":{}}`, CodeInvalidRequest, "1"},
		{`{"jsonrpc":"2.0","result":{}}`, CodeInvalidRequest, ""},
		{`{"jsonrpc":"2.0","id":null,"result":{}}`, CodeInvalidRequest, ""},
		{`{"method":1,"jsonrpc":"2.0","id":"late"}`, CodeInvalidRequest, `"late"`},
	}
	for _, tt := range tests {
		m, e := ParseMessage([]byte(tt.text), Limits{})
		if e == nil {
			t.Errorf("%q: accepted", tt.text)
		} else if e.Code != tt.code || m.ID.Raw() != tt.id || m.Method != nil || m.Result != nil || m.Error != nil {
			t.Errorf("%q: got %v, %+v, want code %d, id %q", tt.text, e, m, tt.code, tt.id)
		}
	}
}

// Each envelope name in each spelling that some reader takes for it, alone and beside the right one.
func TestParseMessageConfusion(t *testing.T) {
	variants := func(name string) []string {
		return []string{
			strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:], name[:1] + strings.ToUpper(name[1:]),
			name + `\u0000`, `\u0000` + name, name + " ", " " + name, name + `\n`, name + `\u007f`,
			strings.ReplaceAll(name, "s", "\u017f"), strings.ReplaceAll(name, "s", `\u017f`), strings.ReplaceAll(name, "s", "S"),
		}
	}
	members := []struct{ name, value string }{
		{"jsonrpc", `"2.0"`}, {"id", "1"}, {"method", `"tools/call"`}, {"params", `{"name":"x"}`},
	}
	for i, m := range members {
		for _, v := range variants(m.name) {
			if v == m.name {
				continue
			}
			var swapped, both []string
			for j, o := range members {
				right := `"` + o.name + `":` + o.value
				both = append(both, right)
				if i == j {
					right = `"` + v + `":` + o.value
					both = append(both, right)
				}
				swapped = append(swapped, right)
			}
			for _, list := range [][]string{swapped, both} {
				text := "{" + strings.Join(list, ",") + "}"
				if m, e := ParseMessage([]byte(text), Limits{}); e == nil || e.Code != CodeInvalidRequest {
					t.Errorf("%q: got %+v, %v", text, m, e)
				}
			}
		}
	}
	for _, name := range []string{"idx", "parameters", "trace", "meta", "K", "\u212a", "_meta", "m"} {
		text := `{"jsonrpc":"2.0","id":1,"method":"m","` + name + `":1}`
		if _, e := ParseMessage([]byte(text), Limits{}); e != nil {
			t.Errorf("%s: %v", text, e)
		}
	}
}

func TestSplitBatch(t *testing.T) {
	if !IsBatch([]byte(" \n[1]")) || IsBatch([]byte(`{"a":[]}`)) || IsBatch(nil) {
		t.Error("IsBatch")
	}
	got, e := SplitBatch([]byte(` [ {"a": [1,2]} , 2,"]" ] `), Limits{})
	if e != nil || len(got) != 3 || string(got[0]) != `{"a": [1,2]}` || string(got[1]) != "2" || string(got[2]) != `"]"` {
		t.Errorf("got %q, %v", got, e)
	}
	full := "[" + strings.Repeat("1,", MaxBatch-1) + "1"
	if got, e := SplitBatch([]byte(full+"]"), Limits{}); e != nil || len(got) != MaxBatch {
		t.Errorf("a full batch: %d, %v", len(got), e)
	}
	for text, code := range map[string]int{
		"[]": CodeInvalidRequest, "{}": CodeInvalidRequest, "[1": CodeParse, "[1,]": CodeParse, `[{"a":1,"a":1}]`: CodeParse,
		full + ",1]": CodeInvalidRequest,
	} {
		if _, e := SplitBatch([]byte(text), Limits{}); e == nil || e.Code != code {
			t.Errorf("%.20q: got %v, want code %d", text, e, code)
		}
	}
}

func TestAppendEnvelope(t *testing.T) {
	t.Attr("requirements", "msg-result-or-error")
	e := &Error{Code: -5, Message: "a\nb", Data: []byte("{ \"x\": 1\n}")}
	bare := NewError(CodeInternal, "internal error")
	for got, want := range map[string]string{
		string(AppendRequest(nil, NumberID(3), "ping")):    `{"jsonrpc":"2.0","id":3,"method":"ping","params":`,
		string(AppendNotification(nil, "notifications/x")): `{"jsonrpc":"2.0","method":"notifications/x","params":`,
		string(AppendResult(nil, StringID("a"))):           `{"jsonrpc":"2.0","id":"a","result":`,
		string(AppendError(nil, NumberID(1), false,
			e)): `{"jsonrpc":"2.0","id":1,"error":{"code":-5,"message":"a\nb","data":{"x":1}}}`,
		string(AppendError(nil, ID{}, true,
			bare)): `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`,
		string(AppendError([]byte("x"), ID{}, false,
			bare)): `x{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"}}`,
		string(AppendError(nil, StringID("1"), true,
			bare)): `{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"internal error"}}`,
		string((&Error{Data: []byte("oops")}).AppendJSON(nil)): `{"code":0,"message":"","data":null}`,
	} {
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestErrorDecode(t *testing.T) {
	t.Attr("requirements", "msg-error-form")
	var e Error
	d := NewDecoder([]byte(`{"code":-32002,"message":"gone","data":{"uri":"x"},"more":1}`))
	if e.DecodeJSON(&d); d.Err() != nil || e.Code != -32002 || e.Message != "gone" || string(e.Data) != `{"uri":"x"}` {
		t.Errorf("got %+v, %v", e, d.Err())
	}
	var err error = &e
	if target := (*Error)(nil); !errors.As(err, &target) || err.Error() != "gone (code -32002)" {
		t.Errorf("got %q", err)
	}
	for text, want := range map[string]string{
		`[]`: "must be an object", `{"message":"x"}`: "/code: is required", `{"code":1}`: "/message: is required",
		`{"code":"1"}`: "/code: must be an integer",
	} {
		d := NewDecoder([]byte(text))
		if e.DecodeJSON(&d); d.Err() == nil || d.Err().Error() != want {
			t.Errorf("%s: got %v, want %s", text, d.Err(), want)
		}
	}
}

func TestID(t *testing.T) {
	t.Attr("requirements", "msg-id msg-response-id")
	for _, raw := range []string{`1`, `0`, `-1`, `-0`, `9223372036854775807`, `-9223372036854775808`,
		`9223372036854775808`, `123456789012345678901234567890`, `"a"`, `""`, `"\u0061\/"`, `"é"`,
		strings.Repeat("9", maxID)} {
		id, ok := ParseID([]byte(raw))
		if !ok || id.Raw() != raw || string(id.AppendJSON(nil)) != raw || id.IsZero() || id.IsString() != (raw[0] == '"') {
			t.Errorf("%s: got %q, %v", raw, id.Raw(), ok)
		}
		if again, _ := ParseID([]byte(raw)); again != id {
			t.Errorf("%s: two readings differ", raw)
		}
	}
	for _, raw := range []string{``, `null`, `true`, `1.0`, `1e3`, `01`, `-`, `+1`, `"a`, `"a"b`, `a`, `{}`, `[]`,
		`""""`, "\"\n\"", `"\ud800"`, `1 `, ` 1`, `1,2`, strings.Repeat("9", maxID+1)} {
		if id, ok := ParseID([]byte(raw)); ok || !id.IsZero() {
			t.Errorf("%q: accepted as %q", raw, id.Raw())
		}
	}
	number, _ := ParseID([]byte("12"))
	text, _ := ParseID([]byte(`"12"`))
	if number == text || number != NumberID(12) || text != StringID("12") || number.String() != text.String() {
		t.Error("a number and a string with the same digits must stay apart")
	}
	spelled, _ := ParseID([]byte(`"\u0061\/"`))
	if spelled == StringID("a/") || spelled.Canonical() != StringID("a/") || spelled.String() != "a/" {
		t.Errorf("canonical form of %s is %s", spelled.Raw(), spelled.Canonical().Raw())
	}
	line := ID{text: "\"\u2028\"", kind: idText}
	if plain := StringID("plain"); plain.Canonical() != plain || line.Canonical() != StringID("\u2028") {
		t.Error("canonical form of strings without escapes")
	}
	if minus, _ := ParseID([]byte("-0")); minus.Canonical() != NumberID(0) || NumberID(5).Canonical() != NumberID(5) {
		t.Error("canonical form of numbers")
	}
	if got := StringID("a\"\n").Raw(); got != `"a\"\n"` {
		t.Errorf("StringID wrote %s", got)
	}
	if got := (ID{}).AppendJSON(nil); string(got) != "null" || (ID{}).Raw() != "" || (ID{}).String() != "" {
		t.Error("the zero ID")
	}
}

// An ID is kept while the buffer of its message is used again.
func TestIDDoesNotAlias(t *testing.T) {
	text := []byte(`{"jsonrpc":"2.0","id":"abc","method":"m"}`)
	m, _ := ParseMessage(text, Limits{})
	clear(text)
	if m.ID != StringID("abc") {
		t.Errorf("the ID changed to %q", m.ID.Raw())
	}
}
