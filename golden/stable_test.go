package golden

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/gen"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/load/source"
)

// oneMore is one feature of each kind, with names that are longer than all others, and with the types and helpers that
// each may bring. RECV is a receiver or nothing.
var oneMore = strings.ReplaceAll(`
// LONGIn has one member.
type LONGIn struct {
	// OfArguments is a member.
	OfArguments int ~json:"ofArguments,omitempty"~
}

// LONGFixed is a new resource.
//
//mcp:resource uri=a-new-scheme:///LONG-fixed
func RECVLONGFixed(ctx context.Context) (string, error) { return "", nil }

// LONGTemplate is a new template.
//
//mcp:resource uri=a-new-scheme:///LONG/{name}{?limit} list=none
func RECVLONGTemplate(ctx context.Context, name string, limit *int) (string, error) { return name, nil }

// LONGTool is a new tool.
//
//mcp:tool
func RECVLONGTool(ctx context.Context, in LONGIn) (LONGIn, error) { return in, nil }

// LONGPrompt is a new prompt.
//
//mcp:prompt
func RECVLONGPrompt(ctx context.Context, name string) (string, error) { return name, nil }
`, "LONG", "ZWithANameThatIsLongerThanThoseOfAllOtherFeaturesTogetherSoThatAllWouldMove")

// TestOneMoreLeavesOthers puts features with long names before all others of an example, and behind them. Each line
// that is generated for the others stays as it is. If the output is split, so does each file of another source.
func TestOneMoreLeavesOthers(t *testing.T) {
	t.Attr("requirements", "res-names")
	sources := map[string]string{ // with receivers
		"notes/notes.go": "(n *Notes) ", "shapes/shapes.go": "(c *Clock) ", "desk/desk.go": "(d *Desk) ",
		"jobs/jobs.go": "(a *Archive) ", "library/lend.go": "(l *Library) ", "vault/vault.go": "(v *Vault) ",
		"everything/everything.go": "", "forms/forms.go": "", "plain/plain.go": "",
	}
	// All are generated at once, because each question to the go command takes longer than the work on a package.
	dir := tempModule(t, "one", "one.test")
	for source, recv := range sources {
		example := filepath.Dir(source)
		for _, copied := range []string{"before", "first", "last"} {
			copyReversed(t, example, filepath.Join(dir, copied, example))
		}
		src := read(t, source)
		more := strings.NewReplacer("RECV", recv, "~", "`").Replace(oneMore)
		imports := strings.Index(src, "\n)\n") + len("\n)\n")
		write(t, filepath.Join(dir, "first", source), src[:imports]+more+src[imports:])
		write(t, filepath.Join(dir, "last", source), src+more)
	}
	outputs := map[string]map[string]string{} // by folder and name
	r := pipeline(t, dir)
	for _, f := range r.Files {
		folder := filepath.ToSlash(diag.RelPath(dir, filepath.Dir(f.Path)))
		if outputs[folder] == nil {
			outputs[folder] = map[string]string{}
		}
		outputs[folder][filepath.Base(f.Path)] = string(f.Data)
	}
	for source := range sources {
		example, file := path.Split(source)
		t.Run(path.Clean(example), func(t *testing.T) {
			before := outputs[path.Join("before", example)]
			if len(before) == 0 {
				t.Fatalf("no output\n%s", printed(t, r, dir))
			}
			for _, place := range []string{"first", "last"} {
				stays(t, place, file, before, outputs[path.Join(place, example)])
			}
		})
	}
}

// stays compares what was generated without more features with what is generated with more in a file.
func stays(t *testing.T, place, file string, before, after map[string]string) {
	t.Helper()
	for name := range before {
		was, is := strings.Split(before[name], "\n"), strings.Split(after[name], "\n")
		if gone := lost(was, is); len(gone) > 0 {
			t.Errorf("%s in %s: %d lines became %d, and these are gone:\n%s", place, name, len(was), len(is),
				strings.Join(gone, "\n"))
		}
		grows := name == load.OutputName || name == source.PartName(file)
		if grows != (len(is) > len(was)) {
			t.Errorf("%s in %s: %d lines became %d", place, name, len(was), len(is))
		}
	}
}

