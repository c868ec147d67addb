package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRun runs the tests of a small module, which print, fail, panic and are skipped.
func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		strict     bool
		code       int
		want       []string
		not        []string
	}{
		{"pass", `t.Log("quiet"); t.Run("sub", func(t *testing.T) { t.Log("quiet") })`, true, 0,
			[]string{"ok  \texample.com/m"}, []string{"quiet", "PASS", "RUN"}},
		{"fail", `t.Run("sub", func(t *testing.T) { t.Error("loud") })`, true, 1,
			[]string{"--- FAIL: TestIt", "--- FAIL: TestIt/sub", "loud", "FAIL\texample.com/m"}, []string{"=== RUN"}},
		{"panic", `println("before"); panic("at the disco")`, true, 1, []string{"at the disco", "FAIL\texample.com/m"}, nil},
		{"build", `undefined()`, true, 1, []string{"undefined: undefined", "[build failed]"}, nil},
		{"skip in CI", `t.Run("sub", func(t *testing.T) { t.Skip("no wind") })`, true, 1,
			[]string{"--- SKIP: TestIt/sub in example.com/m: m_test.go:5: no wind", "no reason for these"}, nil},
		{"skip", `t.Skip("no wind")`, false, 0, []string{"--- SKIP: TestIt in example.com/m", "no wind",
			"ok  \texample.com/m"}, []string{"no reason"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("GOFLAGS", "")
			t.Setenv("GOWORK", "off")
			write(t, "go.mod", "module example.com/m\n\ngo 1.26.0\n")
			write(t, "m_test.go", "package m\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) { "+tt.body+" }\n")
			var out bytes.Buffer
			code, err := run(t.Context(), []string{"./..."}, &out, tt.strict)
			if err != nil || code != tt.code {
				t.Errorf("exit status %d, want %d (%v)", code, tt.code, err)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("lacks %q", want)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(out.String(), not) {
					t.Errorf("has %q", not)
				}
			}
			if t.Failed() {
				t.Logf("printed:\n%s", out.String())
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Clean(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReasons(t *testing.T) {
	if !explained(module+"schema", "TestDocsAreOurOwn") || explained(module+"schema", "TestDocs") ||
		explained(module+"mcp", "TestDocsAreOurOwn") {
		t.Error("the table is read wrong")
	}
}
