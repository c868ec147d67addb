package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/proc"
	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// headline are the operations that are measured between two processes.
var headline = map[string]bool{"ping": true, "text 1 KiB": true, "typed tool": true}

var (
	stdioServers = []string{work.Ours, work.SDK, work.MCPGo, work.Floor, work.Echo}
	microServers = []string{work.Ours, work.SDK, work.MCPGo, work.Floor}
	coldServers  = []string{work.Ours, work.SDK, work.MCPGo, work.Hello}
)

// stdio measures round trips and the CPU time of the server, one slice of each server in turn.
func stdio(dir string, rounds int, slice time.Duration) (trips, cpu []report.Row, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, op := range work.Ops() {
		if !headline[op.Name] {
			continue
		}
		slices, err := stdioOp(dir, op, rounds, slice)
		if err != nil {
			return nil, nil, err
		}
		trip := newRow(op, report.Target{})
		used := newRow(op, report.Target{})
		if op.Name == "typed tool" {
			trip.Target = stdioTarget
		}
		for name, list := range slices {
			var p95 []float64
			for _, s := range list {
				trip.Cost[name] = append(trip.Cost[name], float64(s.P50))
				used.Cost[name] = append(used.Cost[name], float64(s.CPU))
				p95 = append(p95, float64(s.P95))
			}
			trip.Text[name] = report.Duration(report.Median(trip.Cost[name])) + " / " + report.Duration(report.Median(p95))
			used.Text[name] = report.Duration(report.Median(used.Cost[name]))
		}
		trips, cpu = append(trips, trip), append(cpu, used)
	}
	return trips, cpu, nil
}

func newRow(op work.Op, target report.Target) report.Row {
	return report.Row{Name: op.Name + " " + op.Era.String(), Target: target, Cost: map[string][]float64{}, Text: map[string]string{}}
}

// restartEvery is after how many rounds all processes are started anew: where the kernel has put a
// process stays with it, and makes it two or three times as quick as another.
const restartEvery = 3

// stdioOp starts processes for one operation only, so that none remembers another.
func stdioOp(dir string, op work.Op, rounds int, length time.Duration) (map[string][]proc.Slice, error) {
	all := map[string][]proc.Slice{}
	for left := rounds; left > 0; left -= restartEvery {
		if err := stdioRounds(dir, op, min(left, restartEvery), length, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func stdioRounds(dir string, op work.Op, rounds int, length time.Duration, all map[string][]proc.Slice) error {
	servers := map[string]*proc.Server{}
	defer func() {
		for _, s := range servers {
			s.Stop()
		}
	}()
	line := []byte(op.Request + "\n")
	for _, name := range stdioServers {
		s, err := proc.Start(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		servers[name] = s
		if err := s.Open(op, name != work.Echo && name != work.Floor); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := s.Run(line, length/2); err != nil { // warms up
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for range rounds {
		for _, name := range stdioServers {
			s, err := servers[name].Run(line, length)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			all[name] = append(all[name], s)
		}
	}
	return nil
}

// cold measures cold starts, and the size of what was started.
func cold(dir string, rounds int) ([]report.Row, error) {
	start := report.Row{Name: "cold start", Target: coldTarget, Cost: map[string][]float64{}, Text: map[string]string{}}
	size := report.Row{Name: "stripped binary", Target: sizeTarget, Cost: map[string][]float64{}, Text: map[string]string{}}
	for range rounds {
		for _, name := range coldServers {
			took, err := proc.ColdStart(filepath.Join(dir, name))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			start.Cost[name] = append(start.Cost[name], float64(took))
		}
	}
	for _, name := range coldServers {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		size.Cost[name] = []float64{float64(info.Size())}
		size.Text[name] = fmt.Sprintf("%.2fMB", float64(info.Size())/1e6)
		start.Text[name] = report.Duration(report.Median(start.Cost[name]))
	}
	return []report.Row{start, size}, nil
}

// micro measures in memory, in a process of its own.
func micro(dir string, rounds int, slice time.Duration) ([]report.Row, []string, error) {
	cmd := exec.Command(filepath.Join(dir, "micro"), "-rounds", strconv.Itoa(rounds), "-slice", slice.String())
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("micro: %w", err)
	}
	var measured []work.MicroRow
	if err := json.Unmarshal(text, &measured); err != nil {
		return nil, nil, fmt.Errorf("micro: %w", err)
	}
	var rows []report.Row
	var refused []string
	var one []float64 // ours with one template
	for _, m := range measured {
		row := microRow(m)
		if m.Name == templateOne {
			one = row.Cost[work.Ours]
		}
		row.Cost[templateOne] = one
		rows = append(rows, row)
		refused = append(refused, m.Refused...)
	}
	return rows, refused, nil
}

func microRow(m work.MicroRow) report.Row {
	row := newRow(work.Op{Name: m.Name, Era: m.Era}, microTargets[m.Name])
	for name, samples := range m.Samples {
		var allocs, bytes []float64
		for _, s := range samples {
			row.Cost[name] = append(row.Cost[name], s.NS)
			allocs = append(allocs, s.Allocs)
			bytes = append(bytes, s.Bytes)
		}
		a, b := report.Median(allocs), report.Median(bytes)
		row.Text[name] = fmt.Sprintf("%s %.0fa %.0fB", report.Duration(report.Median(row.Cost[name])), a, b)
		if name == work.Ours {
			row.Allocs, row.Bytes, row.Measured = a, b, true
		}
	}
	return row
}
