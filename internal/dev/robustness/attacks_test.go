package robustness

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/mcpgen/mcpgen/internal/dev/robustness/attack"
)

// serveVariable makes the test binary the server of package served.
const serveVariable = "MCPGEN_ROBUSTNESS_SERVE"

// pendingVariable makes TestAttacks make those attacks too that are known not to hold.
const pendingVariable = "MCPGEN_ROBUSTNESS_PENDING"

// TestAttacks makes every attack of the table in its small size, over every transport on which it makes sense.
func TestAttacks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("attacks need signals and Unix sockets")
	}
	program := &attack.Program{Command: []string{os.Args[0]}, Env: []string{serveVariable + "=1"}, Own: true}
	for _, row := range attack.Rows() {
		if row.FullOnly || row.Pending != "" && os.Getenv(pendingVariable) == "" {
			continue
		}
		for _, transport := range row.On {
			t.Run(fmt.Sprintf("%d/%s/%s", row.Number, row.Name, transport), func(t *testing.T) {
				t.Parallel()
				result, err := attack.Run(t.Context(), program, &row, transport, attack.Config{})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%v: %d honest requests, slowest %v; %.1f MiB; %d bytes logged; %v", result.Took, result.Asked,
					result.Slowest, float64(result.Memory)/(1<<20), result.Log, result.Replies)
				for _, problem := range result.Problems(&row) {
					t.Error(problem)
				}
			})
		}
	}
}
