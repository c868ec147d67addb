package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/proc"
	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// noAnswer is a file that holds none: the handler that does nothing is asked for streams only.
const noAnswer = "none.json"

const (
	// updates is how many a slice of an audience has.
	updates = 5
	// warmUp is how many come before, for all servers: pools and buffers are made, and the deadlines of streams are set.
	warmUp = 5
)

// fanouts are the audiences of one update.
var fanouts = []struct {
	era    work.Era
	n      int
	target report.Target
}{
	{work.Legacy, 1000, report.Target{SDK: 1.15, MCPGo: 1.5, Of: work.Null, Most: 1.7}},
	{work.Modern, 1000, report.Target{SDK: 1.3, Of: work.Null, Most: 1.7}},
	{work.Legacy, 5000, report.Target{SDK: 1.15, MCPGo: 1.4, Of: work.Null, Most: 1.25}},
	{work.Modern, 5000, report.Target{SDK: 1.35, Of: work.Null, Most: 1.25}},
}

// fanout measures what an update costs for each of its subscribers over TCP.
func fanout(dir string, rounds int, length time.Duration) ([]table, []string, error) {
	return updatesOf(dir, rounds, length, 0)
}

// spaced measures the same for updates that come a second apart, as those of a resource that people edit: timers and
// deadlines are set anew for each.
func spaced(dir string, rounds int, length time.Duration) ([]table, []string, error) {
	if length < time.Second/20 {
		rounds = 1
	}
	return updatesOf(dir, min(rounds, restartEvery), 0, time.Second)
}

// updatesOf measures updates with a pause between them. Large audiences are for long slices only.
func updatesOf(dir string, rounds int, length, pause time.Duration) ([]table, []string, error) {
	var trips, cpu []report.Row
	var refused []string
	if err := (work.Answer{}).WriteTo(filepath.Join(dir, noAnswer)); err != nil {
		return nil, nil, err
	}
	for _, f := range fanouts {
		if f.n > 1000 && length < time.Second/20 {
			continue // to open them takes longer than all other rows together
		}
		op := work.Op{Name: fmt.Sprintf("update to %d streams", f.n), Era: f.era}
		if pause > 0 {
			op.Name += ", one a second"
			f.target = report.Target{}
		}
		trip, used := newRow(op, report.Target{Later: mostLater}), newRow(op, f.target)
		slices, no, err := audiences(dir, f.era, f.n, rounds, pause)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", op.Name, err)
		}
		for _, why := range no {
			refused = append(refused, fmt.Sprintf("%s, %s: %s", op.Name, f.era, why))
		}
		atOnce := atOnceRow(op, slices)
		fill(&trip, &used, slices)
		trips, cpu = append(trips, trip, atOnce), append(cpu, used)
	}
	title := "updates"
	if pause > 0 {
		title = "updates a second apart"
	}
	return []table{
		{"HTTP, " + title + ": from a change to its last stream, p50 / p95", webServers, trips},
		{"HTTP, " + title + ": CPU time of the server's process for each stream and update", webServers, cpu},
	}, refused, nil
}

// mostLater is how much later than that of go-sdk the last stream of ours may hear: it waits 10 ms for more changes.
const mostLater = 12 * time.Millisecond

// atOnceRow takes ours without a delay out of slices, and returns its row beside the others.
func atOnceRow(op work.Op, slices map[string][]proc.Slice) report.Row {
	all := maps.Clone(slices)
	all[work.Ours] = slices[work.AtOnce]
	delete(slices, work.AtOnce)
	delete(all, work.AtOnce)
	op.Name += ", UpdateDelay 0"
	trip, used := newRow(op, report.Target{SDK: 1}), newRow(op, report.Target{})
	fill(&trip, &used, all)
	return trip
}

// audiences measures all servers, a few rounds of each in turn. A server is alone while it is measured: thousands of
// open connections of another would slow it down.
func audiences(dir string, era work.Era, n, rounds int, pause time.Duration,
) (slices map[string][]proc.Slice, refused []string, err error) {
	slices = map[string][]proc.Slice{}
	unfit := map[string]bool{}
	for left := rounds; left > 0; left -= restartEvery {
		for _, name := range append([]string{work.AtOnce}, webServers...) {
			if unfit[name] {
				continue
			}
			list, err := audience(dir, name, era, n, min(left, restartEvery), pause)
			if err != nil && (name == work.Ours || name == work.AtOnce) {
				return nil, nil, err
			}
			if err != nil {
				refused, unfit[name] = append(refused, name+": "+err.Error()), true
				delete(slices, name)
				continue
			}
			slices[name] = append(slices[name], list...)
		}
	}
	return slices, refused, nil
}

// audience measures one server.
func audience(dir, name string, era work.Era, n, rounds int, pause time.Duration) ([]proc.Slice, error) {
	w, err := startWeb(dir, name, filepath.Join(dir, noAnswer))
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	a, err := w.Audience(n, era, name != work.Null)
	defer a.Close()
	if err != nil {
		return nil, err
	}
	if _, err := a.Publish(warmUp, 0); err != nil {
		return nil, err
	}
	var list []proc.Slice
	for range rounds {
		s, err := a.Publish(updates, pause)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// kept measures what a session of 2025-11-25 holds more after some updates than before.
func kept(dir, name string) (bytes float64, err error) {
	const sessions, times = 1000, 300 // many, so that what the process keeps once is little for each
	w, err := startWeb(dir, name, "")
	if err != nil {
		return 0, err
	}
	defer w.Stop()
	a, err := w.Audience(sessions, work.Legacy, true)
	defer a.Close()
	if err != nil {
		return 0, err
	}
	if _, err := a.Publish(updates, 0); err != nil {
		return 0, err
	}
	before, err := w.Memory()
	if err != nil {
		return 0, err
	}
	if _, err := a.Publish(times, 0); err != nil {
		return 0, err
	}
	after, err := w.Memory()
	return (float64(after.Bytes) - float64(before.Bytes)) / sessions, err
}
