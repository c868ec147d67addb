package main

import (
	"bytes"
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
func stdio(dir string, rounds int, slice time.Duration) ([]table, []string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var trips, cpu []report.Row
	for _, op := range work.Ops() {
		if !headline[op.Name] {
			continue
		}
		slices, err := stdioOp(dir, op, rounds, slice)
		if err != nil {
			return nil, nil, err
		}
		trip, used := newRow(op, report.Target{}), newRow(op, report.Target{})
		if op.Name == "typed tool" {
			trip.Target, used.Target = stdioTarget, stdioCPUTarget
		}
		fill(&trip, &used, slices)
		trips, cpu = append(trips, trip), append(cpu, used)
	}
	return []table{
		{"Headline: round trip of two processes over stdio, p50 / p95", stdioServers, trips},
		{"Headline: CPU time of the server's process for each request", stdioServers, cpu},
	}, nil, nil
}

// fill writes the round trips and the CPU times of all servers into two rows.
func fill(trip, used *report.Row, slices map[string][]proc.Slice) {
	for name, list := range slices {
		var p95, p99 []float64
		for _, s := range list {
			trip.Cost[name] = append(trip.Cost[name], float64(s.P50))
			used.Cost[name] = append(used.Cost[name], float64(s.CPU))
			p95, p99 = append(p95, float64(s.P95)), append(p99, float64(s.P99))
		}
		trip.Text[name] = report.Duration(report.Median(trip.Cost[name])) + " / " + report.Duration(report.Median(p95))
		if tail := report.Median(p99); tail > 0 {
			trip.Text[name] += " / " + report.Duration(tail)
		}
		used.Text[name] = report.Duration(report.Median(used.Cost[name]))
	}
}

func newRow(op work.Op, target report.Target) report.Row {
	return report.NewRow(op.Name+" "+op.Era.String(), target)
}

// restartEvery is after how many rounds all processes are started anew: where the kernel has put a
// process stays with it, and makes it two or three times as quick as another.
const restartEvery = 3

// stdioOp starts processes for one operation only, so that none remembers another.
func stdioOp(dir string, op work.Op, rounds int, length time.Duration) (map[string][]proc.Slice, error) {
	all := map[string][]proc.Slice{}
	line := work.NewMessage([]byte(op.Request + "\n"))
	answer := filepath.Join(dir, "answer.json") // ours, which the echo loop sends
	p := pipes{names: stdioServers, answer: answer, open: func(name string, s *proc.Server) error {
		got, err := s.Open(op, name != work.Echo && name != work.Floor)
		if err == nil && name == work.Ours {
			err = work.Answer{Body: bytes.Clone(got)}.WriteTo(answer)
		}
		if err == nil {
			_, err = s.Run(line, length/2) // warms up
		}
		return err
	}, slice: func(name string, s *proc.Server) error {
		got, err := s.Run(line, length)
		all[name] = append(all[name], got)
		return err
	}}
	return all, p.measure(dir, rounds)
}

// pipes are servers over stdio that are measured in turns.
type pipes struct {
	names  []string
	answer string // file with what the echo loop sends
	open   func(name string, s *proc.Server) error
	slice  func(name string, s *proc.Server) error
}

// measure measures so many slices of each server.
func (p *pipes) measure(dir string, rounds int) error {
	for left := rounds; left > 0; left -= restartEvery {
		if err := p.turns(dir, min(left, restartEvery)); err != nil {
			return err
		}
	}
	return nil
}

// turns starts all servers for some rounds.
func (p *pipes) turns(dir string, rounds int) error {
	servers := map[string]*proc.Server{}
	defer func() {
		for _, s := range servers {
			s.Stop()
		}
	}()
	for _, name := range p.names {
		s, err := startStdio(dir, name, p.answer)
		if err != nil {
			return err
		}
		servers[name] = s
		if err := p.open(name, s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for range rounds {
		for _, name := range p.names {
			if err := p.slice(name, servers[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// startStdio starts the program that serves the headline rows.
func startStdio(dir, name, answer string) (*proc.Server, error) {
	switch name {
	case work.Echo:
		return proc.Start(filepath.Join(dir, name), answer)
	case work.Floor:
		return proc.Start(filepath.Join(dir, name))
	}
	return proc.Start(filepath.Join(dir, work.Headline(name)))
}

// cold measures cold starts, and the size of what was started.
func cold(dir string, rounds int, _ time.Duration) ([]table, []string, error) {
	start, size := report.NewRow("cold start", coldTarget), report.NewRow("stripped binary", sizeTarget)
	for range rounds * 2 {
		for _, name := range coldServers {
			took, err := proc.ColdStart(filepath.Join(dir, name))
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", name, err)
			}
			start.Cost[name] = append(start.Cost[name], float64(took))
		}
	}
	for _, name := range coldServers {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return nil, nil, err
		}
		size.Cost[name] = []float64{float64(info.Size())}
		size.Text[name] = fmt.Sprintf("%.2fMB", float64(info.Size())/1e6)
		start.Text[name] = report.Duration(report.Median(start.Cost[name]))
	}
	rows := []report.Row{start, size}
	return []table{{"From the start of a process to its first answer, and its size", coldServers, rows}}, nil, nil
}

// microPart is how many times shorter a slice in memory is.
const microPart = 5

// inMemory measures in memory, in a process of the program micro, with further flags.
func inMemory(program string, rounds int, slice time.Duration, flags ...string) (measured []work.MicroRow, err error) {
	cmd := exec.Command(program, append(flags, "-rounds", strconv.Itoa(rounds), "-slice", slice.String())...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text, &measured)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	return measured, nil
}

// modules measures what modules auth and otel add, in memory.
func modules(dir string, rounds int, length time.Duration) (tables []table, refused []string, err error) {
	for _, t := range []struct {
		set, title string
		columns    []string
	}{
		{"otel", "Module otel: a call with a trace, in memory; spans and metrics are recorded and not sent",
			[]string{work.Ours, work.Propagation, work.Native}},
		{"auth", "Module auth: who makes a request, by a token that is known or not",
			[]string{work.Known, work.DPoP, work.RS256, work.ES256, work.EdDSA}},
	} {
		measured, err := inMemory(filepath.Join(dir, "micro"), rounds, length/microPart, "-set", t.set)
		if err != nil {
			return nil, nil, err
		}
		var rows []report.Row
		for _, m := range measured {
			row := microRow(m)
			row.Target = report.Target{}
			if t.set == "auth" {
				row.Name = m.Name
			}
			rows, refused = append(rows, row), append(refused, m.Refused...)
		}
		tables = append(tables, table{t.title, t.columns, rows})
	}
	return tables, refused, nil
}

// micro measures the libraries in memory.
func micro(dir string, rounds int, length time.Duration) ([]table, []string, error) {
	measured, err := inMemory(filepath.Join(dir, "micro"), rounds, length/microPart, "-set", "libraries")
	if err != nil {
		return nil, nil, err
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
	const title = "Micro: in memory, time, allocations and bytes for each request"
	return []table{{title, microServers, rows}}, refused, nil
}

func microRow(m work.MicroRow) report.Row {
	row := newRow(work.Op{Name: m.Name, Era: m.Era}, microTarget(m.Name, m.Era))
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
