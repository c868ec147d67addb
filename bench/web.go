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
func web(dir string, rounds int, length time.Duration) ([]table, []string, error) {
	var trips, cpu, sizes []report.Row
	var refused []string
	for _, op := range work.WebOps() {
		for _, conns := range connections(op) {
			r, err := webOp(dir, op, conns, rounds, length)
			if err != nil {
				return nil, nil, err
			}
			trip, used := newRow(op, report.Target{}), newRow(op, webTarget(op, conns))
			trip.Name = fmt.Sprintf("%s, %d", trip.Name, conns)
			used.Name = trip.Name
			fill(&trip, &used, r.slices)
			if conns == crowded {
				compareTails(&trip, r.slices)
			}
			trips, cpu = append(trips, trip), append(cpu, used)
			if conns > 1 {
				continue
			}
			refused = append(refused, r.refused...)
			size := newRow(op, report.Target{})
			for name, n := range r.sizes {
				size.Text[name] = report.Size(float64(n))
			}
			sizes = append(sizes, size)
		}
	}
	return []table{
		{"HTTP: round trip with 1 to 512 connections, p50 / p95 / p99; ratios of 512 are of p95", webServers, trips},
		{"HTTP: CPU time of the server's process for each request", webServers, cpu},
		{"HTTP: bytes of the body of an answer", webServers, sizes},
	}, refused, nil
}

// crowded is how many connections are so many that rows are compared by p95: in the median a server looks good that
// lets some of its clients wait.
const crowded = 512

// compareTails makes p95 what servers are compared by.
func compareTails(trip *report.Row, slices map[string][]proc.Slice) {
	for name, list := range slices {
		trip.Cost[name] = nil
		for _, s := range list {
			trip.Cost[name] = append(trip.Cost[name], float64(s.P95))
		}
	}
}

// connections are how many a row has. The typed tool has more rows.
func connections(op work.Op) []int {
	switch {
	case op.Name == "typed tool":
		return []int{1, 8, 64, crowded}
	case op.IsLarge():
		return []int{1}
	}
	return []int{1, 64}
}

// webResult is what the rounds of one operation have given.
type webResult struct {
	slices  map[string][]proc.Slice
	sizes   map[string]int // of the bodies of answers
	refused []string
}

// webOp starts servers for one operation, anew after some rounds, and asks them in turn.
func webOp(dir string, op work.Op, conns, rounds int, length time.Duration) (webResult, error) {
	r := webResult{slices: map[string][]proc.Slice{}, sizes: map[string]int{}}
	for left := rounds; left > 0; left -= restartEvery {
		r.refused = nil
		if err := webRounds(dir, op, conns, min(left, restartEvery), length, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

func webRounds(dir string, op work.Op, conns, rounds int, length time.Duration, all *webResult) error {
	crowds := map[string]*proc.Crowd{}
	answer := filepath.Join(dir, "answer.json") // ours, which the handler sends that does nothing
	for _, name := range webServers {
		w, err := startWeb(dir, name, answer)
		if err != nil {
			return err
		}
		defer w.Stop()
		c, err := w.Crowd(conns, op, name != work.Null)
		defer c.Close()
		if err != nil && name == work.Ours {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err != nil {
			all.refused = append(all.refused, name+" over HTTP: "+err.Error())
			continue
		}
		if name == work.Ours {
			if err := c.Answer.WriteTo(answer); err != nil {
				return err
			}
		}
		crowds[name], all.sizes[name] = c, len(c.Answer.Body)
		if _, err := c.Run(length / 2); err != nil { // warms up
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for range rounds {
		for _, name := range webServers {
			if crowds[name] == nil {
				continue
			}
			s, err := crowds[name].Run(length)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			all.slices[name] = append(all.slices[name], s)
		}
	}
	return nil
}

// startWeb starts the server of a library, or the handler that sends what the file answer holds.
func startWeb(dir, name, answer string) (*proc.Web, error) {
	switch name {
	case work.Null:
		return proc.StartWeb(filepath.Join(dir, "web"), answer)
	case work.Before:
		return proc.StartWeb(filepath.Join(dir, work.Before+"-web"), work.Ours)
	}
	return proc.StartWeb(filepath.Join(dir, "web"), name)
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
	{"idle session 2025-11-25", 5000, sessionTarget, 0, func(_ *proc.Web, shared *proc.Conn) (*proc.Conn, error) {
		return nil, shared.Open(work.Legacy)
	}},
	{"stream of a session 2025-11-25", 200, streamTarget, 1, stream(work.Legacy)},
	{"listen stream 2026-07-28", 200, streamTarget, 1, stream(work.Modern)},
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
		return c, c.Stream(era, work.Listen)
	}
}

// memory measures what servers hold for what their clients leave open.
func memory(dir string, _ int, _ time.Duration) ([]table, []string, error) {
	const rounds = 3
	var rows []report.Row
	var refused []string
	for _, h := range holdings {
		row := report.NewRow(h.name, h.target)
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
	more := report.NewRow("session after 300 updates, more than before", keptTarget)
	for _, name := range memoryServers {
		bytes, err := kept(dir, name)
		if err != nil {
			refused = append(refused, name+", "+more.Name+": "+err.Error())
			continue
		}
		more.Cost[name], more.Text[name] = []float64{max(bytes, 1)}, fmt.Sprintf("%.0fB", bytes)
	}
	const title = "HTTP: heap, stacks and goroutines for what clients leave open"
	return []table{{title, memoryServers, append(rows, more)}}, refused, nil
}

// held returns bytes and goroutines of a fresh server for each thing that is open. Some are open before,
// so that what is made once does not count.
func held(dir, name string, h holding) (bytes, routines float64, err error) {
	w, err := startWeb(dir, name, "")
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
