package webhook_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/event"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
	"github.com/mcpgen/mcpgen/mcp/webhook"
	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// A callback that answers no challenge is taken if it is trusted, or if the document of its origin names it, and not
// otherwise.
func TestReceivers(t *testing.T) {
	said := `{"receivers":["/hooks/","/one"]}`
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/.well-known/mcp-webhook-receiver.json":
			_, _ = w.Write([]byte(said))
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, ".json"):
			http.Redirect(w, r, "/.well-known/mcp-webhook-receiver.json", http.StatusFound)
		}
	}))
	defer origin.Close()
	try := func(o webhook.Options, path string) bool {
		s, _, hooks := server(t, o)
		defer s.Close()
		c := mcptest.New(t, s, mcptest.WithCaller(mcp.Caller{Subject: "ann"}))
		hook := &webhooktest.Receiver{URL: origin.URL + path, Secret: webhooktest.New(t).Secret}
		_, err := c.Do("events/subscribe", params(hook, ""))
		if (err == nil) != (hooks.Stats().Challenges == 0) {
			t.Errorf("%s: %v after %d challenges", path, err, hooks.Stats().Challenges)
		}
		return err == nil
	}
	none, documents, trusted := local, local, local
	documents.Documents = true
	trusted.Trusted = []string{origin.URL + "/hooks/"}
	for _, c := range []struct {
		path                  string
		documented, isTrusted bool
	}{
		{"/hooks/a", true, true},
		{"/hooks/", true, true},
		{"/hooks/a?b=/../c", true, true},
		{"/one", true, false},
		{"/one/more", false, false},
		{"/hooks", false, false},
		{"/hooksome", false, false},
		{"/", false, false},
		{"", false, false},
		{"/hooks/../admin", false, false},
		{"/hooks/%2e%2e/admin", false, false},
		{"/hooks//a", false, false},
		{"/hooks/..%2fadmin", false, false},
	} {
		if try(none, c.path) {
			t.Errorf("%s needs no challenge", c.path)
		}
		if got := try(documents, c.path); got != c.documented {
			t.Errorf("by the document %s is %v", c.path, got)
		}
		if got := try(trusted, c.path); got != c.isTrusted {
			t.Errorf("trusted: %s is %v", c.path, got)
		}
	}
	for _, bad := range []string{`{"receivers":[""]}`, `{"receivers":["hooks/"]}`, `[]`, `{`, ``} {
		if said = bad; try(documents, "/hooks/a") {
			t.Errorf("by %s", bad)
		}
	}
}

// What is trusted is a beginning that says where it ends, and below which there can be callbacks.
func TestTrusted(t *testing.T) {
	for _, bad := range []string{
		"", "https://a.example", "https://a.example/b", "/a/", "https://u@a.example/", "https://a.example/?b/",
		"ftp://a.example/b/", "https://a.example/b//", "https://a.example/b/../", "https://a.example/a%20b/",
	} {
		_, _, _, err := tryServer(t, webhook.Options{Trusted: []string{bad}}, mcp.Options{Events: &event.Options{}})
		if err == nil || !strings.Contains(err.Error(), "webhook: Trusted: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
