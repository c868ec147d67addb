package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// chunks is how often the rounds in memory change from one checkout to the other, which are two processes.
const chunks = 5

// buildBefore builds the servers of the checkout at root, whose bench must have the programs of this one.
func buildBefore(dir, root string) error {
	from := filepath.Join(root, "bench")
	make := exec.Command("go", "run", ".", "-generate")
	make.Dir = from
	if err := run(make); err != nil {
		return err
	}
	for name, pkg := range map[string]string{
		work.Before:                "./servers/ours/cmd",
		work.Headline(work.Before): "./servers/ours/headline",
		work.Before + "-web":       "./servers/web",
		work.Before + "-micro":     "./micro",
	} {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(dir, name), pkg)
		cmd.Dir, cmd.Env = from, append(os.Environ(), "CGO_ENABLED=0")
		if err := run(cmd); err != nil {
			return err
		}
	}
	return nil
}

// addBefore adds the column to the tables.
func addBefore() {
	for _, list := range []*[]string{
		&stdioServers, &inFlightServers, &webServers, &memoryServers, &coldServers, &microServers,
	} {
		*list = append(*list, work.Before)
	}
}

// microBefore measures ours and the other checkout in memory, in turns of their own, and adds what that one cost to
// rows.
func microBefore(dir string, rounds int, slice time.Duration, rows []report.Row) error {
	cost := map[string]map[string][]float64{work.Ours: {}, work.Before: {}}
	text := map[string]string{}
	for range chunks {
		for name, program := range map[string]string{work.Ours: "micro", work.Before: work.Before + "-micro"} {
			measured, err := inMemory(filepath.Join(dir, program), (rounds+chunks-1)/chunks, slice, "-only", work.Ours)
			if err != nil {
				return err
			}
			for _, m := range measured {
				row := microRow(m)
				cost[name][row.Name] = append(cost[name][row.Name], row.Cost[work.Ours]...)
				if name == work.Before {
					text[row.Name] = row.Text[work.Ours]
				}
			}
		}
	}
	for i := range rows {
		r := &rows[i]
		r.Cost[work.Before], r.Text[work.Before] = alike(cost, r), text[r.Name]
	}
	return nil
}

// alike returns what the row cost before, as a multiple of what ours cost in the main run: the two processes that are
// compared ran in turns of their own.
func alike(cost map[string]map[string][]float64, r *report.Row) []float64 {
	ours, before := cost[work.Ours][r.Name], cost[work.Before][r.Name]
	list := make([]float64, 0, len(r.Cost[work.Ours]))
	for i := range min(len(ours), len(before), len(r.Cost[work.Ours])) {
		list = append(list, r.Cost[work.Ours][i]*before[i]/ours[i])
	}
	return list
}

// slowerRows lists the rows that cost more than before by more than their noise.
func slowerRows(tables []table) (list []string) {
	for _, t := range tables {
		for i := range t.rows {
			r := &t.rows[i]
			if r.Slower() {
				list = append(list, fmt.Sprintf("%s: %.2f x", r.Name, 1/report.Ratio(r.Cost[work.Ours], r.Cost[work.Before])))
			}
		}
	}
	return list
}
