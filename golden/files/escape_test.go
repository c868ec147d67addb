package files_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/golden/files"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcptest"
)

// canary lies beside the root, in outside.txt, in a directory whose name begins like that of the root, and in
// a hidden file below the root. No message may hold it.
const canary = "CANARY"

// escapes are what people try instead of a path, as it stands in the URI.
var escapes = []string{
	"../outside.txt", "./../outside.txt", "in/../../outside.txt", "in/%2e%2e/%2e%2e/outside.txt", "..%2foutside.txt",
	"..%2Foutside.txt",
	"%2e%2e/outside.txt", "%2e%2e%2foutside.txt", "%2E%2E%2Foutside.txt", "%252e%252e%252foutside.txt",
	"..%252foutside.txt", "..%5coutside.txt",
	"..%5Coutside.txt", `..\outside.txt`, "in/..%5c..%5coutside.txt", "in%5c..%5c..%5coutside.txt", "....//outside.txt",
	"..././outside.txt",
	"..;/outside.txt", "..%00/outside.txt", "..%c0%afoutside.txt", "..%ef%bc%8foutside.txt", "%c0%ae%c0%ae/outside.txt",
	"../root-evil/outside.txt",
	"/TOP/outside.txt", "%2fTOP%2foutside.txt", "//TOP/outside.txt", "in//..//..//outside.txt", "outside.txt%00",
	"in/a.txt%00../../outside.txt",
	"C:/outside.txt", "C:%5coutside.txt", "C:outside.txt", "c%3a/outside.txt", "//server/share/outside.txt",
	"%5c%5cserver%5cshare%5coutside.txt",
	"%5c%5c%3f%5cC:%5coutside.txt", "%5c%5c.%5cpipe%5cx", "file:///TOP/outside.txt", "file:%2f%2f%2fTOP/outside.txt",
	"~/outside.txt", "~root",
	"CON", "con.txt", "NUL", "nul.md", "COM1", "LPT1.txt", "aux", "CONIN$", "in/NUL", "in/a.txt:stream", "in/a.txt::$DATA",
	"in/a.txt.", "in/a.txt%20",
	"in/a.txt...", "in./a.txt", "in%20/a.txt", ".../outside.txt", "..%20/outside.txt", ".%20./outside.txt", "..", "%2e%2e",
	".", "%2e", "..%2f", "../",
	"proc/self/root/TOP/outside.txt", "self/root", "../../../../../../../../proc/self/environ", "dev/fd/0", "dev/stdin",
	"zero",
	"link", "abs", "chain", "up/outside.txt", "up", "absup/outside.txt", "deep/link", "deep/up/outside.txt", "loop",
	"loop/x", "root", "root/TOP/outside.txt",
	".secret", "in/.secret", "%2esecret", ".secret/", "in/a.txt/../../../outside.txt", "in/a.txt/x", "%0a", "%7f", "%ff",
	"in/%80", "%", "%2", "%zz",
	"{+path}", "$HOME", "$(id)", "`id`", "*", "in/*", "?", "#", "in/a.txt#/../../outside.txt", "%u002e%u002e/outside.txt",
}

// inside are the resources that there are.
var inside = map[string]bool{"handbook:///in/a.txt": true, "handbook:///deep/x": true, "titles:///": true}

// badLands makes a root with links that lead out of it, beside what nobody may read. The names are those of
// the root and of what is around it.
func badLands(t *testing.T) (dir, top string) {
	t.Helper()
	top = t.TempDir()
	dir = filepath.Join(top, "root")
	for name, text := range map[string]string{
		"outside.txt": canary, "root-evil/outside.txt": canary, "root/.secret": canary, "root/in/.secret": canary,
		"root/in/a.txt": "inside",
		"root/deep/x":   "inside",
	} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"link": "../outside.txt", "abs": filepath.Join(top, "outside.txt"), "chain": "link", "up": "..", "absup": top,
		"deep/link": "../../outside.txt",
		"deep/up":   "../..", "loop": "loop", "root": "/proc/self/root", "self": "/proc/self", "dev": "/dev",
		"zero": "/dev/zero", "proc": "/proc",
	} {
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Logf("no link %s: %v", name, err) // Windows asks for a right
		}
	}
	return dir, top
}

// serve returns a client of a server of dir.
func serve(t *testing.T, dir string, rev protocol.Revision) *mcptest.Client {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	srv, err := files.NewFilesServer(files.FilesImpl{Handbook: &files.Handbook{Pages: root}},
		&mcp.Options{ShowErrors: true})
	if err != nil {
		t.Fatal(err)
	}
	return mcptest.New(t, srv, mcptest.WithRevision(rev))
}

// ask reads a URI, and checks that the answer holds nothing that it must not.
func ask(t *testing.T, c *mcptest.Client, uri string) (result []byte, failed bool) {
	t.Helper()
	text, _ := json.Marshal(uri)
	result, fault := c.Do(protocol.MethodResourcesRead, []byte(`{"uri":`+string(text)+`}`))
	if strings.Contains(string(result), canary) || fault != nil && strings.Contains(fault.Error(), canary) {
		t.Errorf("%s: %s, %v", uri, result, fault)
	}
	if code := mcptest.CodeOf(fault); code != 0 && code != -32602 && code != -32002 {
		t.Errorf("%s: %v", uri, fault)
	}
	return result, fault != nil
}

// Nothing outside of the root is read, whatever the URI says: the test of the corpus, in both eras.
func TestEscapes(t *testing.T) {
	t.Attr("requirements", "roots-boundaries res-traversal")
	dir, top := badLands(t)
	untouched := watchOpens(t, filepath.Join(top, "outside.txt"), filepath.Join(top, "root-evil", "outside.txt"),
		filepath.Join(dir, ".secret"), filepath.Join(dir, "in", ".secret"))
	for _, rev := range []protocol.Revision{protocol.Revision20251125, slices.Max(mcp.Revisions())} {
		c := serve(t, dir, rev)
		for _, path := range append(escapes, strings.Repeat("a/", 5000)+"x", strings.Repeat("in/", 63)+"a.txt",
			strings.Repeat("x", 300), strings.Repeat("x", 1<<16)) {
			path = strings.ReplaceAll(path, "/TOP", filepath.ToSlash(top))
			path = strings.ReplaceAll(path, "TOP", url.PathEscape(filepath.ToSlash(top)))
			if runtime.GOOS == "windows" && strings.Contains(path, ":") {
				continue // as a URI it would be another one
			}
			if result, failed := ask(t, c, "handbook:///"+path); !failed && path != "#" && path != "?" {
				t.Errorf("%s is answered: %.300s", path, result)
			}
			c.Do(protocol.MethodCompletionComplete, completeParams(path))
		}
		for _, r := range c.List() {
			if !inside[r.URI] {
				t.Errorf("listed: %s", r.URI)
			}
		}
		if result, failed := ask(t, c, "handbook:///"); failed || !strings.Contains(string(result), `"deep/\nin/\n"`) {
			t.Errorf("the root is %s", result)
		}
		if c.Read("handbook:///in/a.txt") != "inside" {
			t.Error("the one file cannot be read")
		}
	}
	untouched()
}

func completeParams(prefix string) []byte {
	text, _ := json.Marshal(prefix)
	return []byte(`{"ref":{"type":"ref/resource","uri":"handbook:///{+path}"},"argument":{"name":"path","value":` + string(text) + `}}`)
}
