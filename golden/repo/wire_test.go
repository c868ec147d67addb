package repo_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/golden/repo"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// work is a working copy that tests commit to, an hour after the other.
type work struct {
	t    *testing.T
	dir  string
	git  *git.Repository
	hour int
}

// newWork returns a repository with two commits, a branch whose name has a slash, and an annotated tag.
func newWork(t *testing.T) *work {
	t.Helper()
	w := &work{t: t, dir: t.TempDir()}
	var err error
	w.git, err = git.PlainInit(w.dir, false)
	w.check(err)
	w.commit("first steps", map[string]string{"README.md": "# Repo\n", "cmd/main.go": "package main\n",
		"logo.gif": "GIF89a\x00\x01"})
	head, err := w.git.Head()
	w.check(err)
	w.check(w.git.Storer.SetReference(plumbing.NewHashReference("refs/heads/feature/old", head.Hash())))
	_, err = w.git.CreateTag("v1.0.0", head.Hash(), &git.CreateTagOptions{Tagger: w.someone(), Message: "the first"})
	w.check(err)
	w.commit("say more\n\nAnd why.", map[string]string{"README.md": "# Repo\n\nMore.\n", "cmd/a b.txt": "a\n",
		".ci/run": "go test\n"})
	return w
}

func (w *work) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *work) someone() *object.Signature {
	return &object.Signature{Name: "Ada", Email: "ada@example.com",
		When: time.Date(2026, 7, 28, 9+w.hour, 0, 0, 0, time.UTC)}
}

// commit writes files and commits them.
func (w *work) commit(message string, files map[string]string) {
	w.t.Helper()
	tree, err := w.git.Worktree()
	w.check(err)
	for name, text := range files {
		w.check(os.MkdirAll(filepath.Join(w.dir, filepath.Dir(name)), 0o700))
		w.check(os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600))
		_, err := tree.Add(name)
		w.check(err)
	}
	_, err = tree.Commit(message, &git.CommitOptions{Author: w.someone()})
	w.check(err)
	w.hour++
}

func (w *work) server(opts *mcp.Options) *repo.RepoServer {
	w.t.Helper()
	r, err := repo.Open(w.dir)
	w.check(err)
	srv, err := repo.NewRepoServer(repo.RepoImpl{Repo: r}, opts)
	w.check(err)
	return srv
}

// What clients see that know only tools: each template is one, with its variables as arguments.
func TestWireTools(t *testing.T) {
	start := func(t *testing.T) mcptest.Server { return newWork(t).server(nil) }
	transcript.Run(t, "tools", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Do(protocol.MethodToolsList, nil)
		for _, params := range []string{
			`{"name":"list_resources"}`,
			`{"name":"read_resource","arguments":{"uri":"git:///files/HEAD/README.md"}}`,
			`{"name":"read_file","arguments":{"ref":"feature/old","path":"cmd/main.go"}}`,
			`{"name":"read_file","arguments":{"ref":"HEAD","path":"cmd/a b.txt"}}`,
			`{"name":"read_file","arguments":{"ref":"HEAD","path":"no.txt"}}`,
			`{"name":"read_file","arguments":{"ref":"HEAD","path":"../up"}}`,
			`{"name":"read_file","arguments":{"path":["a"],"line":1}}`,
			`{"name":"read_tree","arguments":{"ref":"v1.0.0","path":"cmd"}}`,
			`{"name":"read_commit","arguments":{"hash":"HEAD"}}`,
			`{"name":"read_commit"}`,
			`{"name":"read_refs"}`,
		} {
			c.Do(protocol.MethodToolsCall, json.RawMessage(params))
		}
	})
}

// The whole of what the server answers, in each revision.
func TestWire(t *testing.T) {
	start := func(t *testing.T) mcptest.Server { return newWork(t).server(nil) }
	transcript.Run(t, "wire", start, func(c *mcptest.Client, rev protocol.Revision) {
		if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
			c.Do(protocol.MethodServerDiscover, nil)
		}
		c.Templates()
		for _, resource := range c.List() {
			c.ReadContents(resource.URI)
		}
		for _, uri := range []string{
			"git:///trees/HEAD", "git:///trees/master/cmd", "git:///trees/feature%2Fold", "git:///files/v1.0.0/README.md",
			"git:///files/feature%2Fold/cmd/main.go",
			"git:///files/HEAD/cmd/a%20b.txt", "git:///files/HEAD/.ci/run",
		} {
			c.ReadContents(uri)
		}
		for _, uri := range []string{
			"git:///files/HEAD/none.go", "git:///files/HEAD/cmd", "git:///files/none/README.md",
			"git:///files/HEAD~1/README.md", "git:///trees/HEAD/README.md",
			"git:///files/HEAD/../README.md", "git:///files/..%2FHEAD/README.md", "git:///commits/abc",
			"git:///commits/0123456789012345678901234567890123456789",
		} {
			c.Do(protocol.MethodResourcesRead, []byte(`{"uri":"`+uri+`"}`))
		}
	})
}

