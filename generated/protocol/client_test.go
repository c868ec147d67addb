package protocol

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

type clientHandler struct {
	UnimplementedClientHandler
	UnimplementedClientNotificationHandler
	logged string
}

func (*clientHandler) ListRoots(context.Context, *ListRootsRequestParams) (ListRootsReply, error) {
	return &ListRootsResult{Roots: []Root{{URI: "file:///a"}}}, nil
}

func (h *clientHandler) LoggingMessage(_ context.Context, p *LoggingMessageNotificationParams) {
	h.logged = string(p.Data)
}

func TestDispatchClient(t *testing.T) {
	h := new(clientHandler)
	for _, tt := range []struct {
		method, params string
		rev            Revision
		want           string
		code           int
	}{
		{MethodRootsList, "", Revision20251125, `{"roots":[{"uri":"file:///a"}]}`, 0},
		{MethodRootsList, "", Latest, ``, wire.CodeMethodNotFound},
		{MethodSamplingCreateMessage, `{"messages":[],"maxTokens":1}`, Revision20251125, ``, wire.CodeMethodNotFound},
		{MethodSamplingCreateMessage, `{"messages":7}`, Revision20251125, ``, wire.CodeInvalidParams},
		{MethodToolsCall, `{}`, Revision20251125, ``, wire.CodeMethodNotFound},
	} {
		b, err := DispatchClient(t.Context(), h, tt.rev, []byte(tt.method), params(tt.params), nil)
		code := 0
		if e, ok := errors.AsType[*wire.Error](err); ok {
			code = e.Code
		}
		if string(b) != tt.want || code != tt.code || (err == nil) != (code == 0) {
			t.Errorf("%s: %s, %v", tt.method, b, err)
		}
	}
	err := DispatchClientNotification(t.Context(), h, Latest, []byte(MethodNotificationsMessage),
		params(`{"level":"info","data":[1]}`))
	if err != nil || h.logged != "[1]" {
		t.Errorf("%q, %v", h.logged, err)
	}
}

// Results are told apart by resultType, and a kind that nobody knows is kept.
func TestDecodeReply(t *testing.T) {
	for _, tt := range []struct {
		method, text string
		rev          Revision
		want         string // type, "" for a mistake
	}{
		{MethodToolsCall, `{"content":[]}`, Revision20251125, "*protocol.CallToolResult"},
		{MethodToolsCall, `{"content":[],"resultType":"input_required"}`, Revision20251125, "*protocol.CallToolResult"},
		{MethodToolsCall, `{"content":[],"resultType":"complete"}`, Latest, "*protocol.CallToolResult"},
		{MethodToolsCall, `{"inputRequests":{},"resultType":"input_required"}`, Latest, "*protocol.InputRequiredResult"},
		{MethodToolsCall, `{"resultType":"task","taskId":"1"}`, Latest, "*protocol.Unknown"},
		{MethodToolsCall, `{"content":[]}`, Latest, ""},
		{MethodToolsList, `{"tools":[],"ttlMs":1,"cacheScope":"public","resultType":"complete"}`, Latest,
			"*protocol.ListToolsResult"},
		{MethodElicitationCreate, `{"action":"later"}`, Revision20251125, "*protocol.ElicitResult"},
		{MethodPing, `{}`, Revision20251125, "*protocol.Result"},
		{MethodPing, `{}`, Latest, ""},
		{MethodNotificationsMessage, `{}`, Latest, ""},
	} {
		d := wire.NewDecoder([]byte(tt.text))
		r, err := DecodeReply(&d, tt.rev, []byte(tt.method))
		switch {
		case tt.want == "" && err == nil, tt.want != "" && (err != nil || typeName(r) != tt.want):
			t.Errorf("%s %s: %T, %v; want %s", tt.rev, tt.text, r, err, tt.want)
		case tt.want != "" && string(r.AppendJSON(nil, tt.rev)) == "":
			t.Errorf("%s becomes nothing", tt.text)
		}
	}
}
