// Command measure prints figures of Go packages: files, lines, exported names, functions of the type that has most,
// and how much of what the files refer to in each other runs upward.
//
// A reference is a declaration that names a package-level identifier or a method declared in another file of the same
// package; two declarations make one reference however often the one names the other. An arrow is a pair of files with
// at least one reference. The files are ordered by their call graph: a file stands above those whose functions and
// methods it uses, unless these use its own too, directly or by way of others. Of the orders that this allows, one
// with few upward arrows is taken. An arrow or a reference runs upward if it points to a file above its own.
//
// A knot is a set of files in which each refers to each, directly or by way of others; the table has the lines of the
// largest one of each package.
//
// A function belongs to a type if it is a method of it, or if it selects an unexported field of it: through its
// receiver, a parameter, an embedded struct or other fields. A constructor does not belong to what it returns.
//
// Generated files and tests take no part.
//
// Usage:
//
//	go run ./internal/dev/measure [-C dir] [-order | -types] [packages]
//
// With -order it prints the order of the files of each package, and below each what it refers to above. With -types
// it prints the ten types to which the most functions belong.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	dir := flag.String("C", ".", "the `folder` of the module")
	order := flag.Bool("order", false, "print the order of the files of each package, and what runs upward")
	types := flag.Bool("types", false, "print the types to which the most functions belong")
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	view := table
	switch {
	case *order:
		view = printOrders
	case *types:
		view = printOwners
	}
	if err := run(os.Stdout, *dir, view, patterns); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(2)
	}
}

func run(w io.Writer, dir string, view func(io.Writer, []figures), patterns []string) error {
	list, err := measure(dir, patterns...)
	if err != nil {
		return err
	}
	view(w, list)
	return nil
}

// printOrders prints the order of the files of each package.
func printOrders(w io.Writer, list []figures) {
	for _, f := range list {
		f.graph.print(w, f.path)
	}
}

// columns are the figures in the order of the table.
var columns = []struct {
	name  string
	value func(figures) int
}{
	{"files", func(f figures) int { return f.files }},
	{"lines", func(f figures) int { return f.lines }},
	{"knot", func(f figures) int { return f.knot }},
	{"arrows", func(f figures) int { return f.graph.arrows.all }},
	{"up%", func(f figures) int { return f.graph.arrows.share() }},
	{"references", func(f figures) int { return f.graph.references.all }},
	{"up%", func(f figures) int { return f.graph.references.share() }},
	{"functions", figures.functions},
	{"exported", func(f figures) int { return f.exported }},
}

// table prints one line for each package.
func table(w io.Writer, list []figures) {
	width := 0
	for _, f := range list {
		width = max(width, len(f.path))
	}
	fmt.Fprintf(w, "%-*s", width, "package")
	for _, c := range columns {
		fmt.Fprintf(w, "  %s", c.name)
	}
	fmt.Fprintln(w)
	for _, f := range list {
		fmt.Fprintf(w, "%-*s", width, f.path)
		for _, c := range columns {
			fmt.Fprintf(w, "  %*d", len(c.name), c.value(f))
		}
		if f.name != "" {
			fmt.Fprintf(w, " package %s", f.name)
		}
		fmt.Fprintln(w)
	}
}

// byPath orders packages by their paths.
func byPath(list []figures) {
	slices.SortFunc(list, func(a, b figures) int { return cmp.Compare(a.path, b.path) })
}
