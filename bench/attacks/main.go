// Command attacks makes the attacks of internal/dev/robustness/attack, in their full size, on servers made with this
// project, go-sdk and mcp-go, one after the other, and prints a Markdown table of what has happened. Every server is a
// process of its own with the default options of its library; one that grows beyond -memory is stopped. Attacks on
// features that only this project has are made on this project. A cell of this project has in bold what does not hold.
// The exit status is 1 if something does not, but for the p99, which a busy machine makes longer. The last line of
// stderr tells how many attacks were made, and how many of them do not hold, or are slow.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/bench/internal/work"
	"github.com/mcpgen/mcpgen/internal/dev/robustness/attack"
)

func main() {
	log.SetFlags(0)
	hold := flag.Duration("hold", 5*time.Second, "how long honest clients are counted during an attack")
	patience := flag.Duration("patience", 40*time.Second, "how long one honest request, and the end of an attack, may take")
	memory := flag.Int64("memory", 2048, "MiB at which a server is stopped")
	only := flag.String("run", "", "make only attacks whose number, name and transport match this `expression`")
	own := flag.Bool("own", false, "make the attacks on this project only, over each transport of a row")
	list := flag.Bool("list", false, "print the attacks, and make none")
	flag.Parse()
	match, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	matching := attacks(match, *own)
	if *list {
		for _, a := range matching {
			fmt.Println(a.title)
		}
		return
	}
	c := attack.Config{Full: true, Hold: *hold, Patience: *patience, MaxMemory: *memory << 20}
	begun := time.Now()
	sum, err := all(matching, *own, c)
	if err != nil {
		log.Fatal("attacks: ", err)
	}
	log.Printf("%d attacks in %v; %d do not hold, %d are slow", len(matching), time.Since(begun).Round(time.Second),
		sum.failed, sum.slow)
	if sum.failed > 0 || len(matching) == 0 {
		os.Exit(1)
	}
}

// libraries are the columns.
var libraries = []string{work.Ours, work.SDK, work.MCPGo}

// attackOn is a row of attacks over one transport.
type attackOn struct {
	attack.Row

	transport attack.Transport
	title     string
}

// attacks are those whose titles match.
func attacks(match *regexp.Regexp, own bool) (list []attackOn) {
	for _, row := range attack.Rows() {
		if row.SmallOnly {
			continue
		}
		for _, t := range transportsOf(&row, own) {
			if title := fmt.Sprintf("%d | %s; %s", row.Number, row.Name, t); match.MatchString(title) {
				list = append(list, attackOn{row, t, title})
			}
		}
	}
	return list
}

// summary is how many attacks on this project do not hold, and how many are slow.
type summary struct{ failed, slow int }

// all makes the attacks and prints the table.
func all(list []attackOn, own bool, c attack.Config) (sum summary, err error) {
	dir, err := os.MkdirTemp("", "mcpgen-attacks")
	if err != nil {
		return sum, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "attacked")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "./servers/attacked")
	if out, err := build.CombinedOutput(); err != nil {
		return sum, fmt.Errorf("%w\n%s", err, out)
	}
	fmt.Printf("| row | attack, transport | this project | go-sdk v1.8.0 | mcp-go v1.2.1 |\n|---|---|---|---|---|\n")
	for i := range list {
		fmt.Printf("| %s | %s |\n", list[i].title, strings.Join(sum.cellsOf(program, &list[i], own, c), " | "))
	}
	return sum, nil
}

// cellsOf makes an attack on all libraries that take part, or on this project only.
func (sum *summary) cellsOf(program string, a *attackOn, own bool, c attack.Config) []string {
	cells := make([]string, len(libraries))
	for i, name := range libraries {
		p := &attack.Program{Command: []string{program, name}, Own: name == work.Ours}
		if name == work.SDK {
			p.ModernPath = "/modern"
		}
		if !p.Own && (own || a.Alone != "") {
			cells[i] = "–"
			continue
		}
		res, err := attack.Run(context.Background(), p, &a.Row, a.transport, c)
		cells[i] = outcome(&a.Row, res, err)
		if !p.Own {
			continue
		}
		if err != nil {
			cells[i] = "**" + cells[i] + "**"
			sum.failed++
			continue
		}
		problems := res.Problems(&a.Row)
		for _, problem := range problems {
			cells[i] += "; **" + clean(problem) + "**"
		}
		if len(problems) > 0 {
			sum.failed++
		}
		if slow(res) {
			sum.slow++
		}
	}
	return cells
}

// slow reports whether the p99 of honest clients is longer than wanted.
func slow(res *attack.Result) bool { return res.P99 > max(20*res.Rest, 100*time.Millisecond) }

// transportsOf are the transports on which the attack of a row is made: one that all libraries have, or all of them.
func transportsOf(row *attack.Row, own bool) []attack.Transport {
	if own {
		return row.On
	}
	for _, t := range []attack.Transport{attack.Sessions, attack.Modern} {
		if slices.Contains(row.On, t) {
			return []attack.Transport{t}
		}
	}
	return row.On[:1]
}

// outcome says in short what has happened.
func outcome(row *attack.Row, res *attack.Result, err error) string {
	switch {
	case errors.Is(err, attack.ErrUnfit):
		return "takes no part: " + clean(err.Error())
	case err != nil:
		return "no result: " + clean(err.Error())
	case res.Killed:
		return fmt.Sprintf("%d of %d served; stopped at %.1f GiB after %.0f s", res.Served, res.Asked,
			float64(res.Memory)/(1<<30), res.Took.Seconds())
	}
	parts := []string{fmt.Sprintf("%d of %d served, p99 %s (%s at rest), slowest %s", res.Served, res.Asked, short(res.P99),
		short(res.Rest), short(res.Slowest))}
	if slow(res) {
		parts[0] = "**slow** " + parts[0]
	}
	if res.Served < res.Asked {
		parts = append(parts, fmt.Sprintf("longest without service %s (%s)", short(res.Longest), clean(res.Refusal)))
	}
	parts = append(parts, fmt.Sprintf("+%.0f MiB", float64(res.Memory)/(1<<20)))
	switch {
	case res.Stacks != "" && row.Stays && res.Order != nil:
	case res.Stacks != "":
		parts = append(parts, fmt.Sprintf("%d goroutines and %d descriptors more after %s",
			res.After.Goroutines-res.Before.Goroutines, res.After.Descriptors-res.Before.Descriptors, short(res.Settled)))
	}
	if kinds := replies(res); kinds != "" && row.Want.Replies != nil {
		parts = append(parts, "replies "+kinds)
	}
	if row.Want.Check != nil {
		if err := row.Want.Check(res); err != nil {
			parts = append(parts, clean(err.Error()))
		} else if res.Order != nil {
			parts = append(parts, "in order")
		}
	}
	return strings.Join(parts, "; ")
}

// replies lists the kinds of replies, the most frequent first.
func replies(res *attack.Result) string {
	kinds := slices.SortedFunc(maps.Keys(res.Replies), func(a, b string) int { return res.Replies[b] - res.Replies[a] })
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%d × %s", res.Replies[kind], kind)
	}
	return strings.Join(kinds[:min(len(kinds), 4)], ", ")
}

// clean makes a text fit a cell.
func clean(text string) string {
	text = strings.TrimSpace(strings.Join(strings.Fields(text), " "))
	return strings.ReplaceAll(text[:min(len(text), 100)], "|", "/")
}

func short(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
