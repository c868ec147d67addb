package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// message is what an error of cmd tells the user.
func message(root, cmd *cobra.Command, err error) string {
	if isUsage(err) {
		return fmt.Sprintf("%v (%s -h shows the usage)", err, cmd.CommandPath())
	}
	text := err.Error()
	for _, word := range cmd.Flags().Args() {
		if hint := meant(root, cmd, word); hint != "" && strings.Contains(text, word+": ") {
			text += "\n" + hint
		}
	}
	return text
}

// signed begins each line of a text with the name of the program, unless it is indented.
func signed(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" && line[0] != ' ' && line[0] != '\t' {
			lines[i] = "mcpgen: " + line
		}
	}
	return strings.Join(lines, "\n")
}

// meant says which command was probably meant by a word that was taken for a package; "" if none was.
func meant(root, cmd *cobra.Command, word string) string {
	if word == "" || strings.ContainsAny(word, "-./\\") {
		return ""
	}
	isCommand := slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == word })
	if isCommand && cmd == root {
		return fmt.Sprintf("%s was taken for a package, because a command comes first: mcpgen %s", word, word)
	}
	if near := root.SuggestionsFor(word); len(near) > 0 && near[0] != cmd.Name() {
		return fmt.Sprintf("%s was taken for a package; did you mean mcpgen %s?", word, near[0])
	}
	return ""
}

// flagLine matches a line of the usage of flags, which has those that are not hidden.
var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+)`)

// flagError says what is wrong with a flag, written as people write it, and what may be meant.
func flagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[interface {
		error
		GetSpecifiedName() string
	}](err)
	if !ok || !strings.HasPrefix(err.Error(), "unknown ") { // a flag without its value has a name too
		return usageError{err}
	}
	name := unknown.GetSpecifiedName()
	var names, others []string
	for _, line := range flagLine.FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
		names = append(names, line[1])
	}
	for _, c := range cmd.Root().Commands() {
		if c.Flags().Lookup(name) != nil {
			others = append(others, c.CommandPath())
		}
	}
	hint := ""
	if near := directive.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("; did you mean -%s?", near)
	} else if len(others) > 0 {
		hint = "; it is a flag of " + strings.Join(others, ", ")
	}
	return usagef("%s has no flag -%s%s", cmd.CommandPath(), name, hint)
}
