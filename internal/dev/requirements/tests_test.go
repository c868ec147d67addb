package requirements

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// proofs are the tests of all modules of the repository that say which requirements they prove.
type proofs struct {
	// of has the tests that name an id.
	of map[string][]proof
	// folders counts the folders that have a test of a name.
	folders map[string]int
	// problems are attributes that the judge cannot read.
	problems []string
}

// proof is a test function, and the subtest where its name is known.
type proof struct{ folder, name, sub string }

// attribute is the key of the attribute of a test whose value has the ids of rows.
const attribute = "requirements"

var idForm = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)+$`)

func findProofs(t *testing.T) *proofs {
	t.Helper()
	all := &proofs{of: map[string][]proof{}, folders: map[string]int{}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"):
			return all.addFile(name)
		case strings.HasSuffix(name, ".txtar"):
			return all.addArchive(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.folders) < 500 {
		t.Fatalf("only %d tests were found", len(all.folders))
	}
	return all
}

// addFile takes the tests of a file, and the ids that they name.
func (all *proofs) addFile(name string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder, err := filepath.Rel(root, filepath.Dir(name))
	if err != nil {
		return err
	}
	folder = filepath.ToSlash(folder)
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		isTest := f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test")
		if isTest {
			all.folders[f.Name.Name]++
		}
		for _, value := range attributes(f.Body) {
			ids, known := literal(value)
			switch {
			case known && !isTest:
				all.problems = append(all.problems, folder+": "+f.Name.Name+" is no test")
			case known:
				all.add(proof{folder, f.Name.Name, ""}, strings.Fields(ids))
			case isTest: // else it is a helper that reads them from an archive
				all.addTable(proof{folder, f.Name.Name, ""}, filepath.Dir(name))
			}
		}
	}
	return nil
}

// attributes are the values of the attributes of a test that name requirements.
func attributes(body *ast.BlockStmt) (values []ast.Expr) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 2 {
			return true
		}
		if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Attr" {
			if key, _ := literal(call.Args[0]); key == attribute {
				values = append(values, call.Args[1])
			}
		}
		return true
	})
	return values
}

// literal is the text of literals that are joined.
func literal(x ast.Expr) (text string, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, known := literal(x.X)
		right, ok := literal(x.Y)
		return left + right, known && ok
	}
	return "", false
}

// addTable takes the entries of the tables of a folder that begin with an id: their subtests are called after it.
func (all *proofs) addTable(test proof, folder string) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		all.problems = append(all.problems, folder+" has no tables")
	}
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			all.problems = append(all.problems, err.Error())
			continue
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			entry, ok := n.(*ast.CompositeLit)
			if !ok || entry.Type != nil || len(entry.Elts) == 0 {
				return true
			}
			if id, _ := literal(entry.Elts[0]); idForm.MatchString(id) {
				all.add(proof{test.folder, test.name, id}, []string{id})
			}
			return true
		})
	}
}

// archives are the tests of golden whose subtests are the archives of a folder.
var archives = map[string]string{"golden/errors": "TestErrors", "golden/outputs": "TestOutputs"}

// addArchive takes the ids at the head of an archive.
func (all *proofs) addArchive(name string) error {
	folder, err := filepath.Rel(root, filepath.Dir(name))
	test := archives[filepath.ToSlash(folder)]
	if err != nil || test == "" {
		return err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if _, ids, ok := strings.Cut(string(txtar.Parse(data).Comment), "Requirements: "); ok {
		ids, _, _ = strings.Cut(ids, "\n")
		sub := strings.TrimSuffix(filepath.Base(name), ".txtar")
		all.add(proof{"golden", test, sub}, strings.Fields(ids))
	}
	return nil
}

func (all *proofs) add(test proof, ids []string) {
	for _, id := range ids {
		if !slices.Contains(all.of[id], test) {
			all.of[id] = append(all.of[id], test)
		}
	}
}

// names are the tests that prove rows, as a page shows them: with the folder where several have a test of the name.
func (all *proofs) names() map[string][]string {
	out := map[string][]string{}
	for id, tests := range all.of {
		for _, p := range tests {
			name := p.name
			if p.sub != "" {
				name += "/" + p.sub
			}
			if all.folders[p.name] > 1 || p.sub != "" {
				name = p.folder + " " + name
			}
			out[id] = append(out[id], name)
		}
		slices.Sort(out[id])
	}
	return out
}

func exists(name string) bool {
	_, err := os.Stat(filepath.Join(root, name))
	return err == nil
}
