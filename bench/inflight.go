package main

import (
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/proc"
	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// inFlights are how many requests a client of stdio has sent and not got an answer to, and how many of them are slow.
var inFlights = []struct {
	quick, slow int
	target      report.Target
}{
	{quick: 1},
	{quick: 16},
	{quick: 16, slow: 4},
	{quick: 100, target: report.Target{SDK: 15, MCPGo: 4}},
}

var inFlightServers = []string{work.Ours, work.SDK, work.MCPGo}

// inFlight measures the typed tool over pipes with calls in flight: the time of a call in the median, that of the
// slowest hundredth, and calls in a second. Slow calls do not count.
func inFlight(dir string, rounds int, length time.Duration) ([]table, []string, error) {
	var rows []report.Row
	for _, op := range work.Ops() {
		if op.Name != "typed tool" {
			continue
		}
		for _, f := range inFlights {
			row := newRow(op, f.target)
			row.Name = fmt.Sprintf("%s, %d in flight", row.Name, f.quick)
			if f.slow > 0 {
				row.Name += fmt.Sprintf(" beside %d slow", f.slow)
			}
			if err := inFlightRow(dir, op, f.quick, f.slow, rounds, length, &row); err != nil {
				return nil, nil, err
			}
			rows = append(rows, row)
		}
	}
	const title = "Stdio with calls in flight: p50 / p99, calls in a second"
	return []table{{title, inFlightServers, rows}}, nil, nil
}

// inFlightRow fills row.
func inFlightRow(dir string, op work.Op, quick, slow, rounds int, length time.Duration, row *report.Row) error {
	slices := map[string][]proc.Slice{}
	rates := map[string][]float64{}
	p := pipes{names: inFlightServers, open: func(_ string, s *proc.Server) error {
		_, err := s.Open(op, true)
		if err == nil {
			_, _, err = s.RunMany(op, quick, slow, length/2) // warms up
		}
		return err
	}, slice: func(name string, s *proc.Server) error {
		got, rate, err := s.RunMany(op, quick, slow, length)
		slices[name], rates[name] = append(slices[name], got), append(rates[name], rate)
		return err
	}}
	if err := p.measure(dir, rounds); err != nil {
		return fmt.Errorf("%s: %w", row.Name, err)
	}
	for name, list := range slices {
		var p50, p99 []float64
		for i, s := range list {
			p50, p99 = append(p50, float64(s.P50)), append(p99, float64(s.P99))
			row.Cost[name] = append(row.Cost[name], 1e9/rates[name][i])
		}
		row.Text[name] = fmt.Sprintf("%s / %s, %.0f/s", report.Duration(report.Median(p50)),
			report.Duration(report.Median(p99)), report.Median(rates[name]))
	}
	return nil
}
