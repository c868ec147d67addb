package gen

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/version"
	"github.com/mcpgen/mcpgen/schema"
)

// runtimePackage has the revisions that the runtime knows.
const runtimePackage = version.Module + "/generated/protocol"

// dateOf finds the dates of revisions in the source of the runtime.
var dateOf = regexp.MustCompile(`(?m)^\t\treturn "(\d{4}-\d{2}-\d{2})"$`)

// CheckRuntime adds what there is to say about the runtime that the output is built with: that the module in dir has
// none, and, if revisions is set, that it knows revisions of the protocol that this generator does not.
func (r *Result) CheckRuntime(ctx context.Context, dir string, revisions bool) error {
	if len(r.Files) == 0 || r.runtimeDir != "" && !revisions {
		return nil
	}
	folder := r.runtimeDir
	if folder == "" { // as with output that is not there yet
		cmd := exec.CommandContext(ctx, "go", "list", "-e", "-f", "{{.Dir}}", runtimePackage)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOTOOLCHAIN=local")
		out, err := cmd.Output()
		if err != nil {
			return nil //nolint:nilerr // what does not build is reported by those who load it
		}
		folder = strings.TrimSpace(string(out))
	}
	if folder == "" {
		d := diag.New("MCP821", diag.Pos{}, "the generated code will not build: the packages of %s cannot be found",
			version.Module)
		d.Fix = load.MissingRuntime
		r.Diags.Add(d)
		return nil
	}
	if !revisions {
		return nil
	}
	newer, err := newerRevisions(folder)
	if err == nil && len(newer) > 0 {
		d := diag.New("MCP822", diag.Pos{},
			"the runtime of this module knows revision %s of the protocol, this mcpgen (%s) does not",
			strings.Join(newer, " and "), version.Version)
		d.Fix = "use the mcpgen of the version that go.mod requires, and generate again"
		r.Diags.Add(d)
	}
	return err
}

// newerRevisions returns the revisions that the runtime in folder knows and this generator does not.
func newerRevisions(folder string) ([]string, error) {
	source, err := os.ReadFile(filepath.Join(folder, "revision_gen.go"))
	if err != nil {
		return nil, fmt.Errorf("the runtime does not say which revisions it knows: %w", err)
	}
	own, err := schema.EmbeddedRevisions()
	if err != nil {
		return nil, err
	}
	var newer []string
	for _, m := range dateOf.FindAllStringSubmatch(string(source), -1) {
		if !slices.Contains(own, m[1]) {
			newer = append(newer, m[1])
		}
	}
	return newer, nil
}
