package golden

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/output"
)

// mutationRounds is how often each example is repaired after one slip.
const mutationRounds = 4

// TestFixOfMutants lets one character of one directive of each example be dropped, doubled or changed with its
// neighbour, and repairs them all as -fix does. Afterwards each directive is what it was, or the line is as the slip
// left it, and no other line of any file has changed. MCPGEN_SEED chooses other slips, MCPGEN_ROUNDS makes more of
// them.
func TestFixOfMutants(t *testing.T) {
	seed, rounds := uint64(8), mutationRounds
	if s := os.Getenv("MCPGEN_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	if s := os.Getenv("MCPGEN_ROUNDS"); s != "" {
		rounds, _ = strconv.Atoi(s)
	}
	t.Logf("MCPGEN_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := tempModule(t, "", "github.com/mcpgen/mcpgen/mutants")
	sources := handWritten(t)
	// Each round is a copy of the examples, because they are repaired all at once.
	slips := map[string][]slip{}
	for round := range rounds {
		copied := fmt.Sprintf("r%d", round)
		slips[copied] = mutate(random, sources)
		for name, text := range sources {
			write(t, filepath.Join(dir, copied, name), string(text))
		}
		for _, m := range slips[copied] {
			write(t, filepath.Join(dir, copied, m.file), m.text(sources[m.file], m.line))
		}
	}
	if _, _, err := gen.Fix(t.Context(), gen.Options{Dir: dir, Patterns: []string{"./..."}}); err != nil {
		t.Fatal(err)
	}
	n, repaired := 0, 0
	for copied, list := range slips {
		slipped := map[string]bool{}
		for _, m := range list {
			n++
			if slipped[m.file] = true; m.judge(t, filepath.Join(dir, copied), sources[m.file]) {
				repaired++
			}
		}
		for name, text := range sources {
			if !slipped[name] && read(t, filepath.Join(dir, copied, name)) != string(text) {
				t.Errorf("%s was changed by the repair of another file", name)
			}
		}
	}
	t.Logf("%d slips, %d repaired", n, repaired)
}

// handWritten are the files of the examples, as far as nobody generates them.
func handWritten(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || name == "errors" || name == "internal" || e.Name() == "cmd" ||
			name == "diary"): // which imports a module that the temporary one has not
			return fs.SkipDir
		case e.IsDir() || !strings.Contains(name, "/") || strings.HasSuffix(name, "_test.go") ||
			strings.HasSuffix(name, load.OutputName):
			return nil
		}
		out[name], err = os.ReadFile(name)
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// slip is one mistake: what the line at a number of a file becomes.
type slip struct {
	file, was, line string
	number          int
}

// mutate makes one slip in each folder.
func mutate(random *rand.Rand, sources map[string][]byte) []slip {
	folders := map[string][]slip{}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		for i, line := range bytes.Split(sources[name], []byte("\n")) {
			if _, ok := directive.Parse(1, string(line)); ok {
				folders[path.Dir(name)] = append(folders[path.Dir(name)], slip{file: name, was: string(line), number: i})
			}
		}
	}
	var out []slip
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		m := folders[folder][random.IntN(len(folders[folder]))]
		r := []rune(m.was)
		switch i := 2 + random.IntN(len(r)-3); random.IntN(3) {
		case 0:
			m.line = string(r[:i]) + string(r[i+1:])
		case 1:
			m.line = string(r[:i+1]) + string(r[i:])
		default:
			m.line = string(r[:i]) + string(r[i+1]) + string(r[i]) + string(r[i+2:])
		}
		out = append(out, m)
	}
	return out
}

// text is the file with another line in the place of the directive.
func (m slip) text(src []byte, line string) string {
	lines := strings.Split(string(src), "\n")
	lines[m.number] = line
	return strings.Join(lines, "\n")
}

// judge reports whether the slip was repaired, and every result that is neither that nor the slip itself.
func (m slip) judge(t *testing.T, dir string, src []byte) bool {
	t.Helper()
	got := read(t, filepath.Join(dir, m.file))
	lines := strings.Split(got, "\n")
	if len(lines) <= m.number || got != m.text(src, lines[m.number]) {
		t.Errorf("%s:%d: %s\nmutated to %s\nchanged other lines of the file:\n%s", m.file, m.number+1, m.was, m.line,
			output.Diff([]output.Change{{Path: m.file, Old: []byte(m.text(src, m.line)), New: []byte(got)}}))
		return false
	}
	line := lines[m.number]
	if line == m.line {
		return false
	}
	was, _ := directive.Parse(1, m.was)
	is, ok := directive.Parse(1, line)
	if !ok || is.String() != was.String() {
		t.Errorf("%s:%d: %s\nmutated to %s\nrepaired as %s", m.file, m.number+1, m.was, m.line, line)
	}
	return true
}
