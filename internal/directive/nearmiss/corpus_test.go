package nearmiss

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
)

// TestCorpus reads the comments of the standard library, and of the hand-written code of this repository that speaks
// of nothing but MCP: none of them is taken for a directive with a mistake.
func TestCorpus(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	roots := []string{filepath.Join(strings.TrimSpace(string(root)), "src", "net"), filepath.Join("..", "..", "..", "mcp"),
		filepath.Join("..", "..", "..", "templates"), filepath.Join("..", "..", "dev", "interop")}
	if dir := os.Getenv("MCPGEN_CORPUS"); dir != "" {
		roots = append(roots, dir)
	}
	lines := 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && e.Name() == "testdata" {
				return fs.SkipDir
			}
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			lines += commentsOf(t, path, src)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if lines < 1000 {
		t.Errorf("only %d lines of comments", lines)
	}
}

func commentsOf(t *testing.T, path string, src []byte) int {
	t.Helper()
	fset := token.NewFileSet()
	file := fset.AddFile(path, -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	lines, begins := 0, true
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok != token.COMMENT {
			begins = true
			continue
		}
		var l diag.List
		at := Where{On: directive.OnFunc, Begins: begins}
		if strings.HasPrefix(text, "/*") {
			Block(fset, pos, text, at, &l)
		} else if _, ok := directive.Parse(pos, text); !ok {
			Line(fset, pos, text, at, &l)
			begins = EndsSentence(text)
		}
		lines += 1 + strings.Count(text, "\n")
		for _, d := range l.Sorted() {
			t.Errorf("%s: %s: %s", d.Pos, text, d.Message)
		}
		if l.Len() > 0 && !Mentions(bytes.Clone(src)) {
			t.Errorf("%s: a near miss in a file that is said to have none", path)
		}
	}
}
