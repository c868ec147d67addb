package failpoint

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

// call is how code asks for a bug.
var call = regexp.MustCompile(`failpoint\.On\(([^)]*)\)`)

// Each bug of the table is planted in one place of the product, and each place is in the table.
func TestTable(t *testing.T) {
	places := map[string][]string{}
	for _, dir := range []string{"mcp", "bus", "tasks"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(file string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			for _, m := range call.FindAllStringSubmatch(string(text), -1) {
				places[m[1]] = append(places[m[1]], file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range Table {
		quoted := `"` + b.Name + `"`
		if len(places[quoted]) != 1 {
			t.Errorf("%s is planted in %q, want one place", b.Name, places[quoted])
		}
		delete(places, quoted)
		if b.Promise == "" || b.Where == "" || b.Area == "" {
			t.Errorf("%s: the table must say what it breaks, and where that is promised", b.Name)
		}
	}
	for name, files := range places {
		t.Errorf("%s in %q is not in the table", name, files)
	}
}

// The tests that the table names exist.
func TestTestsOfTable(t *testing.T) {
	for _, b := range Table {
		dir, name, _ := strings.Cut(b.Test, " ")
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(text), "func "+name+"(")
		}
		if !found {
			t.Errorf("%s: there is no test %s", b.Name, b.Test)
		}
	}
}
