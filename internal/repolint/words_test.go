package repolint

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "lower the counts in testdata/words.txt to what is found")

const wordsFile = "testdata/words.txt"

// retired are words that this project once used for things that have a name of the field, or of Go.
var retired = []struct {
	old string
	new string
}{
	// Parts of any name that hand-written code declares, files and packages included.
	{"ability", "client capability"},
	{"agenda", "due queue"},
	{"bury", "close"},
	{"carried", "sessions"},
	{"dismissed", "cancelled"},
	{"fillable", "form"},
	{"firsthour", "quickstart"},
	{"hasty", "flusher"},
	{"hear", "resume"},
	{"inquiry", "pending client request"},
	{"judge", "validator"},
	{"keyed", "store config"},
	{"lane", "responder"},
	{"lister", "page builder"},
	{"marker", "directive"},
	{"modifier", "option"},
	{"overdue", "list timer"},
	{"propose", "completion"},
	{"relatives", "joined servers"},
	{"remind", "resync"},
	{"rig", "harness"},
	{"snip", "jenutil"},
	{"standin", "resource tools"},
	{"talk", "harness"},
	{"tell", "notify"},
	{"told", "notified"},
	{"touches", "updates"},
	{"trail", "shown names"},
	{"verb", "directive"},
	{"warden", "delivery authorizer"},
	{"worth", "mutation"},
	// Whole names: as parts of others these words are good English.
	{"=claim", "declared version"},
	{"=claimed", "declared"},
	{"=chooser", "tag filter"},
	{"=claims", "name registry"},
	{"=class", "keyword class"},
	{"=fate", "terminal error"},
	{"=faults", "problems"},
	{"=Fixed", "Static"},
	{"=FormOf", "FormSchema"},
	{"=Given", "completion context"},
	{"=hand", "leader"},
	{"=lead", "reader lease"},
	{"=joint", "joined server"},
	{"=life", "availability"},
	{"=Life", "Availability"},
	{"=Lister", "Instances"},
	{"=listing", "static list"},
	{"=Live", "session"},
	{"=look", "reader lease"},
	{"=lost", "unparsed"},
	{"=offer", "visibility"},
	{"=part", "batch item"},
	{"=place", "index, position"},
	{"=Proto", "RevisionRange"},
	{"=round", "input-required retry"},
	{"=score", "repository lint"},
	{"=Share", "RateLimitKey"},
	{"=shape", "JSON kind"},
	{"=site", "HTTP fixture"},
	{"=stage", "test server"},
	{"=together", "merge"},
	{"=speaker", "client meta"},
	{"=turn", "reader lease"},
}

// retiredText are words that documents, comments and messages no longer use.
var retiredText = []struct {
	old *regexp.Regexp
	new string
}{
	{regexp.MustCompile(`(?i)\bverbs?\b`), "directive"},
	{regexp.MustCompile(`(?i)\bmarkers?\b`), "directive"},
	{regexp.MustCompile(`(?i)\bmodifiers?\b`), "option"},
	{regexp.MustCompile(`(?i)\bwardens?\b`), "delivery authorizer"},
	{regexp.MustCompile(`(?i)\bagendas?\b`), "due queue"},
	{regexp.MustCompile(`(?i)\bstand-?ins?\b`), "resource tools"},
	{regexp.MustCompile(`(?i)\b(inquiry|inquiries)\b`), "pending client request"},
	{regexp.MustCompile(`(?i)\blanes?\b`), "responder"},
	{regexp.MustCompile(`(?i)\bsnips?\b`), "jenutil"},
	{regexp.MustCompile(`(?i)\btest of worth\b`), "mutation test"},
	{regexp.MustCompile(`(?i)\bfirst hour\b`), "quickstart"},
	{regexp.MustCompile(`\bT\d+:`), "a name that says what it is"},
}

// use is how often a folder uses a retired word.
type use struct{ word, folder string }

// TestRetiredWords: no retired word comes back. What still uses one is in testdata/words.txt with a reason; with
// -update the counts there fall to what is found, and never rise.
func TestRetiredWords(t *testing.T) {
	found := make(map[use][]string)
	for _, s := range sources(t) {
		if s.generated() || strings.HasPrefix(s.path, "golden/") || strings.HasPrefix(s.path, "internal/repolint/") {
			continue
		}
		for _, name := range declared(s) {
			addNames(found, s.path, name)
		}
		for _, g := range s.tree.Comments {
			addText(found, s.path, g.Text())
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && !s.test() && strings.HasPrefix(s.path, "internal/diag/") {
				addText(found, s.path, lit.Value)
			}
			return true
		})
	}
	for file, text := range documents(t) {
		addText(found, file, text)
	}
	compare(t, found)
}

