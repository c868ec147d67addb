package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// Row is one line of a table: for each server what it cost, in every round.
type Row struct {
	// Name is that of the operation and, if there are two of them, its revision.
	Name string
	// Target is what ours must reach; its zero value asks for nothing.
	Target Target
	// Cost holds one number of each round for each server: ns, or bytes. Ratios come from it.
	Cost map[string][]float64
	// Text is what the table shows of a server.
	Text map[string]string
	// Allocs and Bytes are those of ours for each request; only rows in memory have them.
	Allocs, Bytes float64
	// Goroutines are those of ours for each thing that is open, and MostGoroutines the target.
	Goroutines, MostGoroutines float64
	// Measured says that Allocs and Bytes mean something.
	Measured bool
}

// NewRow returns a row that has no numbers yet.
func NewRow(name string, target Target) Row {
	return Row{Name: name, Target: target, Cost: map[string][]float64{}, Text: map[string]string{}}
}

// Target is what ours must reach in one row. Zero fields ask for nothing.
type Target struct {
	// SDK and MCPGo are how many times less than theirs ours may cost.
	SDK, MCPGo float64
	// Later is how much longer than go-sdk ours may take; for rows in which ours waits by itself, and where no peer wins.
	Later time.Duration
	// Of is a server that ours may cost at most Most times as much as.
	Of   string
	Most float64
	// Allocs and Bytes are the most for each request, with those of the handler.
	Allocs, Bytes float64
	// Size is the most for ours, in bytes; for rows that cost memory.
	Size float64
}

// Slower says whether ours costs more than before by more than the noise: the median of the ratios within the rounds is
// farther above 1 than their quartiles are apart. Two or three rounds tell nothing of the noise; what is measured once
// does not vary.
func (r *Row) Slower() bool {
	list := ratios(r.Cost[work.Before], r.Cost[work.Ours])
	if n := len(list); n == 2 || n == 3 {
		return false
	}
	m := Median(list)
	return m > 1+Spread(list)*m
}

// Misses lists what a row does not reach. A ratio misses its target by more than its [slack]. Allocations and
// bytes are rounded: the odd one of the runtime is not the server's.
func (r *Row) Misses() (list []string) {
	miss := func(format string, args ...any) {
		list = append(list, r.Name+": "+fmt.Sprintf(format, args...))
	}
	ours := r.Cost[work.Ours]
	for _, peer := range []struct {
		name   string
		target float64
	}{{work.SDK, r.Target.SDK}, {work.MCPGo, r.Target.MCPGo}} {
		got, off := Ratio(ours, r.Cost[peer.name]), slack(ours, r.Cost[peer.name])
		if peer.target > 0 && got > 0 && got*(1+off) < peer.target {
			miss("%.1f x %s, want %.1f", got, peer.name, peer.target)
		}
	}
	if t := r.Target; t.Later > 0 {
		if got := later(ours, r.Cost[work.SDK]); got > float64(t.Later) {
			miss("%s later than %s, want %s at most", Duration(got), work.SDK, t.Later)
		}
	}
	if t := r.Target; t.Most > 0 {
		if got := Ratio(r.Cost[t.Of], ours); got*(1-slack(r.Cost[t.Of], ours)) > t.Most {
			miss("%.2f x the cost of %s, want %.2f at most", got, t.Of, t.Most)
		}
	}
	if t := r.Target; r.Measured {
		if t.Allocs > 0 && r.Allocs > t.Allocs+0.5 {
			miss("%.1f allocations, want %.0f at most", r.Allocs, t.Allocs)
		}
		if t.Bytes > 0 && r.Bytes > t.Bytes+0.5 {
			miss("%.0f bytes allocated, want %.0f at most", r.Bytes, t.Bytes)
		}
	}
	if t := r.Target; t.Size > 0 && Median(ours) > t.Size {
		miss("%s, want %s at most", Size(Median(ours)), Size(t.Size))
	}
	if r.Goroutines > r.MostGoroutines+0.05 {
		miss("%.1f goroutines, want %.0f at most", r.Goroutines, r.MostGoroutines)
	}
	return list
}

// later is how much more ours cost than the peer, as the median of the rounds.
func later(ours, peer []float64) float64 {
	var list []float64
	for i := range min(len(ours), len(peer)) {
		list = append(list, ours[i]-peer[i])
	}
	return Median(list)
}

// Print writes one table with a column for each server.
func Print(w io.Writer, title string, servers []string, rows []Row) {
	fmt.Fprintf(w, "\n%s\n", title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	before := slices.Contains(servers, work.Before)
	last := ""
	if before {
		last = "x before"
	}
	fmt.Fprintf(t, "\t%s\tx go-sdk (target)\tx mcp-go (target)\t%s\n", strings.Join(servers, "\t"), last)
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(t, "%s\t", r.Name)
		for _, s := range servers {
			fmt.Fprintf(t, "%s\t", cmp.Or(r.Text[s], "-"))
		}
		fmt.Fprintf(t, "%s\t%s\t", versus(r, work.SDK, r.Target.SDK), versus(r, work.MCPGo, r.Target.MCPGo))
		if before {
			fmt.Fprint(t, older(r), " ")
		}
		fmt.Fprintln(t, mark(r))
	}
	_ = t.Flush() // nowhere to tell
}

// mark says which peers need less than ours, by more than the [slack], and whether a target is missed.
func mark(r *Row) string {
	var list []string
	for _, peer := range []string{work.SDK, work.MCPGo} {
		ours, theirs := r.Cost[work.Ours], r.Cost[peer]
		got := Ratio(ours, theirs)
		if got > 0 && got*(1+slack(ours, theirs)) < 1 && r.Target.Later == 0 {
			list = append(list, peer+" WINS")
		}
	}
	if r.Slower() {
		list = append(list, "SLOWER")
	}
	if len(r.Misses()) > 0 {
		list = append(list, "MISS")
	}
	return strings.Join(list, ", ")
}

// older is how many times more the server cost before.
func older(r *Row) string {
	got := Ratio(r.Cost[work.Ours], r.Cost[work.Before])
	if got == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", got)
}

func versus(r *Row, peer string, target float64) string {
	got := Ratio(r.Cost[work.Ours], r.Cost[peer])
	switch {
	case got == 0:
		return "-"
	case target == 0:
		return factor(got)
	}
	return fmt.Sprintf("%s (%g)", factor(got), target)
}

// factor writes a ratio; one below 1 with a digit more, so that it never looks like 1.
func factor(f float64) string {
	if f < 1 {
		return fmt.Sprintf("%.2f", f)
	}
	return fmt.Sprintf("%.1f", f)
}

// Duration writes ns in the unit that suits.
func Duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0fns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.1fus", ns/1e3)
	}
	return fmt.Sprintf("%.2fms", ns/1e6)
}

// Size writes bytes in the unit that suits.
func Size(bytes float64) string {
	if bytes < 1e5 {
		return fmt.Sprintf("%.0f B", bytes)
	}
	return fmt.Sprintf("%.2f MB", bytes/1e6)
}
