package incidents_test

import (
	"bufio"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/webhook/webhooktest"
)

// varies is what differs from run to run in the output of the program.
var varies = regexp.MustCompile(`time=\S+ |address=\S+`)

// asked posts a request of 2026-07-28 with a token, and returns what comes back.
func asked(t *testing.T, url, token, method, params string) string {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}},` + params + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
	} {
		r.Header.Set(name, value)
	}
	if method == "tools/call" {
		r.Header.Set("Mcp-Name", "open_incident")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(answer.Body)
	return answer.Status + " " + string(text)
}

// The program says what it allows, tells callers apart by their tokens, and calls webhooks.
func TestProgram(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "incidents")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./cmd/incidents")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), bin, "-token", "").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "empty") {
		t.Errorf("with an empty token: %v, %s", err, out)
	}
	run := exec.CommandContext(t.Context(), bin, "-http", "127.0.0.1:0", "-token", "first", "-token", "second",
		"-events-allow-private", "-events-allow-http")
	stderr, err := run.StderrPipe()
	if err == nil {
		err = run.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Wait() }()
	defer func() { _ = run.Process.Kill() }()
	var output strings.Builder
	url := ""
	for lines := bufio.NewScanner(stderr); url == "" && lines.Scan(); {
		if _, rest, found := strings.Cut(lines.Text(), "address="); found {
			url = "http://" + strings.Fields(rest)[0] + "/mcp"
		}
		output.WriteString(varies.ReplaceAllString(lines.Text(), "") + "\n")
	}
	golden := filepath.Join("testdata", "program.txt")
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(golden, []byte(output.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || output.String() != string(want) {
		t.Errorf("the program says\n%s%v", output.String(), err)
	}
	hook := webhooktest.New(t)
	subscription := `"name":"incident.opened","arguments":{"severity":"high"},"delivery":{"mode":"webhook","url":"` + hook.URL +
		`","secret":"` + hook.Secret + `"}`
	opening := `"name":"open_incident","arguments":{"service":"api","severity":"high","title":"down"}`
	for _, x := range []struct{ token, method, params, want string }{
		{"", "events/subscribe", subscription, `"code":-32024`},
		{"third", "events/subscribe", subscription, "401"},
		{"first", "events/subscribe", subscription, `"refreshBefore":"`},
		{"second", "events/unsubscribe", subscription, `"code":-32023`},
		{"second", "tools/call", opening, `"id":"incident-`},
	} {
		if got := asked(t, url, x.token, x.method, x.params); !strings.Contains(got, x.want) {
			t.Errorf("%s of %q: %s, want %s", x.method, x.token, got, x.want)
		}
	}
	if m := hook.Next(); m.Name != "incident.opened" || !strings.Contains(string(m.Data), `"title":"down"`) {
		t.Errorf("the callback gets %s", m.Body)
	}
}
