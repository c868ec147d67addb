package protocol

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

func typeName(v any) string { return fmt.Sprintf("%T", v) }

// handler answers what the test sets; every other request panics.
type handler struct {
	ServerHandler
	uri   string
	reply ReadResourceReply
	err   error
}

func (h *handler) ReadResource(_ context.Context, p *ReadResourceRequestParams) (ReadResourceReply, error) {
	h.uri = p.URI
	return h.reply, h.err
}

func (h *handler) Ping(context.Context, *RequestParams) (PingReply, error) { return nil, nil }

// params returns a decoder of the params of a message, "" for none.
func params(text string) *wire.Decoder {
	d := new(wire.Decoder)
	if text == "" {
		d.ResetParams(nil, nil)
	} else {
		d.ResetParams([]byte(text), nil)
	}
	return d
}

func TestDispatch(t *testing.T) {
	refused := errors.New("refused")
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	tests := []struct {
		name, method, params string
		rev                  Revision
		h                    handler
		want                 string // appended to b
		code                 int    // of the error
		text                 string // in the error
	}{
		{name: "result", method: MethodResourcesRead, params: `{"uri":"a:b"}`, rev: Revision20250618,
			h: handler{reply: &ReadResourceResult{Contents: []ResourceContents{&TextResourceContents{URI: "a:b",
				Text: "x"}}}},
			want: `{"contents":[{"uri":"a:b","text":"x"}]}`},
		{name: "other result", method: MethodResourcesRead, params: `{"uri":"a:b",` + meta + `}`, rev: Latest,
			h: handler{reply: &InputRequiredResult{}}, want: `{"resultType":"input_required"}`},
		{name: "prepared", method: MethodResourcesRead, params: `{"uri":"a:b"}`, rev: Revision20250618,
			h: handler{reply: Prepared(`{"ready":true}`)}, want: `{"ready":true}`},
		{name: "nothing", method: MethodResourcesRead, params: `{"uri":"a:b",` + meta + `}`, rev: Latest,
			want: `{"resultType":"complete"}`},
		{name: "no params", method: MethodPing, rev: Revision20241105, want: `{}`},
		{name: "error", method: MethodResourcesRead, params: `{"uri":"a:b"}`, rev: Revision20250618, h: handler{err: refused},
			text: "refused"},
		{name: "gone", method: MethodPing, rev: Latest, code: wire.CodeMethodNotFound},
		{name: "not yet there", method: MethodServerDiscover, rev: Revision20251125, code: wire.CodeMethodNotFound},
		{name: "of the server", method: MethodRootsList, rev: Revision20251125, code: wire.CodeMethodNotFound},
		{name: "unknown", method: "x", rev: Latest, code: wire.CodeMethodNotFound},
		{name: "bad params", method: MethodResourcesRead, params: `{"uri":7}`, rev: Revision20250618,
			code: wire.CodeInvalidParams, text: "/uri"},
		{name: "missing params", method: MethodResourcesRead, rev: Revision20250618, code: wire.CodeInvalidParams,
			text: "/uri"},
	}
	for _, test := range tests {
		b, err := Dispatch(t.Context(), &test.h, test.rev, []byte(test.method), params(test.params), []byte("before:"))
		if got, ok := strings.CutPrefix(string(b), "before:"); !ok || got != test.want {
			t.Errorf("%s: appended %q, want %q", test.name, got, test.want)
		}
		var e *wire.Error
		errors.As(err, &e)
		switch {
		case test.want != "" && err != nil, test.want == "" && err == nil:
			t.Errorf("%s: error %v", test.name, err)
		case test.code != 0 && (e == nil || e.Code != test.code):
			t.Errorf("%s: error %v, want code %d", test.name, err, test.code)
		case err != nil && !strings.Contains(err.Error(), test.text):
			t.Errorf("%s: error %v, want %q in it", test.name, err, test.text)
		}
	}
}

// listener records which notifications arrived.
type listener struct {
	NotificationHandler
	got []string
}

func (l *listener) Cancelled(_ context.Context, p *CancelledNotificationParams) {
	l.got = append(l.got, "cancelled "+p.RequestID.Raw())
}

func (l *listener) Initialized(context.Context, *NotificationParams) {
	l.got = append(l.got, "initialized")
}

func TestDispatchNotification(t *testing.T) {
	l := &listener{}
	send := func(rev Revision, method, text string) error {
		return DispatchNotification(t.Context(), l, rev, []byte(method), params(text))
	}
	if err := send(Latest, MethodNotificationsCancelled, `{"requestId":"7"}`); err != nil {
		t.Error(err)
	}
	if err := send(Revision20241105, MethodNotificationsInitialized, ""); err != nil {
		t.Error(err)
	}
	for _, bad := range []error{
		send(Latest, MethodNotificationsInitialized, ""),
		send(Latest, MethodNotificationsMessage, `{}`),
		send(Latest, MethodNotificationsCancelled, `{}`),
	} {
		if bad == nil {
			t.Error("a notification that the revision does not have was accepted")
		}
	}
	if got := strings.Join(l.got, ", "); got != `cancelled "7", initialized` {
		t.Errorf("received %s", got)
	}
}

func TestRevisions(t *testing.T) {
	all := Revisions()
	for i, r := range all {
		if i > 0 && !(all[i-1] < r && all[i-1].String() < r.String()) {
			t.Errorf("%s is not after %s", r, all[i-1])
		}
		if got, ok := ParseRevision(r.String()); !ok || got != r {
			t.Errorf("ParseRevision(%q) = %v, %v", r.String(), got, ok)
		}
	}
	if all[len(all)-1] != Latest {
		t.Errorf("the latest revision is %s", Latest)
	}
	for _, bad := range []string{"", "2024-11-5", "2030-01-01"} {
		if _, ok := ParseRevision(bad); ok {
			t.Errorf("ParseRevision accepts %q", bad)
		}
	}
}

// TestMethodTable compares the two sources of truth about client requests.
func TestMethodTable(t *testing.T) {
	for i, m := range Methods {
		if i > 0 && Methods[i-1].Name >= m.Name {
			t.Errorf("%s is out of order", m.Name)
		}
		if strings.HasPrefix(m.Name, "notifications/") != (m.Kind == Notification) {
			t.Errorf("%s has kind %d", m.Name, m.Kind)
		}
		dispatched := m.Kind == Request && m.From&Client != 0 && !strings.HasPrefix(m.Name, "tasks/")
		for _, r := range Revisions() {
			want := dispatched && m.Since <= r && r <= m.Until
			if HasMethod(r, m.Name) != want {
				t.Errorf("HasMethod(%s, %s) is %v", r, m.Name, !want)
			}
		}
	}
}
