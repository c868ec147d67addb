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

	"github.com/mcpgen/mcpgen/internal/version"
	"github.com/mcpgen/mcpgen/schema"
)

// runtimePackage has the revisions that the runtime knows.
const runtimePackage = version.Module + "/generated/protocol"

// dateOf finds the dates of revisions in the source of the runtime.
var dateOf = regexp.MustCompile(`(?m)^\t\treturn "(\d{4}-\d{2}-\d{2})"$`)

// NewerRevisions returns the revisions that the runtime of the module in dir knows and this generator does not. They
// are none if the module has no runtime.
func NewerRevisions(ctx context.Context, dir string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-f", "{{.Dir}}", runtimePackage)
	cmd.Dir = dir
	out, err := cmd.Output()
	folder := strings.TrimSpace(string(out))
	if err != nil || folder == "" {
		return nil, nil //nolint:nilerr // what does not build is reported by those who load it
	}
	source, err := os.ReadFile(filepath.Join(folder, "revision_gen.go"))
	if err != nil {
		return nil, fmt.Errorf("the runtime does not say which revisions it knows: %w", err)
	}
	own, err := schema.Embedded()
	if err != nil {
		return nil, err
	}
	var newer []string
	for _, m := range dateOf.FindAllStringSubmatch(string(source), -1) {
		if !slices.ContainsFunc(own, func(s *schema.Schema) bool { return s.Revision == m[1] }) {
			newer = append(newer, m[1])
		}
	}
	return newer, nil
}