// addNames notes the retired words of a name that a file declares.
func addNames(found map[use][]string, file, name string) {
	parts := nameParts(name)
	for _, r := range retired {
		whole, exact := strings.CutPrefix(r.old, "=")
		if exact && name == whole || !exact && slices.Contains(parts, r.old) {
			u := use{r.old, path.Dir(file)}
			found[u] = append(found[u], fmt.Sprintf("%s: %s (now: %s)", file, name, r.new))
		}
	}
}

// addText notes the retired words of a text.
func addText(found map[use][]string, file, text string) {
	for _, r := range retiredText {
		for _, word := range r.old.FindAllString(text, -1) {
			u := use{"text:" + strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(word, "s"), " ", "-")), path.Dir(file)}
			found[u] = append(found[u], fmt.Sprintf("%s: %s (now: %s)", file, word, r.new))
		}
	}
}

// declared returns the names that a file declares: its own, its package's, and those of functions, types, fields,
// parameters, and package-level variables and constants.
func declared(s *source) []string {
	names := []string{strings.TrimSuffix(path.Base(s.path), ".go"), s.tree.Name.Name}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			names = append(names, n.Name.Name)
		case *ast.TypeSpec:
			names = append(names, n.Name.Name)
		case *ast.Field:
			for _, id := range n.Names {
				names = append(names, id.Name)
			}
		}
		return true
	})
	for _, d := range s.tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, id := range v.Names {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// nameParts returns the words of a name, in lower case: those of fooBar_BAZQux are foo, bar, baz and qux.
func nameParts(name string) []string {
	var parts []string
	start, runes := 0, []rune(name)
	flush := func(end int) {
		if end > start {
			parts = append(parts, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush(i)
			start = i + 1
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush(i)
		}
	}
	flush(len(runes))
	return parts
}

// documents returns the texts of README, CONTRIBUTING and docs by file. Decisions tell what names once were; CHANGELOG
// does not change what it said.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := make(map[string]string)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && skipped(name) {
				return fs.SkipDir
			}
			return err
		}
		rel, err := filepath.Rel(root, name)
		base := filepath.Base(name)
		if err != nil || filepath.Ext(name) != ".md" || base == "CHANGELOG.md" || base == "decisions.md" {
			return err
		}
		text, err := os.ReadFile(name)
		texts[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil || len(texts) < 5 {
		t.Fatalf("%d documents, %v", len(texts), err)
	}
	return texts
}

// compare holds what was found against testdata/words.txt: word, folder, count, reason.
func compare(t *testing.T, found map[use][]string) {
	t.Helper()
	text, err := os.ReadFile(wordsFile)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	allowed := make(map[use]bool)
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		words := strings.Fields(s.Text())
		if strings.HasPrefix(s.Text(), "#") || len(words) == 0 {
			fmt.Fprintln(&b, s.Text())
			continue
		}
		if len(words) < 4 {
			t.Fatalf("%s: no word, folder, count and reason in %q", wordsFile, s.Text())
		}
		most, err := strconv.Atoi(words[2])
		if err != nil {
			t.Fatalf("%s: %v in %q", wordsFile, err, s.Text())
		}
		u := use{words[0], words[1]}
		n := len(found[u])
		allowed[u] = n <= most
		if n == 0 && !*update {
			t.Errorf("%s: %q has no use any more: run go test ./internal/repolint -update", wordsFile, s.Text())
		}
		if n > 0 {
			fmt.Fprintf(&b, "%s %s %d %s\n", u.word, u.folder, min(n, most), strings.Join(words[3:], " "))
		}
	}
	uses := make([]use, 0, len(found))
	for u := range found {
		uses = append(uses, u)
	}
	slices.SortFunc(uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(a.folder, b.folder))
	})
	for _, u := range uses {
		if !allowed[u] {
			t.Errorf("%s %s %d\n\t%s", u.word, u.folder, len(found[u]), strings.Join(found[u], "\n\t"))
		}
	}
	if *update {
		if err := os.WriteFile(wordsFile, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNameParts(t *testing.T) {
	for name, want := range map[string][]string{
		"fooBar": {"foo", "bar"}, "HTTPServer": {"http", "server"}, "foo_test": {"foo", "test"}, "x2Y": {"x", "y"}, "": nil,
		"signature_of_X": {"signature", "of", "x"}, "ABC": {"abc"},
	} {
		if got := nameParts(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