// TestPlacesGiveWay has declarations and parameters with the names that constants of places would have.
func TestPlacesGiveWay(t *testing.T) {
	dir := tempModule(t, "places", "places.test")
	write(t, filepath.Join(dir, "p.go"), `// Package p has names of its own.
//
//mcp:server name=p version=1.0.0
package p

import "context"

const pNote = "mine"

// Note is a note.
//
//mcp:resource uri=p:///note
func Note(ctx context.Context) (string, error) { return pNote, nil }

// Features shares its name with a function of the output.
//
//mcp:resource uri=p:///features
func Features(ctx context.Context) (string, error) { return "", nil }

// Page has a parameter with the name of its place.
//
//mcp:resource uri=p:///page/{pPage} list=none
func Page(ctx context.Context, pPage string) (string, error) { return pPage, nil }

// Find finds.
//
//mcp:tool
func Find(ctx context.Context) (string, error) { return "", nil }
`)
	out := string(outputIn(t, dir, "."))
	for _, want := range []string{"\tpNotePlace\n", "\tpFeaturesPlace\n", "\tpPagePlace\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	compileAll(t, dir, map[string][]byte{dir: []byte(out)})
}

// outputIn generates a package of a module and returns its mcp_gen.go.
func outputIn(t *testing.T, dir, pkg string) []byte {
	t.Helper()
	return outputsIn(t, dir, pkg)[load.OutputName]
}

// outputsIn generates a package of a module and returns its output by the names of the files.
func outputsIn(t *testing.T, dir, pkg string) map[string][]byte {
	t.Helper()
	r, err := gen.Packages(t.Context(), gen.Options{Dir: dir, Patterns: []string{"./" + pkg}})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range r.Files {
		out[filepath.Base(f.Path)] = f.Data
	}
	if len(out) == 0 {
		t.Fatalf("no output:\n%s", printed(t, r, dir))
	}
	return out
}

// lost returns the lines of a that are not in the longest common subsequence with b.
func lost(a, b []string) []string {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i, line := range slices.Backward(a) {
		for j := len(b) - 1; j >= 0; j-- {
			if line == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var gone []string
	for i, j := 0, 0; i < len(a); {
		switch {
		case j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j < len(b) && length[i+1][j] < length[i][j+1]:
			j++
		default:
			gone = append(gone, a[i])
			i++
		}
	}
	return gone
}

// TestLinesAreShort expects no committed output with a line of more than 200 columns.
func TestLinesAreShort(t *testing.T) {
	files, err := filepath.Glob("*/*" + load.OutputName)
	if err != nil || len(files) < len(examples(t)) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		n := 0
		for line := range strings.Lines(read(t, file)) {
			if n++; utf8.RuneCountInString(line) > 201 {
				t.Errorf("%s:%d has %d columns", file, n, utf8.RuneCountInString(line)-1)
			}
		}
	}
}

// TestLargeServersAreDeclaredInParts generates a server with more features than one function declares, with names that
// the parts and their parameter would have, and compiles it.
func TestLargeServersAreDeclaredInParts(t *testing.T) {
	dir := tempModule(t, "large", "large.test")
	var b strings.Builder
	b.WriteString("// Package l is large.\n//\n//mcp:server name=l version=1.0.0\npackage l\n\nimport \"context\"\n\n" +
		"const into = \"mine\"\n\nconst lFeatures2 = 1\n\n// Impl has methods.\ntype Impl struct{}\n\n")
	const n = 160
	for i := range n {
		recv := ""
		if i%2 == 0 {
			recv = "(Impl) "
		}
		fmt.Fprintf(&b, "// R%[1]d is read.\n//\n//mcp:resource uri=l:///r%[1]d\nfunc %[2]sR%[1]d(ctx context.Context) (string, error) { return into, nil }\n\n", i, recv)
	}
	write(t, filepath.Join(dir, "l.go"), b.String())
	out := string(outputIn(t, dir, "."))
	for _, want := range []string{
		"\tinto_ := &mcprt.Features{\n",
		"\tlFeatures1(into_, impl)\n",
		"\tlFeatures2Place(into_, impl)\n",
		"func lFeatures1(into_ *mcprt.Features, impl *LImpl) {\n", "\tinto_.Resources = append(into_.Resources, mcprt.Resource{ // l.go: R159\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q", want)
		}
	}
	if got := strings.Count(out, "\tinto_.Resources = append("); got != n {
		t.Errorf("%d of %d resources are declared", got, n)
	}
	compileAll(t, dir, map[string][]byte{dir: []byte(out)})
}
