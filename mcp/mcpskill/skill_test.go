package mcpskill_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
	"github.com/mcpgen/mcpgen/mcp/mcpskill"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func manifest(name string) *fstest.MapFile {
	return file("---\nname: " + name + "\ndescription: About " + name + ".\n---\n")
}

// at is a directory as it is in generated code: with each SKILL.md that the generator read in it.
func at(dir, uri string, manifests ...mcpskill.Manifest) mcpskill.Dir {
	if manifests == nil {
		manifests = append(manifests, read("SKILL.md", path.Base(uri)))
	}
	return mcpskill.Dir{Path: dir, URI: uri, Manifests: manifests}
}

// read is what the generator reads of manifest(name).
func read(file, name string) mcpskill.Manifest {
	block := "name: " + name + "\ndescription: About " + name + ".\n"
	return mcpskill.Manifest{
		Path:        file,
		Frontmatter: fmt.Sprintf(`{"name": %q, "description": "About %s."}`, name, name),
		Digest:      fmt.Sprintf("%x", sha256.Sum256([]byte(block))),
	}
}

func newServer(files fstest.MapFS, dirs ...mcpskill.Dir) (*mcp.Server, error) {
	f := mcpskill.Add(&mcprt.Features{Info: protocol.Implementation{Name: "s", Version: "1"}}, nil,
		mcpskill.Skills{Files: files, Dirs: dirs})
	return mcprt.NewServer(f, nil)
}

