package browser

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	_ "github.com/mcpgen/mcpgen/golden/board" // built below; importing it makes go test run again when it changes
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// inspectPlan is what apps.mjs and tasks.mjs are told.
type inspectPlan struct {
	Chromium   string            `json:"chromium"`
	Sandbox    bool              `json:"sandbox"`
	Patience   int64             `json:"patience"`   // of one step, in milliseconds
	Inspectors map[string]string `json:"inspectors"` // URLs by the era of the protocol that they speak
}

// shown is what the frame of an app holds.
type shown struct {
	Tools                  []string
	Before, After          map[string][]string
	Origin, Network, State string
}

// TestApps lets the MCP Inspector display the app of golden/board in both eras: the frame shows the cards, moves one by
// calls of tools that the Inspector passes on, and has neither an origin nor the network.
func TestApps(t *testing.T) {
	node := findNode(t)
	p := planInspectors(t, node, "board")
	var report map[string]shown
	runPlan(t, node, "apps.mjs", &p, &report)
	if len(report) != len(p.Inspectors) {
		t.Errorf("the report is %v", report)
	}
	for era, s := range report {
		const card = "1. Water the plants"
		if !slices.Equal(s.Tools, []string{"show_board", "refresh"}) {
			t.Errorf("%s: tools with an app: %v", era, s.Tools)
		}
		if want := map[string][]string{"todo": {card}, "done": {}}; !reflect.DeepEqual(s.Before, want) {
			t.Errorf("%s: the frame shows %v", era, s.Before)
		}
		if want := map[string][]string{"todo": {}, "done": {card}}; !reflect.DeepEqual(s.After, want) {
			t.Errorf("%s: after a move the frame shows %v", era, s.After)
		}
		if s.Origin != "null" || s.Network != "TypeError" || s.State != "1 cards." {
			t.Errorf("%s: origin %s, network %s, %s", era, s.Origin, s.Network, s.State)
		}
	}
}

// planInspectors starts an example server for each era, and an Inspector for each of them.
func planInspectors(t *testing.T, node, server string, args ...string) inspectPlan {
	t.Helper()
	p := inspectPlan{Chromium: findChromium(t), Sandbox: os.Geteuid() != 0, Patience: stepPatience.Milliseconds(),
		Inspectors: map[string]string{}}
	bin := build(t, server)
	for _, era := range []string{"modern", "legacy"} {
		p.Inspectors[era] = startInspector(t, node, serve(t, bin, args...)+mcphttp.Path, era)
	}
	return p
}

// build builds an example server once, and returns the path of its program.
func build(t *testing.T, server string) string {
	t.Helper()
	bin := filepath.Join(built, server+".exe")
	if _, err := os.Stat(bin); err == nil {
		return bin
	}
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", bin,
		"github.com/mcpgen/mcpgen/golden/"+server+"/cmd/"+server).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// serve starts an example server over HTTP, and returns its URL without a path.
func serve(t *testing.T, bin string, args ...string) string {
	t.Helper()
	args = append([]string{"-http", "127.0.0.1:0"}, args...)
	return "http://" + run(t, exec.Command(bin, args...), regexp.MustCompile(`serving" address=(\S+)`))
}

// runPlan runs a script, and decodes the JSON object that it prints into report.
func runPlan(t *testing.T, node, script string, p *inspectPlan, report any) {
	t.Helper()
	if _, err := os.Stat(script); err != nil { // tells go test to run again when it changes
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, script, string(text))
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	if err := json.Unmarshal(out, report); err != nil {
		t.Fatalf("report: %v\n%s", err, out)
	}
}
