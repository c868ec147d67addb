// Package files serves what lies below two directories, and nothing beside them: a handbook that can
// be browsed and searched by path, and pictures.
//
//mcp:server name=files version=1.0.0 title="Handbook"
package files

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
)

// Handbook has pages below a directory.
type Handbook struct {
	// Pages is the directory.
	Pages *os.Root
}

// Page is one file of the handbook, as it is.
//
//mcp:resource uri=handbook:///{+path} root=Pages list=walk directory subscribe poll=2s
//mcp:var path complete=list
func (h *Handbook) Page(_ context.Context, file fs.File) (fs.File, error) {
	return file, nil
}

// Outline has the headings of a Markdown page.
//
//mcp:resource uri=outline:///{+name}{?depth} root=Pages list=none
//mcp:var depth default=2 min=1 max=6
func (h *Handbook) Outline(_ context.Context, name string, depth int, file fs.File) (string, error) {
	if path.Ext(name) != ".md" {
		return "", fs.ErrNotExist
	}
	var out strings.Builder
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		marks, heading, ok := strings.Cut(lines.Text(), " ")
		if n := len(marks); ok && n > 0 && n <= depth && strings.Trim(marks, "#") == "" {
			_, _ = fmt.Fprintf(&out, "%s%s\n", strings.Repeat("  ", n-1), heading)
		}
	}
	return out.String(), lines.Err()
}

// Titles are the names of all pages of the first level.
//
//mcp:resource uri=titles:///
//mcp:availability since=0.9 "deprecated=read handbook:///"
func (h *Handbook) Titles(context.Context) (string, error) {
	names, err := fs.Glob(h.Pages.FS(), "*.md")
	return strings.Join(names, "\n"), err
}

// Found are the pages that have a word; this is not ready yet.
//
//mcp:resource uri=found:///{word} list=none
//mcp:availability since=2.0
//mcp:allow MCP607 it comes with the next version
func (h *Handbook) Found(_ context.Context, word string) (string, error) {
	return "", fmt.Errorf("pages with %s: %w", word, mcp.ErrNotFound)
}

// Pictures are the images of the handbook.
//
//mcp:resource uri=pictures:///{+path} list=walk
//mcp:cache ttl=1h
var Pictures *os.Root
