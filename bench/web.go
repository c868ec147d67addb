package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/proc"
	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

var (
	webServers    = []string{work.Ours, work.SDK, work.MCPGo, work.Null}
	memoryServers = []string{work.Ours, work.SDK, work.MCPGo}
)

// web measures requests over HTTP, with one connection and with many.
func web(dir string, rounds int, length time.Duration) (trips, cpu []report.Row, refused []string, err error) {
	for _, op := range work.WebOps() {
		for _, conns := range []int{1, 64} {
			slices, no, err := webOp(dir, op, conns, rounds, length)
			if err != nil {
				return nil, nil, nil, err
			}
			if conns == 1 {
				refused = append(refused, no...)
			}
			trip, used := newRow(op, report.Target{}), newRow(op, webTarget(op, conns))
			trip.Name = fmt.Sprintf("%s, %d", trip.Name, conns)
			used.Name = trip.Name
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
	}
	return trips, cpu, refused, nil
}

// webOp starts servers for one operation, anew after some rounds, and asks them in turn.
func webOp(dir string, op work.Op, conns, rounds int, length time.Duration) (all map[string][]proc.Slice, refused []string, err error) {
	all = map[string][]proc.Slice{}
	for left := rounds; left > 0; left -= restartEvery {
		if refused, err = webRounds(dir, op, conns, min(left, restartEvery), length, all); err != nil {
			return nil, nil, err
		}
	}
	return all, refused, nil
}

func webRounds(
	dir string, op work.Op, conns, rounds int, length time.Duration, all map[string][]proc.Slice,
) (refused []string, err error) {
	crowds := map[string]*proc.Crowd{}
	for _, name := range webServers {
		w, err := proc.StartWeb(filepath.Join(dir, "web"), name)
		if err != nil {
			return nil, err
		}
		defer w.Stop()
		c, err := w.Crowd(conns, op, name != work.Null)
		defer c.Close()
		if err != nil {
			refused = append(refused, name+" over HTTP: "+err.Error())
			continue
		}
		crowds[name] = c
		if _, err := c.Run(length / 2); err != nil { // warms up
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for range rounds {
		for _, name := range webServers {
			if crowds[name] == nil {
				continue
			}
			s, err := crowds[name].Run(length)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all[name] = append(all[name], s)
		}
	}
	return refused, nil
}

// holding is something that clients leave open.
type holding struct {
	name   string
	n      int // how many are opened
	target report.Target
	goes   float64 // the most goroutines of ours for each
	open   func(w *proc.Web, shared *proc.Conn) (*proc.Conn, error)
}

var holdings = []holding{
	{"idle session 2025-11-25", 1000, sessionTarget, 0, func(_ *proc.Web, shared *proc.Conn) (*proc.Conn, error) {
		return nil, shared.Open(work.Legacy)
	}},
	{"stream of a session 2025-11-25", 200, streamTarget, 2, stream(work.Legacy)},
	{"listen stream 2026-07-28", 200, streamTarget, 2, stream(work.Modern)},
}

// stream opens one on a connection of its own.
func stream(era work.Era) func(*proc.Web, *proc.Conn) (*proc.Conn, error) {
	return func(w *proc.Web, _ *proc.Conn) (*proc.Conn, error) {
		c, err := w.Dial()
		if err != nil {
			return nil, err
		}
		if err := c.Open(era); err != nil {
			return c, err
		}
		return c, c.Stream(era)
	}
}

// memory measures what servers hold for what their clients leave open.
func memory(dir string, rounds int) (rows []report.Row, refused []string, err error) {
	for _, h := range holdings {
		row := report.Row{Name: h.name, Target: h.target, Cost: map[string][]float64{}, Text: map[string]string{}}
		for _, name := range memoryServers {
			var routines []float64
			for range rounds {
				bytes, n, err := held(dir, name, h)
				if err != nil {
					refused = append(refused, name+", "+h.name+": "+err.Error())
					break
				}
				row.Cost[name] = append(row.Cost[name], max(bytes, 1))
				routines = append(routines, n)
			}
			if len(routines) == rounds {
				n := report.Median(routines)
				row.Text[name] = fmt.Sprintf("%.0fB %.1fg", report.Median(row.Cost[name]), n)
				if name == work.Ours {
					row.Goroutines, row.MostGoroutines = n, h.goes
				}
			}
		}
		rows = append(rows, row)
	}
	return rows, refused, nil
}

// held returns bytes and goroutines of a fresh server for each thing that is open. Some are open before,
// so that what is made once does not count.
func held(dir, name string, h holding) (bytes, routines float64, err error) {
	w, err := proc.StartWeb(filepath.Join(dir, "web"), name)
	if err != nil {
		return 0, 0, err
	}
	defer w.Stop()
	defer http.DefaultClient.CloseIdleConnections()
	shared, err := w.Dial()
	if err != nil {
		return 0, 0, err
	}
	defer shared.Close()
	var before work.Memory
	for i := range h.n + h.n/10 {
		if i == h.n/10 {
			if before, err = w.Memory(); err != nil {
				return 0, 0, err
			}
		}
		c, err := h.open(w, shared)
		if c != nil {
			defer c.Close()
		}
		if err != nil {
			return 0, 0, err
		}
	}
	after, err := w.Memory()
	return (float64(after.Bytes) - float64(before.Bytes)) / float64(h.n),
		float64(after.Goroutines-before.Goroutines) / float64(h.n), err
}
