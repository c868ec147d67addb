package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/directive/nearmiss"
	"github.com/mcpgen/mcpgen/internal/load/annotate"
	"github.com/mcpgen/mcpgen/internal/load/golist"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// unlisted looks for directives in folders that match patterns with dots and that the go command leaves out, because
// this build has none of their files.
func (l *loader) unlisted() error {
	known := map[string]bool{}
	for _, p := range l.order {
		known[p.Dir] = true
	}
	for _, root := range l.wildcardRoots() {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil || !e.IsDir():
				return nil //nolint:nilerr // what cannot be read is the go command's to report
			case path != root && outside(os.DirFS(filepath.Dir(path)), e.Name()):
				return fs.SkipDir
			case known[path]:
				return nil
			}
			known[path] = true
			return l.unlistedIn(path)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) unlistedIn(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	var names []string
	for _, e := range entries {
		if name := e.Name(); e.Type().IsRegular() && strings.HasSuffix(name, ".go") && name[0] != '_' && name[0] != '.' {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return l.elsewhere(&node{Package: &Package{Dir: dir, Target: true}, listed: &golist.Package{IgnoredGoFiles: names}})
}

// wildcardRoots returns the folders of main modules below which patterns with dots look.
func (l *loader) wildcardRoots() []string {
	var out []string
	for _, pattern := range l.cfg.Patterns {
		head, _, dots := strings.Cut(filepath.ToSlash(pattern), "...")
		if !dots {
			continue
		}
		head = strings.TrimSuffix(head, "/")
		switch {
		case filepath.IsAbs(head):
			out = append(out, filepath.Clean(head))
		case head == "." || head == ".." || strings.HasPrefix(head, "./") || strings.HasPrefix(head, "../"):
			out = append(out, filepath.Join(l.cfg.Dir, head))
		default:
			for _, p := range l.order {
				if m := p.listed.Module; m != nil && m.Main && m.Dir != "" &&
					(head == m.Path || strings.HasPrefix(head, m.Path+"/")) {
					out = append(out, filepath.Join(m.Dir, strings.TrimPrefix(head, m.Path)))
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// elsewhere looks for directives in the files of p that this build leaves out, and in its tests.
func (l *loader) elsewhere(p *node) error {
	for _, name := range slices.Concat(p.listed.IgnoredGoFiles, p.listed.TestGoFiles, p.listed.XTestGoFiles) {
		path := filepath.Join(p.Dir, name)
		src, err := source.Read(path)
		if err != nil {
			return err
		}
		if source.IsOutput(name, src) || !nearmiss.Mentions(src) {
			continue
		}
		f := &File{Path: path, Src: src}
		if f.Parse(l.fset); f.Err != nil {
			continue // a test, or a file of some other build; its compiler says so
		}
		if strings.HasSuffix(name, "_test.go") {
			annotate.InTest(l.fset, f.AST, &l.diags)
		} else {
			annotate.Excluded(l.fset, f, &l.diags)
		}
	}
	return nil
}
