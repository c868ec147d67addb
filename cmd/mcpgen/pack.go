package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/version"
)

// packer is the program behind mcpgen pack. It is in a module of its own, because it needs more than a generator does.
const packer = "mcpgen-pack"

// packCommand starts the packer with its arguments.
func packCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "pack -o FILE PROGRAM [-- ARGUMENTS]", Short: "make a bundle, an image or a registry entry of a server",
		Long: "Makes an MCPB bundle (-o NAME.mcpb), an image of a container (-o NAME.tar) or a server.json of the program\n" +
			"of a server. Program " + packer + " does it: " + installPacker() + ".",
		Example:            "  mcpgen pack -o notes.mcpb -author 'Ada Lovelace' ./cmd/notes",
		DisableFlagParsing: true,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error { return runPacker(s, args) },
	}
	return exits(cmd, "0; 1 if the source has mistakes; 2 for wrong usage, and trouble with files or the\ngo command.")
}

// installPacker is the command that installs the packer.
func installPacker() string {
	if !version.Released() {
		return "go install -C pack ./cmd/" + packer + " in a checkout of mcpgen"
	}
	return "go install " + version.Module + "/pack/cmd/" + packer + "@" + version.Version
}

func runPacker(s *streams, args []string) error {
	program, err := findPacker()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), program, args...)
	cmd.Stdout, cmd.Stderr = s.stdout, s.stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 {
		return packerError(exit.ExitCode())
	}
	return err
}

// packerError is the exit status of a packer that has told why.
type packerError int

func (e packerError) Error() string { return fmt.Sprintf("%s ended with status %d", packer, int(e)) }

// Is says that nothing is left to print.
func (packerError) Is(target error) bool { return target == errReported }

// findPacker looks beside this program, among the tools of the module, and in PATH.
func findPacker() (string, error) {
	if self, err := os.Executable(); err == nil {
		if beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), packer)); err == nil {
			return beside, nil
		}
	}
	if out, err := goOutput(".", "tool", "-n", packer); err == nil {
		return strings.TrimSpace(out), nil
	}
	if found, err := exec.LookPath(packer); err == nil {
		return found, nil
	}
	return "", fmt.Errorf("%s is not installed; run %s", packer, installPacker())
}
