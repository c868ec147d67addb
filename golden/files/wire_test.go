package files_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/files"
	"github.com/mcpgen/mcpgen/golden/internal/transcript"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// pages are the files of the handbook, by path.
var pages = map[string]string{
	"README":                 "Start with index.md.\n",
	"index.md":               "# Handbook\n\nText.\n\n## First day\n\n### Keys\n",
	"rooms/map.svg":          "<svg/>",
	"rooms/south/kitchen.md": "# Kitchen\n",
	"rooms/list.csv":         "room,floor\n",
	"data.bin":               "\x00\x01\xff",
	"broken.md":              "caf\xe9",
	"café 50%/menü #1.md":    "# Menü\n",
	".hidden/secret.md":      "no",
	"rooms/.draft.md":        "no",
}

func newServer(t *testing.T, dir string) *files.FilesServer {
	t.Helper()
	noon := time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)
	for name, text := range pages {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, noon, noon); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	srv, err := files.NewFilesServer(files.FilesImpl{Handbook: &files.Handbook{Pages: root}}, &mcp.Options{PageSize: 5})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// The whole of what the server answers, in each revision.
func TestWire(t *testing.T) {
	t.Attr("requirements", "res-file res-directories")
	start := func(t *testing.T) mcptest.Server { return newServer(t, t.TempDir()) }
	transcript.Run(t, "wire", start, func(c *mcptest.Client, _ protocol.Revision) {
		c.Templates()
		c.List()
		for _, uri := range []string{
			"handbook:///index.md", "handbook:///rooms/list.csv", "handbook:///README", "handbook:///data.bin",
			"handbook:///broken.md",
			"handbook:///rooms", "handbook:///rooms/", "handbook:///", files.PageURI("café 50%/menü #1.md"),
			"outline:///index.md", "outline:///index.md?depth=3", "titles:///",
		} {
			c.ReadContents(uri)
		}
		c.Complete("handbook:///{+path}", "path", "ro")
		c.Complete("handbook:///{+path}", "path", "rooms/")
		for _, uri := range []string{
			"handbook:///none.md", "handbook:///.hidden/secret.md", "handbook:///index.md/x", "handbook:///..%2fx",
			"outline:///rooms",
			"outline:///README", "found:///word", "pictures:///a.png",
		} {
			text, _ := json.Marshal(uri)
			c.Do(protocol.MethodResourcesRead, []byte(`{"uri":`+string(text)+`}`))
		}
	})
}

// An edited page is news to its subscribers, and so is one that goes, or comes back as a directory.
func TestEdits(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "index.md")
	for _, rev := range mcp.Revisions() {
		synctest.Test(t, func(t *testing.T) {
			c := mcptest.New(t, newServer(t, dir), mcptest.WithRevision(rev), mcptest.WithTimeout(time.Hour))
			sub := c.Subscribe(files.PageURI("index.md"))
			for what, edit := range []func() error{
				func() error { return os.WriteFile(page, []byte("new"), 0o644) },
				func() error { return os.Remove(page) },
				func() error { return os.Mkdir(page, 0o755) },
				func() error { return os.Remove(page) },
			} {
				time.Sleep(time.Minute)
				if n := sub.Pending(); n != 0 {
					t.Errorf("%v: %d updates without an edit before edit %d", rev, n, what)
				}
				if err := edit(); err != nil {
					t.Fatal(err)
				}
				sub.Next()
			}
		})
	}
}
