// Package webhooks tests the signatures of webhooks with verifiers that others have written.
package webhooks

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/webhook"
)

// patience bounds every wait.
const patience = time.Minute

// secret is one of a client, with or without padding: both are in use.
func secret(n byte, padded bool) string {
	text := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xf0 + n}, 32))
	if !padded {
		text = strings.TrimRight(text, "=")
	}
	return "whsec_" + text
}

// host is a server with one event.
type host struct{}

func (host) Logger() *slog.Logger                            { return slog.New(slog.DiscardHandler) }
func (host) Seal(plain, _ []byte) []byte                     { return plain }
func (host) Open(sealed, _ []byte) ([]byte, error)           { return sealed, nil }
func (host) LastingKeys() bool                               { return true }
func (host) Forget(string)                                   {}
func (host) Record(event.Record)                             {}
func (host) Cursor(_ string, _ int, p event.Position) string { return fmt.Sprint(p.Seq) }
func (host) FaultJSON(*event.Error) []byte                   { return []byte(`{}`) }

// Watch leaves it to each subscription to read by itself.
func (host) Watch(*event.Reader, any) bool { return false }
func (host) Unwatch(any)                   {}
func (host) Match(_ context.Context, _ string, after event.Position) (event.Match, error) {
	return event.Match{After: after}, nil
}

// texts has what a signature could stumble over.
const texts = `"é € 😀 \u0000 \" \\ </script>"`

func (host) Read(_ context.Context, _ *event.Reader, after event.Position, _ int) (event.Batch, error) {
	at := event.Position{Epoch: "e", Seq: 1}
	if after.Seq >= at.Seq {
		return event.Batch{After: after}, nil
	}
	return event.Batch{After: at, Events: []event.Occurrence{{
		At: at, ID: "evt_1", Body: []byte(`{"eventId":"evt_1","name":"e","data":{"text":` + texts + `}`),
	}}}, nil
}

// subscribe has the event delivered to a URL.
func subscribe(t *testing.T, url, secret string) {
	t.Helper()
	hooks := webhook.New(webhook.Options{AllowPrivate: true, AllowHTTP: true})
	if err := hooks.Start(host{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hooks.Close(context.Background()) })
	_, err := hooks.Subscribe(t.Context(), &event.Request{
		Caller: event.Caller{Subject: "ann"}, Name: "e", Arguments: json.RawMessage(`{}`), URL: url, Secret: secret,
		Start: event.Position{Epoch: "e"},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestGo(t *testing.T) {
	verifier, err := standardwebhooks.NewWebhook(secret(1, true))
	if err != nil {
		t.Fatal(err)
	}
	came := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := verifier.Verify(body, r.Header); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		var m struct{ Type, Challenge string }
		if err := json.Unmarshal(body, &m); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"challenge": m.Challenge})
		came <- m.Type
	}))
	defer s.Close()
	subscribe(t, s.URL, secret(1, true))
	for _, want := range []string{"verification", ""} {
		select {
		case got := <-came:
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		case <-time.After(patience):
			t.Fatal("no message")
		}
	}
}

// install runs npm ci once per checkout.
func install(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("node_modules"); err == nil {
		return
	}
	if out, err := exec.CommandContext(t.Context(), "npm", "ci", "--no-progress").CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
}

func TestNode(t *testing.T) {
	for _, padded := range []bool{true, false} {
		p := start(t, "receiver.mjs", secret(2, padded))
		if !p.lines.Scan() {
			t.Fatal("the receiver does not start")
		}
		subscribe(t, p.lines.Text(), secret(2, padded))
		for range 2 {
			if !p.lines.Scan() {
				t.Fatal("no message")
			}
			report := map[string]string{}
			err := json.Unmarshal(p.lines.Bytes(), &report)
			if err != nil || report["standardwebhooks"] != "ok" || report["svix"] != "ok" {
				t.Errorf("padded %v: %s", padded, p.lines.Text())
			}
		}
	}
}
