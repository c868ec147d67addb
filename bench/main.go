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
	"flag"
	"fmt"
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
	update := flag.Bool("generate", false, "only write the generated code of the servers again")
	rounds := flag.Int("rounds", 15, "slices of each server and row; at least 10 for a gate")
	quick := flag.Bool("quick", false, "short slices and few rounds, to see that it works")
	flag.Parse()
	log.SetFlags(0)
	length := 100 * time.Millisecond
	if *quick {
		*rounds, length = 3, 20*time.Millisecond
	}
	if *gate && *rounds < 10 {
		log.Fatal("bench: a gate needs at least 10 rounds")
	}
	missed, err := bench(*update, *rounds, length)
	if err != nil {
		log.Fatal("bench: ", err)
	}
	if len(missed) > 0 && *gate {
		log.Fatalf("bench: %d targets missed", len(missed))
	}
}

func bench(update bool, rounds int, length time.Duration) (missed []string, err error) {
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
	return measure(dir, stale, rounds, length)
}

// measure makes all tables and prints them.
func measure(dir, stale string, rounds int, length time.Duration) (missed []string, err error) {
	start := time.Now()
	trips, cpu, err := stdio(dir, rounds, length)
	if err != nil {
		return nil, err
	}
	http, err := web(dir, rounds, length)
	if err != nil {
		return nil, err
	}
	open, no, err := memory(dir, 3)
	if err != nil {
		return nil, err
	}
	whole, err := cold(dir, rounds*2)
	if err != nil {
		return nil, err
	}
	inMemory, nor, err := micro(dir, rounds, length/5)
	if err != nil {
		return nil, err
	}
	report.Print(os.Stdout, "Headline: round trip of two processes over stdio, p50 / p95", stdioServers, trips)
	report.Print(os.Stdout, "Headline: CPU time of the server's process for each request", stdioServers, cpu)
	report.Print(os.Stdout, "HTTP: round trip with 1 and 64 connections, p50 / p95", webServers, http.trips)
	report.Print(os.Stdout, "HTTP: CPU time of the server's process for each request", webServers, http.cpu)
	report.Print(os.Stdout, "HTTP: bytes of the body of an answer", webServers, http.sizes)
	report.Print(os.Stdout, "HTTP: heap, stacks and goroutines for what clients leave open", memoryServers, open)
	report.Print(os.Stdout, "From the start of a process to its first answer, and its size", coldServers, whole)
	report.Print(os.Stdout, "Micro: in memory, time, allocations and bytes for each request", microServers, inMemory)
	for _, r := range slices.Concat(http.refused, no, nor) {
		fmt.Println("no figure:", r)
	}
	fmt.Println("\n" + validation)
	missed = judge(trips, cpu, http.cpu, open, whole, inMemory)
	if stale != "" {
		missed = append(missed, stale)
	}
	fmt.Printf("\n%d rounds in %v; noise (quartile distance of our slices): %s\n", rounds,
		time.Since(start).Round(time.Second), noise(trips, http.cpu, inMemory))
	if len(missed) > 0 {
		fmt.Println("missed:\n  " + strings.Join(missed, "\n  "))
	}
	return missed, nil
}

// validation says what the ratios of the typed tool contain.
const validation = "Typed tool: all check the arguments by the schema. go-sdk checks the result by its schema too. mcpgen\n" +
	"writes it with code made from the type that the schema was made from, and checks nothing. mcp-go checks it\n" +
	"only if asked; here it does not."

// judge lists what misses its target.
func judge(tables ...[]report.Row) (missed []string) {
	for _, rows := range tables {
		for i := range rows {
			missed = append(missed, rows[i].Misses()...)
		}
	}
	return missed
}

func noise(tables ...[]report.Row) string {
	var list []float64
	for _, rows := range tables {
		for _, r := range rows {
			list = append(list, report.Spread(r.Cost[work.Ours]))
		}
	}
	return fmt.Sprintf("%.0f%%", 100*report.Median(list))
}
