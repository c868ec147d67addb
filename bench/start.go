package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/report"
)

// declared is how many resources a server has whose start is measured.
const declared = 10_000

// startUp measures how long a server with many resources takes to make, in a process that has just begun.
func startUp(dir string, rounds int, _ time.Duration) ([]table, []string, error) {
	row := report.NewRow(fmt.Sprintf("server with %d resources", declared), report.Target{})
	for range rounds {
		for _, name := range memoryServers {
			cmd := exec.Command(filepath.Join(dir, "micro"), "-start", name, "-resources", strconv.Itoa(declared))
			cmd.Stderr = os.Stderr
			text, err := cmd.Output()
			if err != nil {
				return nil, nil, fmt.Errorf("micro -start %s: %w", name, err)
			}
			ns, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
			if err != nil {
				return nil, nil, err
			}
			row.Cost[name] = append(row.Cost[name], ns)
		}
	}
	for name, list := range row.Cost {
		row.Text[name] = report.Duration(report.Median(list))
	}
	return []table{{"To make a server", memoryServers, []report.Row{row}}}, nil, nil
}