// list returns the files of all skills, the entries of all directories below uri, and the resources.
func lists(t *testing.T, c *mcptest.Client, uri string) (skills, dirs, resources []string) {
	t.Helper()
	do := func(method, params string, out any) {
		t.Helper()
		text, fault := c.Do(method, json.RawMessage(params))
		if fault != nil {
			t.Fatal(fault)
		}
		if err := json.Unmarshal(text, out); err != nil {
			t.Fatal(err)
		}
	}
	var all struct {
		Skills []struct{ Resources []struct{ URI string } }
	}
	cursor := ""
	for {
		var page struct {
			Skills     []struct{ Resources []struct{ URI string } }
			NextCursor string
		}
		do("skills/list", `{"cursor":"`+cursor+`"}`, &page)
		all.Skills = append(all.Skills, page.Skills...)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	for _, k := range all.Skills {
		for _, r := range k.Resources {
			skills = append(skills, r.URI)
		}
	}
	for below := []string{uri}; len(below) > 0; below = below[1:] {
		var page struct{ Resources []protocol.Resource }
		do("resources/directory/read", `{"uri":"`+below[0]+`"}`, &page)
		for _, r := range page.Resources {
			if r.MIMEType == "inode/directory" {
				below = append(below, r.URI)
			} else {
				dirs = append(dirs, r.URI)
			}
		}
	}
	for _, r := range c.List() {
		resources = append(resources, r.URI)
	}
	slices.Sort(skills)
	return slices.Compact(skills), dirs, resources
}

// Whatever files are embedded, lists and reads agree: they are made from the files, not from what was generated. Of a
// SKILL.md, only the frontmatter is as generated.
func TestFilesOfNow(t *testing.T) {
	t.Attr("requirements", "skill-entry skill-nested skill-directories")
	files := fstest.MapFS{
		"s/one/SKILL.md": manifest("one"), "s/one/a/b.txt": file("b"), "s/one/a/c d.bin": file("\xff\x00"),
		"s/one/two/SKILL.md": manifest("two"),
	}
	body := string(manifest("one").Data) + "Another body\n"
	for name, change := range map[string]func(fstest.MapFS){
		"as generated": func(fstest.MapFS) {},
		"one more":     func(m fstest.MapFS) { m["s/one/a/new.md"] = file("new") },
		"one less":     func(m fstest.MapFS) { delete(m, "s/one/a/b.txt") },
		"empty":        func(m fstest.MapFS) { m["s/one/empty.txt"] = file("") },
		"a new body":   func(m fstest.MapFS) { m["s/one/SKILL.md"] = file(body) },
		"of Windows": func(m fstest.MapFS) {
			m["s/one/SKILL.md"] = file("\ufeff" + strings.ReplaceAll(body, "\n", "\r\n"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			now := maps.Clone(files)
			change(now)
			srv, err := newServer(now, at("s/one", "skill://one", read("SKILL.md", "one"), read("two/SKILL.md", "two")))
			if err != nil {
				t.Fatal(err)
			}
			c := mcptest.New(t, srv)
			skills, dirs, resources := lists(t, c, "skill://one")
			slices.Sort(dirs)
			slices.Sort(resources)
			if len(skills) != len(now) || !slices.Equal(skills, dirs) || !slices.Equal(skills, resources) {
				t.Errorf("skills %v\ndirectories %v\nresources %v", skills, dirs, resources)
			}
			for _, uri := range skills {
				if got := c.ReadContents(uri); len(got) != 1 {
					t.Errorf("%s: %v", uri, got)
				}
			}
		})
	}
}

// A SKILL.md that is not as the generator read it is an error of the server, which names the file.
func TestBrokenFiles(t *testing.T) {
	t.Attr("requirements", "skill-file")
	dir := at("s/one", "skill://one")
	changed := "s/one: the frontmatter of SKILL.md was changed after the code was generated: run go generate"
	for _, test := range []struct {
		want  string
		files fstest.MapFS
	}{
		{"s/one: open s/one: file does not exist", fstest.MapFS{}},
		{"s/one: there is no SKILL.md any more: run go generate", fstest.MapFS{"s/one/a.txt": file("a")}},
		{changed, fstest.MapFS{"s/one/SKILL.md": manifest("two")}},
		{changed, fstest.MapFS{"s/one/SKILL.md": file("---\nname: one\ndescription: About one!\n---\n")}},
		{changed, fstest.MapFS{"s/one/SKILL.md": file("name: one\n")}},
		{changed, fstest.MapFS{"s/one/SKILL.md": file("---\nname: one\ndescription: About one.\n")}},
		{"s/one: a/two/SKILL.md was added after the code was generated: run go generate", fstest.MapFS{
			"s/one/SKILL.md": manifest("one"), "s/one/a/two/SKILL.md": manifest("two"),
		}},
	} {
		if _, err := newServer(test.files, dir); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
	broken := read("SKILL.md", "one")
	broken.Frontmatter = "{"
	_, err := newServer(fstest.MapFS{"s/one/SKILL.md": manifest("one")}, at("s/one", "skill://one", broken))
	if err == nil || !strings.Contains(err.Error(), "s/one: SKILL.md: ") {
		t.Error(err)
	}
	files := fstest.MapFS{"a/one/SKILL.md": manifest("one"), "b/two/SKILL.md": manifest("two")}
	_, err = newServer(files, at("a/one", "skill://one"), at("b/two", "skill://one/two"))
	want := "there are skills at skill://one and, declared apart, at skill://one/two"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// Pages are bounded in entries and in bytes, and together they have all.
func TestPages(t *testing.T) {
	files := fstest.MapFS{}
	var dirs []mcpskill.Dir
	for i := range 150 {
		name := fmt.Sprintf("s%03d", i)
		files[name+"/SKILL.md"] = manifest(name)
		dirs = append(dirs, at(name, "skill://"+name))
	}
	for i := range 400 {
		name := strings.Repeat("x", 200)
		for _, of := range []string{"s000", "s001", "s002", "s003", "s004", "s005"} {
			files[fmt.Sprintf("%s/%s%d.txt", of, name, i)] = file("x")
		}
	}
	srv, err := newServer(files, dirs...)
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, srv)
	seen, pages, largest, cursor := map[string]bool{}, 0, 0, ""
	for more := true; more; more = cursor != "" {
		text, fault := c.Do("skills/list", json.RawMessage(`{"cursor":"`+cursor+`"}`))
		if fault != nil {
			t.Fatal(fault)
		}
		var page struct {
			Skills     []struct{ URI string }
			NextCursor string
		}
		if err := json.Unmarshal(text, &page); err != nil {
			t.Fatal(err)
		}
		for _, k := range page.Skills {
			if seen[k.URI] {
				t.Errorf("%s is on two pages", k.URI)
			}
			seen[k.URI] = true
		}
		cursor, pages, largest = page.NextCursor, pages+1, max(largest, len(text))
	}
	if len(seen) != 150 || pages < 3 || largest > 512<<10 {
		t.Errorf("%d skills on %d pages of at most %d bytes", len(seen), pages, largest)
	}
}

// Directories are apart if none lies in another, whatever is between them in the order of their addresses.
func TestApart(t *testing.T) {
	files := fstest.MapFS{"a/SKILL.md": manifest("a"), "a-b/SKILL.md": manifest("a-b"), "a/c/SKILL.md": manifest("c")}
	dirs := []mcpskill.Dir{
		at("a", "skill://a", read("SKILL.md", "a"), read("c/SKILL.md", "c")), at("a-b", "skill://a-b"),
		at("a/c", "skill://a/c"),
	}
	if _, err := newServer(files, dirs[:2]...); err != nil {
		t.Error(err)
	}
	want := "there are skills at skill://a and, declared apart, at skill://a/c"
	if _, err := newServer(files, dirs...); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// A package may be a skill itself. Files that are no text are blobs.
func TestContents(t *testing.T) {
	files := fstest.MapFS{
		"SKILL.md": manifest("one"),
		"x.bin":    file("\xff\x00"), "x.png": file("text"), "a/1.txt": file("1"),
		".hidden.txt": file("h"),
	}
	srv, err := newServer(files, at(".", "skill://one"))
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, srv)
	for name, want := range map[string]string{
		"x.bin": `"blob":"/wA="`, "x.png": `"blob":"dGV4dA=="`, "a/1.txt": `"text":"1"`, ".hidden.txt": `"text":"h"`,
	} {
		got, fault := c.Do("resources/read", json.RawMessage(`{"uri":"skill://one/`+name+`"}`))
		if fault != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %s %v, want %s", name, got, fault, want)
		}
	}
}

// A cursor is of the directory that it was returned for.
func TestCursorsOfDirectories(t *testing.T) {
	t.Attr("requirements", "skill-directory")
	files := fstest.MapFS{"one/SKILL.md": manifest("one")}
	for i := range 300 {
		files[fmt.Sprintf("one/a/%d.txt", i)] = file("a")
		files[fmt.Sprintf("one/b/%d.txt", i)] = file("b")
	}
	srv, err := newServer(files, at("one", "skill://one"))
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.New(t, srv)
	text, fault := c.Do("resources/directory/read", json.RawMessage(`{"uri":"skill://one/a"}`))
	if fault != nil {
		t.Fatal(fault)
	}
	var page struct{ NextCursor string }
	if err := json.Unmarshal(text, &page); err != nil || page.NextCursor == "" {
		t.Fatalf("%v, %.200s", err, text)
	}
	for uri, refused := range map[string]bool{"skill://one/a": false, "skill://one/b": true} {
		_, fault := c.Do("resources/directory/read", json.RawMessage(`{"uri":"`+uri+`","cursor":"`+page.NextCursor+`"}`))
		if (fault != nil) != refused {
			t.Errorf("%s: %v", uri, fault)
		}
	}
}

// The limits that a server has for all are those of each method of skills.
func TestGuardOfMethods(t *testing.T) {
	for method, params := range map[string]string{
		"skills/list": `{}`, "skills/get": `{"uri":"skill://one/SKILL.md"}`,
		"resources/directory/read": `{"uri":"skill://one"}`,
	} {
		f := mcpskill.Add(&mcprt.Features{Info: protocol.Implementation{Name: "s", Version: "1"}},
			&mcprt.Guard{Limit: mcprt.Limit{Rate: 1, Burst: 1, Per: 24 * time.Hour}}, mcpskill.Skills{
				Files: fstest.MapFS{"one/SKILL.md": manifest("one")}, Dirs: []mcpskill.Dir{at("one", "skill://one")},
			})
		srv, err := mcprt.NewServer(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := mcptest.New(t, srv)
		for _, refused := range []bool{false, true} {
			if _, fault := c.Do(method, json.RawMessage(params)); (fault != nil) != refused {
				t.Errorf("%s: %v", method, fault)
			}
		}
	}
}
