package pack

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// input is something that the user of the server says when it is installed.
type input struct {
	name        string // of a flag without its dash, or of a variable of the environment
	kind        string
	description string
	env         bool
}

// kinds are those that a client can ask for.
var kinds = []string{"string", "number", "directory", "file", "secret"}

var inputForm = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_-]*)=([a-z]+):\s*(.+)$`)

// inputFlags defines -flag and -env.
func (o *options) inputFlags(fs *flag.FlagSet) {
	add := func(env bool) func(string) error {
		return func(s string) error {
			m := inputForm.FindStringSubmatch(s)
			if m == nil || !slices.Contains(kinds, m[2]) {
				return fmt.Errorf("want NAME=KIND:DESCRIPTION, such as dir=directory:the folder of the notes; kinds are %s",
					strings.Join(kinds, ", "))
			}
			if slices.ContainsFunc(o.inputs, func(in input) bool { return in.name == m[1] }) {
				return fmt.Errorf("there are two inputs %s", m[1])
			}
			o.inputs = append(o.inputs, input{name: m[1], kind: m[2], description: m[3], env: env})
			return nil
		}
	}
	fs.Func("flag", "a flag of the program that the user fills in, as `NAME=KIND:DESCRIPTION`, such as\n"+
		"'dir=directory:the folder of the notes'; kinds are "+strings.Join(kinds, ", "), add(false))
	fs.Func("env", "a variable of its environment that the user fills in, as `NAME=KIND:DESCRIPTION`", add(true))
}

// isPath reports whether the value is the path of a file or a folder.
func (in *input) isPath() bool { return in.kind == "directory" || in.kind == "file" }

// argument is the argument that gives the program a value, as one word.
func (in *input) argument(value string) string { return "-" + in.name + "=" + value }