// Refs first, then paths of that ref, folder by folder.
func TestCompletions(t *testing.T) {
	const files, trees = "git:///files/{ref}/{+path}", "git:///trees/{ref}/{+path}"
	start := func(t *testing.T) mcptest.Server { return newWork(t).server(nil) }
	transcript.Run(t, "completions", start, func(c *mcptest.Client, rev protocol.Revision) {
		if rev < protocol.Revision20250326 {
			return
		}
		c.Complete(files, "ref", "")
		c.Complete(trees, "ref", "f")
		c.Complete("git:///trees/{ref}", "ref", "v")
		c.Complete("git:///commits/{hash}", "hash", "")
		c.Complete(files, "path", "")
		if rev < protocol.Revision20250618 {
			return
		}
		c.Complete(files, "path", "", "ref", "v1.0.0")
		c.Complete(files, "path", "cmd/", "ref", "master")
		c.Complete(files, "path", "cmd/m", "ref", "feature/old")
		c.Complete(files, "path", ".ci/", "ref", "HEAD")
		c.Complete(trees, "path", "", "ref", "master")
		c.Complete(files, "path", "none/", "ref", "master")
		c.Complete(files, "path", "../", "ref", "master")
		c.Complete(files, "path", "", "ref", "none")
	})
}

// A commit that somebody makes is seen by those who are subscribed to the refs.
func TestNewCommit(t *testing.T) {
	for _, rev := range mcp.Revisions() {
		synctest.Test(t, func(t *testing.T) {
			w := newWork(t)
			c := mcptest.New(t, w.server(nil), mcptest.WithRevision(rev), mcptest.WithTimeout(time.Hour))
			before, sub := c.Read("git:///refs"), c.Subscribe("git:///refs")
			w.commit("third", map[string]string{"new.txt": "x"})
			sub.Next()
			if c.Read("git:///refs") == before || c.Read("git:///files/HEAD/new.txt") != "x" {
				t.Errorf("%v: the commit cannot be read", rev)
			}
		})
	}
}

// What is listed can be read, page by page, and nothing is listed of a repository without a commit.
func TestLists(t *testing.T) {
	w := newWork(t)
	for i := range 3 {
		w.commit("more", map[string]string{"more.txt": string(rune('a' + i))})
	}
	c := mcptest.New(t, w.server(&mcp.Options{PageSize: 2}))
	var uris []string
	for _, r := range c.List() {
		uris = append(uris, r.URI)
		if c.ReadContents(r.URI) == nil {
			t.Errorf("%s is empty", r.URI)
		}
	}
	if len(uris) != 1+5+6 || len(slices.Compact(slices.Sorted(slices.Values(uris)))) != len(uris) {
		t.Errorf("got %q", uris)
	}
	empty := &work{t: t, dir: t.TempDir()}
	_, err := git.PlainInit(empty.dir, true)
	w.check(err)
	if list := mcptest.New(t, empty.server(nil)).List(); len(list) != 1 {
		t.Errorf("an empty repository lists %v", list)
	}
	if _, err := repo.Open(t.TempDir()); err == nil {
		t.Error("a folder without a repository is opened")
	}
}

// A large file is refused with a reason instead of being loaded.
func TestLargeFile(t *testing.T) {
	w := newWork(t)
	w.commit("large", map[string]string{"large.bin": string(make([]byte, 4<<20+1))})
	r, err := repo.Open(w.dir)
	w.check(err)
	if _, err := r.File(context.Background(), "HEAD", "large.bin"); err == nil ||
		err.Error() != "the file has 4194305 bytes, at most 4194304 are served" {
		t.Errorf("got %v", err)
	}
}
