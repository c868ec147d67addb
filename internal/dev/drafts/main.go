// Command drafts adds drafts of the specification, one at a time, to the committed revisions as one that nobody has
// seen, and shows what that costs the users of the generated package: nothing. Run it from the root of the repository:
//
//	make drafts DRAFTS=DIR
//
// DIR is a git directory of the specification, of which every distinct schema/draft/schema.json is taken in the order
// of time, or a folder of schema files. For each draft the bindings are generated and type-checked, apidiff compares
// them with the committed ones, and the runtime and all golden servers are type-checked against them unchanged. With
// the last draft the servers are generated again, too, and must not change. Nothing is written into the checkout.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/mcpgen/mcpgen/internal/output"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.StringVar(&o.dir, "drafts", "", "a git directory of the specification, or a `folder` of schema files")
	flag.StringVar(&o.root, "root", "../../..", "the root of the repository")
	flag.IntVar(&o.every, "every", 1, "take every `N`th draft and the last")
	flag.BoolVar(&o.verbose, "v", false, "print what the rule for later revisions has decided")
	flag.Parse()
	if err := run(ctx, os.Stdout, &o); err != nil {
		fmt.Fprintln(os.Stderr, "drafts:", err)
		os.Exit(1)
	}
}

type options struct {
	dir, root string
	every     int
	verbose   bool
}

// future is the date that a draft gets.
const future = "2099-01-01"

func run(ctx context.Context, out io.Writer, o *options) error {
	if o.dir == "" || o.every < 1 {
		return errors.New("name the drafts: make drafts DRAFTS=DIR")
	}
	all, err := readDrafts(ctx, o.dir)
	if err != nil {
		return err
	}
	list := take(all, o.every)
	fmt.Fprintf(out, "%d distinct drafts, %d taken\n", len(all), len(list))
	tree, err := loadTree(ctx, o.root)
	if err != nil {
		return err
	}
	sum := &summary{}
	for i, d := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		v, err := tree.judge(d)
		if err != nil {
			return err
		}
		if i == len(list)-1 && len(v.refused)+len(v.problems) == 0 {
			v.problems = tree.servers(ctx, v.generated)
		}
		v.print(out, o.verbose)
		sum.add(v)
	}
	return sum.print(out)
}

func take(all []draft, every int) []draft {
	var out []draft
	for i, d := range all {
		if i%every == 0 || i == len(all)-1 {
			out = append(out, d)
		}
	}
	return out
}

// verdict is what one draft did.
type verdict struct {
	draft
	refused  []string // errors with positions: the draft itself is wrong
	problems []string
	notes    []string
	warnings []string // with positions in the draft
	changed  int      // files of the package that are not as committed
	files    int

	generated []output.File // the package
}

func (v *verdict) print(out io.Writer, verbose bool) {
	word := "ok"
	switch {
	case len(v.problems) > 0:
		word = "FAILED"
	case len(v.refused) > 0:
		word = "refused"
	}
	fmt.Fprintf(out, "%-7s %s  %d of %d files change, %d notes\n", word, v.name, v.changed, v.files, len(v.notes))
	for _, p := range slices.Concat(v.refused, v.problems) {
		fmt.Fprintln(out, "        "+p)
	}
	if verbose {
		for _, n := range v.notes {
			fmt.Fprintln(out, "        "+n)
		}
	}
}

type summary struct {
	ok, refused, failed, unexplained int
	changed                          []int
}

func (s *summary) add(v *verdict) {
	switch {
	case len(v.problems) > 0:
		s.failed++
	case len(v.refused) > 0:
		s.refused++
		if exceptions[v.blob] == "" {
			s.unexplained++
		}
	default:
		s.ok++
		s.changed = append(s.changed, v.changed)
	}
}

func (s *summary) print(out io.Writer) error {
	slices.Sort(s.changed)
	median := 0
	if len(s.changed) > 0 {
		median = s.changed[len(s.changed)/2]
	}
	fmt.Fprintf(out, "%d ok, %d refused, %d failed; median of files that change: %d\n", s.ok, s.refused, s.failed, median)
	switch {
	case s.failed > 0:
		return fmt.Errorf("%d drafts break what was given", s.failed)
	case s.unexplained > 0:
		return fmt.Errorf("%d drafts are refused without a row in the table of exceptions", s.unexplained)
	case s.ok == 0:
		return errors.New("no draft was judged")
	}
	return nil
}
