//go:build planted

package failpoint

import (
	"fmt"
	"os"
	"slices"
)

var planted = func() string {
	name := os.Getenv(Environment)
	if name != "" && !slices.ContainsFunc(Table, func(b Bug) bool { return b.Name == name }) {
		fmt.Fprintf(os.Stderr, "failpoint: %s names no bug: %q\n", Environment, name)
		os.Exit(2)
	}
	return name
}()

// On reports whether the bug of a name is planted.
func On(name string) bool { return name == planted }
