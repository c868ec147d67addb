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

// appPlan is what apps.mjs is told.
type appPlan struct {
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
	p := appPlan{Chromium: findChromium(t), Sandbox: os.Geteuid() != 0, Patience: stepPatience.Milliseconds(),
		Inspectors: map[string]string{}}
	bin := filepath.Join(t.TempDir(), "board.exe")
	if out, err := exec.Command("go", "build", "-o", bin,
		"github.com/mcpgen/mcpgen/golden/board/cmd/board").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, era := range []string{"modern", "legacy"} {
		addr := run(t, exec.Command(bin, "-http", "127.0.0.1:0"), regexp.MustCompile(`serving" address=(\S+)`))
		p.Inspectors[era] = startInspector(t, node, "http://"+addr+mcphttp.Path, era)
	}
	for era, s := range display(t, node, &p) {
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

// display runs apps.mjs.
func display(t *testing.T, node string, p *appPlan) (report map[string]shown) {
	t.Helper()
	if _, err := os.Stat("apps.mjs"); err != nil { // tells go test to run again when it changes
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "apps.mjs", string(text))
	cmd.Stderr = t.Output()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("apps.mjs: %v\n%s", err, out)
	}
	if err := json.Unmarshal(out, &report); err != nil || len(report) != len(p.Inspectors) {
		t.Fatalf("report: %v\n%s", err, out)
	}
	return report
}
