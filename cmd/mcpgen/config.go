package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/clientconfig"
)

// configTask is the command mcpgen config.
type configTask struct {
	name, url string
}

// configCommand prints what a client wants in its configuration. It writes no file.
func configCommand(s *streams) *cobra.Command {
	var c configTask
	var clients []string
	for _, client := range clientconfig.Clients() {
		clients = append(clients, client.Name)
	}
	cmd := &cobra.Command{
		Use: "config CLIENT PROGRAM [ARGUMENTS]", Short: "print the configuration with which a client starts a server",
		Long: "Prints what a client wants in its configuration file to start the server of a program, such as\n" +
			"./cmd/notes, as go install installs it, or to call it at the URL of -http. Writes no file.\n" +
			"Clients: " + strings.Join(clients, ", ") + ".",
		Example: "  mcpgen config claude-code ./cmd/notes -- -dir /srv/notes",
		ValidArgsFunction: func(_ *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return beginningWith(prefix, clients), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usagef("config takes a client and the package of a program, such as %s ./cmd/notes", clients[0])
			}
			client, ok := clientconfig.Find(args[0])
			if !ok {
				return usagef("%s is no client; clients are %s", args[0], strings.Join(clients, ", "))
			}
			return c.run(s, client, args[1], args[2:])
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&c.name, "name", "", "the `name` of the server in the file; that of the program without it")
	fs.StringVar(&c.url, "http", "", "the `URL` at which the server is called, such as https://mcp.example.com/mcp")
	return exits(cmd, "0, or 2 for wrong usage and a package that is no program.")
}

func (c *configTask) run(s *streams, client clientconfig.Client, pkg string, args []string) error {
	p, err := programOf(pkg)
	if err != nil {
		return err
	}
	server := clientconfig.Server{Name: c.name, Command: p.Target, Args: args, URL: c.url}
	if server.Name == "" {
		server.Name = path.Base(p.ImportPath)
	}
	if c.url != "" {
		if len(args) > 0 {
			return usagef("with -http the server is running already, so it gets no arguments: leave out %s", args[0])
		}
		if u, err := url.Parse(c.url); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return usagef("-http %s: want a URL with its path, such as https://mcp.example.com/mcp", c.url)
		}
		server.Command = ""
	}
	text, err := client.Text(&server)
	if err != nil {
		return usageError{err}
	}
	fmt.Fprintf(s.stderr, "%s: %s\n", client.Title, client.File)
	if _, err := os.Stat(p.Target); c.url == "" && err != nil {
		fmt.Fprintf(s.stderr, "install the program first: go install %s\n", shellQuote(pkg))
	}
	_, err = fmt.Fprint(s.stdout, text)
	return err
}

// program is what go list says about a package.
type program struct{ Name, ImportPath, Target string }

// programOf returns the program of a package.
func programOf(pkg string) (p program, err error) {
	cmd := exec.CommandContext(context.Background(), "go", "list", "-json=Name,ImportPath,Target", "--", pkg)
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return p, errors.New(strings.TrimSpace(string(failed.Stderr)))
	}
	if err == nil {
		err = json.Unmarshal(out, &p)
	}
	switch {
	case err != nil:
		return p, fmt.Errorf("%s: want one package: %w", pkg, err)
	case p.Name != "main":
		return p, usagef("%s is package %s and no program; name the folder of its func main, such as ./cmd/%s", pkg, p.Name,
			path.Base(p.ImportPath))
	}
	return p, nil
}
