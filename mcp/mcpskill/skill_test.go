package mcpskill_test

import (
	"encoding/json"
	"fmt"
	"maps"
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

// Whatever files are embedded, lists and reads agree: they are made from the files, not from what was generated.
func TestFilesOfNow(t *testing.T) {
	t.Attr("requirements", "skill-entry skill-nested skill-directories")
	files := fstest.MapFS{
		"s/one/SKILL.md": manifest("one"), "s/one/a/b.txt": file("b"), "s/one/a/c d.bin": file("\xff\x00"),
	}
	for name, change := range map[string]func(fstest.MapFS){
		"as generated": func(fstest.MapFS) {},
		"one more":     func(m fstest.MapFS) { m["s/one/a/new.md"] = file("new") },
		"one less":     func(m fstest.MapFS) { delete(m, "s/one/a/b.txt") },
		"a nested one": func(m fstest.MapFS) { m["s/one/two/SKILL.md"] = manifest("two") },
		"empty":        func(m fstest.MapFS) { m["s/one/empty.txt"] = file("") },
	} {
		t.Run(name, func(t *testing.T) {
			now := maps.Clone(files)
			change(now)
			srv, err := newServer(now, mcpskill.Dir{Path: "s/one", URI: "skill://one"})
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

// A skill that is no skill any more is an error of the server, which names the file.
func TestBrokenFiles(t *testing.T) {
	t.Attr("requirements", "skill-file")
	dir := mcpskill.Dir{Path: "s/one", URI: "skill://one"}
	for want, files := range map[string]fstest.MapFS{
		"s/one: open s/one: file does not exist":                         {},
		"s/one: there is no SKILL.md any more: run go generate":          {"s/one/a.txt": file("a")},
		"s/one: SKILL.md:1: the skill `two` is in a directory `one`":     {"s/one/SKILL.md": manifest("two")},
		"s/one: SKILL.md:2: a text without quotes has a colon: quote it": {"s/one/SKILL.md": file("---\nname: a: b\n---\n")},
	} {
		if _, err := newServer(files, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	files := fstest.MapFS{"a/one/SKILL.md": manifest("one"), "b/two/SKILL.md": manifest("two")}
	_, err := newServer(files, mcpskill.Dir{Path: "a/one", URI: "skill://one"},
		mcpskill.Dir{Path: "b/two", URI: "skill://one/two"})
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
		dirs = append(dirs, mcpskill.Dir{Path: name, URI: "skill://" + name})
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
	files, dirs := fstest.MapFS{}, []mcpskill.Dir{}
	for _, at := range []string{"a", "a-b", "a/c"} {
		files[at+"/SKILL.md"] = manifest(at[strings.LastIndex(at, "/")+1:])
		dirs = append(dirs, mcpskill.Dir{Path: at, URI: "skill://" + at})
	}
	if _, err := newServer(files, dirs[:2]...); err != nil {
		t.Error(err)
	}
	want := "there are skills at skill://a and, declared apart, at skill://a/c"
	if _, err := newServer(files, dirs...); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// A package may be a skill itself. Files that are no text are blobs, and advice is no error.
func TestContents(t *testing.T) {
	files := fstest.MapFS{
		"SKILL.md": file("---\nname: one\ndescription: d\nmetadata: {version: 1}\n---\n"),
		"x.bin":    file("\xff\x00"), "x.png": file("text"), "a/1.txt": file("1"),
		".hidden.txt": file("h"),
	}
	srv, err := newServer(files, mcpskill.Dir{Path: ".", URI: "skill://one"})
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
	srv, err := newServer(files, mcpskill.Dir{Path: "one", URI: "skill://one"})
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
				Files: fstest.MapFS{"one/SKILL.md": manifest("one")}, Dirs: []mcpskill.Dir{{Path: "one", URI: "skill://one"}},
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
