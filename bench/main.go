// Command bench measures this project beside its peers in one run and prints one table for each
// way of measuring. All servers do the same work (internal/work) and are asked in turns, a slice
// each, so that a busy machine is busy for all of them; the numbers are medians over the rounds,
// and the ratios medians of the ratios within a round. Trust the ratios, not the times.
//
// Rows over pipes and over HTTP are two processes; each server has a logger, looks whether the caller has a scope, and
// bounds the time of a call. Rows in memory leave out that and everything else but the server itself: ours and go-sdk
// are asked through their transport interface, mcp-go is called directly, which favours it. The progressToken of
// requests of 2026-07-28 differs from one to the next, as those of real clients do.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/report"
	"github.com/mcpgen/mcpgen/bench/internal/work"
)

func main() {
	gate := flag.Bool("gate", false, "exit 1 if a target is missed")
	page := flag.String("doc", "", "write the tables into this `file`, docs/performance.md")
	update := flag.Bool("generate", false, "only write the generated code of the servers again")
	rounds := flag.Int("rounds", 15, "slices of each server and row; at least 10 for a gate")
	quick := flag.Bool("quick", false, "short slices and few rounds, to see that it works")
	against := flag.String("against", "", "also ask the servers of this checkout `dir`, as column \"before\"")
	only := flag.String("only", strings.Join(partNames(), ","), "the `parts` to measure")
	flag.Parse()
	log.SetFlags(0)
	length := 100 * time.Millisecond
	if *quick {
		*rounds, length = 3, 20*time.Millisecond
	}
	if *gate && *rounds < 10 {
		log.Fatal("bench: a gate needs at least 10 rounds")
	}
	var text bytes.Buffer
	missed, err := bench(io.MultiWriter(os.Stdout, &text), *update, strings.Split(*only, ","), *rounds, length, *against)
	if err == nil && *page != "" {
		err = document(*page, text.Bytes())
	}
	if err != nil {
		log.Fatal("bench: ", err)
	}
	if len(missed) > 0 && *gate {
		log.Fatalf("bench: %d targets missed", len(missed))
	}
}

func bench(out io.Writer, update bool, only []string, rounds int, length time.Duration, against string,
) (missed []string, err error) {
	dir, err := os.MkdirTemp("", "mcpgen-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	stale, err := generate(dir, update)
	if err != nil || update {
		return nil, err
	}
	if err := buildAll(dir); err != nil {
		return nil, err
	}
	if against != "" {
		if err := buildBefore(dir, against); err != nil {
			return nil, err
		}
		addBefore()
	}
	return measure(out, dir, stale, only, rounds, length, against != "")
}

// parts are what is measured, in this order.
var parts = []struct {
	name    string
	minutes float64
	measure func(dir string, rounds int, length time.Duration) ([]table, []string, error)
}{
	{"stdio", 0.5, stdio},
	{"inflight", 0.5, inFlight},
	{"web", 4, web},
	{"fanout", 3, fanout},
	{"spaced", 2, spaced},
	{"tasks", 1, tasks},
	{"replicas", 1, replicas},
	{"webhooks", 1, webhooks},
	{"hookreplicas", 0.5, hookReplicas},
	{"memory", 0.5, memory},
	{"cold", 0.2, cold},
	{"start", 0.2, startUp},
	{"modules", 0.3, modules},
	{"micro", 0.5, micro},
}

func partNames() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// table is one that is printed.
type table struct {
	title   string
	servers []string
	rows    []report.Row
}

// measure makes all tables and prints them to out. Progress goes to stderr.
func measure(out io.Writer, dir, stale string, only []string, rounds int, length time.Duration, against bool,
) (missed []string, err error) {
	start := time.Now()
	var tables []table
	var refused []string
	for _, part := range parts {
		if !slices.Contains(only, part.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s: about %.1f minutes of a run of 15 rounds\n", part.name, part.minutes)
		list, no, err := part.measure(dir, rounds, length)
		if err != nil {
			return nil, err
		}
		tables, refused = append(tables, list...), append(refused, no...)
	}
	if against && slices.Contains(only, "micro") {
		if err := microBefore(dir, rounds, length/microPart, tables[len(tables)-1].rows); err != nil {
			return nil, err
		}
	}
	for _, t := range tables {
		report.Print(out, t.title, t.servers, t.rows)
		missed = append(missed, judge(t.rows)...)
	}
	for _, r := range refused {
		fmt.Fprintln(out, "no figure:", r)
	}
	fmt.Fprintln(out, "\n"+validation)
	if stale != "" {
		missed = append(missed, stale)
	}
	noise := noiseOf(tables)
	fmt.Fprintf(out, "\n%d rounds in %v; standard error of the ratios: %.1f%%\n", rounds,
		time.Since(start).Round(time.Second), 100*noise)
	if noise > mostNoise {
		missed = append(missed, fmt.Sprintf("the ratios are not certain, take more rounds: a standard error of %.1f%%, "+
			"want %.0f%% at most", 100*noise, 100*mostNoise))
	}
	if slower := slowerRows(tables); against {
		fmt.Fprintf(out, "rows slower than before by more than their noise: %d\n  %s\n", len(slower), strings.Join(slower, "\n  "))
	}
	if len(missed) > 0 {
		fmt.Fprintln(out, "missed:\n  "+strings.Join(missed, "\n  "))
	}
	return missed, nil
}

// validation says what the ratios of the typed tool contain.
const validation = "Typed tool: all check the arguments by the schema. go-sdk checks the result by its schema too.\n" +
	"mcpgen writes it with code made from the type that the schema was made from, and checks nothing.\n" +
	"mcp-go checks it only if asked; here it does not."

// judge lists what misses its target.
func judge(rows []report.Row) (missed []string) {
	for i := range rows {
		missed = append(missed, rows[i].Misses()...)
	}
	return missed
}

// mostNoise is the largest standard error of the ratios with which a run proves anything: twice as much is a fifth.
const mostNoise = 0.1

// noiseOf returns the standard error of the ratios to peers, as the median over the rows.
func noiseOf(tables []table) float64 {
	var list []float64
	for _, t := range tables {
		for _, r := range t.rows {
			for _, peer := range []string{work.SDK, work.MCPGo} {
				if len(r.Cost[peer]) >= 4 {
					list = append(list, report.RatioError(r.Cost[work.Ours], r.Cost[peer]))
				}
			}
		}
	}
	return report.Median(list)
}
