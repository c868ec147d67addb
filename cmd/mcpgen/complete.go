package main

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/schema"
)

// completer proposes the values of an argument or flag that begin with prefix. What follows a tab explains a value.
type completer = func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective)

// completePackages proposes folders in the form of patterns, and the pattern of everything below them.
func completePackages(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	const how = cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	parent, _ := path.Split(prefix)
	if parent == "" {
		parent = "./"
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil, how
	}
	out := []string{parent + "..."}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && name[0] != '.' && name[0] != '_' && name != "testdata" && name != "vendor" {
			out = append(out, parent+name+"/")
		}
	}
	return beginningWith(strings.TrimPrefix(parent, prefix)+prefix, out), how
}

// completeFolder leaves a folder to the shell.
func completeFolder(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeCodes proposes diagnostics.
func completeCodes(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, c := range diag.Codes() {
		ids = append(ids, c.ID+"\t"+c.Meaning)
	}
	if len(args) > 0 {
		ids = nil
	}
	return beginningWith(prefix, ids), cobra.ShellCompDirectiveNoFileComp
}

// completeRevisions proposes revisions of the protocol. Where files may stand in their place, the shell proposes files
// if no revision fits.
func completeRevisions(orFiles bool) completer {
	return func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		all, err := schema.Embedded()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var out []string
		for _, s := range all {
			out = append(out, s.Revision)
		}
		if orFiles {
			return beginningWith(prefix, out), cobra.ShellCompDirectiveDefault
		}
		return beginningWith(prefix, out), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFlag tells cobra how a flag is completed.
func completeFlag(cmd *cobra.Command, name string, how completer) {
	if err := cmd.RegisterFlagCompletionFunc(name, how); err != nil {
		panic(err) // unreachable: the flag was declared
	}
}

func beginningWith(prefix string, values []string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return !strings.HasPrefix(v, prefix) })
}
