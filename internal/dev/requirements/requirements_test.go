package requirements

import (
	"flag"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/requirement"
	"github.com/mcpgen/mcpgen/schema"
)

const root = "../../.."

func readTable(t *testing.T) *requirement.Table {
	t.Helper()
	table, err := requirement.Read()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// A row that servers or their authors answer is named by a test, and what a test names is a row.
func TestRowsHaveProofs(t *testing.T) {
	all, rows := findProofs(t), map[string]bool{}
	for _, r := range readTable(t).Rows {
		rows[r.ID] = true
		if (r.Decision == requirement.Met || r.Decision == requirement.Author) && len(all.of[r.ID]) == 0 {
			t.Errorf("%s:%d: no test names %s; one that proves it calls t.Attr(%q, %q)", r.File, r.Line, r.ID, attribute, r.ID)
		}
	}
	for id, tests := range all.of {
		if !rows[id] {
			t.Errorf("%s %s proves %s, which is no row", tests[0].folder, tests[0].name, id)
		}
	}
	for _, problem := range all.problems {
		t.Error(problem)
	}
}

var (
	diagnosticForm = regexp.MustCompile(`^MCP\d{3}$`)
	symbolForm     = regexp.MustCompile(`^([a-z]+)\.([A-Z][A-Za-z.]*)$`)
)

// Every directive, option, diagnostic and name that a row gives to authors exists.
func TestRowsNameMeans(t *testing.T) {
	for _, r := range readTable(t).Rows {
		for _, by := range r.By {
			if problem := means(t, by); problem != "" {
				t.Errorf("%s:%d: %s: %s: %s", r.File, r.Line, r.ID, by, problem)
			}
		}
	}
}

// means says what is wrong with one thing that is given to authors; empty if it exists.
func means(t *testing.T, by string) string {
	t.Helper()
	if name, ok := strings.CutPrefix(by, directive.Prefix); ok {
		name, option, _ := strings.Cut(name, " ")
		def := directive.Lookup(name)
		switch {
		case def == nil:
			return "there is no such directive"
		case option != "" && def.Option(option) == nil:
			return "the directive has no such option"
		}
		return ""
	}
	if diagnosticForm.MatchString(by) {
		if _, ok := diag.Find(by); !ok {
			return "there is no such diagnostic"
		}
		return ""
	}
	if word, ok := strings.CutPrefix(by, "tag "); ok {
		return contains(t, "docs/tags.md", `mcp:"`+word)
	}
	m := symbolForm.FindStringSubmatch(by)
	if m == nil {
		return "it is neither a directive nor a diagnostic, a tag or a name of a package"
	}
	for _, listing := range []string{"api/mcp-" + m[1] + ".txt", "api/" + m[1] + ".txt"} {
		if exists(listing) {
			return contains(t, listing, " "+m[2])
		}
	}
	for _, dir := range []string{"mcp/" + m[1], m[1]} {
		if exists(dir) {
			return declared(t, dir, m[2][strings.LastIndex(m[2], ".")+1:])
		}
	}
	return "there is no such package"
}

// declared says that no file of a folder has a name; empty if one has.
func declared(t *testing.T, dir, name string) string {
	t.Helper()
	word, found := regexp.MustCompile(`\b`+name+`\b`), false
	eachFile(t, dir, func(file string, _ *ast.File) { found = found || word.MatchString(text(t, file)) })
	if !found {
		return dir + " does not have it"
	}
	return ""
}

func contains(t *testing.T, file, want string) string {
	t.Helper()
	if !strings.Contains(text(t, file), want) {
		return file + " does not have it"
	}
	return ""
}

// text is a file of the repository.
func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var update = flag.Bool("update", false, "write docs/requirements.md again")

// The page is what the table says.
func TestPage(t *testing.T) {
	name := filepath.Join(root, "docs", "requirements.md")
	want := readTable(t).Markdown(findProofs(t).names())
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := text(t, "docs/requirements.md"); got != want {
		t.Error("docs/requirements.md is not what the table says; go test ./internal/dev/requirements -update writes it")
	}
}

// Every page of every revision has rows, or a reason to have none.
func TestPagesAreDecided(t *testing.T) {
	schemas, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	var dates []string
	for _, s := range schemas {
		dates = append(dates, s.Revision)
	}
	table := readTable(t)
	for _, problem := range table.Check(dates) {
		t.Error(problem)
	}
	if len(table.Rows) < 250 {
		t.Errorf("there are %d rows, fewer than 250", len(table.Rows))
	}
	if got := table.Check([]string{"2031-01-01"}); len(got) != 1 || !strings.Contains(got[0].Error(), "2031-01-01") {
		t.Errorf("a revision that nobody knows: %v", got)
	}
}
