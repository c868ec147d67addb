package robustness

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/robustness/attack"
)

// TestSoak is make soak in small.
func TestSoak(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("attacks need signals and Unix sockets")
	}
	program := &attack.Program{Command: []string{os.Args[0]}, Env: []string{serveVariable + "=1"}, Own: true}
	err := attack.Soak(t.Context(), program, attack.SoakConfig{Duration: 3 * time.Second, Limit: 5 * time.Minute,
		Streams: 100, Cycles: 300, Messages: 3000, Seed: 1, SessionTimeout: 5 * time.Second, Log: t.Output()})
	if err != nil {
		t.Error(err)
	}
}
