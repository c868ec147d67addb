package protocolgen

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/protocolir"
)

// module is a module outside of the checkout, which it uses by a replace directive.
type module struct {
	*testing.T
	dir string
}

func newModule(t *testing.T) *module {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	m := &module{t, t.TempDir()}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	const path = "github.com/mcpgen/mcpgen"
	mod := "module example.com/schemas\n\ngo 1.26.0\n\nrequire " + path + " v0.0.0\n\nreplace " + path + " => " + root +
		"\n"
	for name, text := range map[string]string{"go.mod": mod, "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// add writes a package of the module.
func (m *module) add(name string, schemas ...SchemaFile) {
	m.Helper()
	r, err := Generate(Options{Schemas: schemas, Package: "protocol", Dir: filepath.Join(m.dir, name)})
	if err != nil {
		m.Fatalf("%s: %v", name, err)
	}
	if _, err := output.Write(output.Disk{}, r.Files, ""); err != nil {
		m.Fatal(err)
	}
}

// run runs the go command in the module. Paths are trimmed, so that the build cache serves the next run too.
func (m *module) run(args ...string) {
	m.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -trimpath", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		m.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// generated checks the types of what is generated from schemas, and returns the source and the warnings.
func generated(t *testing.T, checker *typeChecker, name string, schemas ...SchemaFile) (source string, warnings []error) {
	t.Helper()
	r, err := Generate(Options{Schemas: schemas, Package: "protocol"})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if _, err := checker.check(r.Files); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	var b strings.Builder
	for _, f := range r.Files {
		b.Write(f.Data)
	}
	return b.String(), r.Warnings
}

// TestEverySubset generates the package for each of the 31 sets of revisions, with -short for single ones.
func TestEverySubset(t *testing.T) {
	all := committed(t)
	checker := newTypeChecker(t)
	for set := 1; set < 1<<len(all); set++ {
		if testing.Short() && set&(set-1) != 0 {
			continue
		}
		var some []SchemaFile
		for i, s := range all {
			if set>>i&1 == 1 {
				some = append(some, s)
			}
		}
		name := fmt.Sprintf("set%0*b", len(all), set)
		if _, warnings := generated(t, checker, name, some...); oddWarning(warnings) != "" {
			t.Errorf("%s: %s", name, oddWarning(warnings))
		}
	}
}

// oddWarning returns the first warning that is not about missing docs.
func oddWarning(warnings []error) string {
	for _, w := range warnings {
		_, undocumented := errors.AsType[*protocolir.UndocumentedError](w)
		if _, unset := errors.AsType[*protocolir.UnsetError](w); !undocumented && !unset {
			return w.Error()
		}
	}
	return ""
}

// TestEditedSchemas generates from what the next revision may look like, after the committed ones and alone.
func TestEditedSchemas(t *testing.T) {
	checker := newTypeChecker(t)
	for i, e := range edits {
		file := e.write(t)
		source, warnings := generated(t, checker, e.name, append(committed(t), file)...)
		for _, want := range e.want {
			if !strings.Contains(squeeze(source), squeeze(want)) {
				t.Errorf("%s: the source lacks %q", e.name, want)
			}
		}
		switch odd := oddWarning(warnings); {
		case e.warn == "" && odd != "":
			t.Errorf("%s: %s", e.name, odd)
		case e.warn != "-" && !strings.Contains(odd, e.warn):
			t.Errorf("%s: no warning has %q", e.name, e.warn)
		}
		if i%3 == 0 {
			generated(t, checker, e.name+" alone", file)
		}
	}
}

// squeeze makes one space of each run of spaces, by which gofmt aligns.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }
