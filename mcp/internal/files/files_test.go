package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
)

// canary is what lies outside of the root. No answer may hold it.
const canary = "CANARY outside of the root"

// tree makes a directory with the given files and returns its root and its path. Beside it lies
// outside.txt with the canary.
func tree(t testing.TB, files map[string]string) (*os.Root, string) {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "root")
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(top, "outside.txt"), []byte(canary),
		0o644)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, dir
}

func plainURI(path string) string { return "f:///" + path }

func readWhole(file fs.File) (content.Contents, error) { return content.AsStream(file, nil) }

// content is the first piece of contents, as text.
func contentOf(c content.Contents) string {
	if content.ValueOf(&c).Kind != content.KindMany || len(content.ValueOf(&c).Many) != 1 {
		return "?"
	}
	return content.ValueOf(&c).Many[0].Text + string(content.ValueOf(&c).Many[0].Blob)
}

func TestFilesRead(t *testing.T) {
	t.Attr("requirements", "res-encoding res-utf8")
	root, _ := tree(t, map[string]string{
		"a.md": "# A", "b.md": "\xff", "c": "plain", "d": "\x00", "e.png": "text", "F.JSON": "{}", "sub/g.unknown": "g",
		"empty": "",
	})
	f := Files{Root: root}
	for path, want := range map[string]string{
		"a.md": "text/markdown text # A", "b.md": "text/markdown blob \xff", "c": "text/plain text plain",
		"d":     "application/octet-stream blob \x00",
		"e.png": "image/png blob text", "F.JSON": "application/json text {}", "sub/g.unknown": "text/plain text g",
		"empty": "text/plain text ",
	} {
		c, err := f.Read(new(call.Call), path, readWhole)
		if err != nil || len(content.ValueOf(&c).Many) != 1 {
			t.Errorf("%s: %+v, %v", path, c, err)
			continue
		}
		form := " text "
		if content.ValueOf(&c).Many[0].Blob != nil {
			form = " blob "
		}
		if got := content.ValueOf(&c).Many[0].MIMEType + form + contentOf(c); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{"", ".", "sub", "sub/", "none", "a.md/x"} {
		if c, err := f.Read(new(call.Call), path, readWhole); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %+v, %v", path, c, err)
		}
	}
	if _, err := (Files{}).Read(new(call.Call), "a.md", readWhole); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a root: %v", err)
	}
	// The declaration knows better.
	f.MIMEType = "text/x"
	if c, err := f.Read(new(call.Call), "a.md", readWhole); err != nil || content.ValueOf(&c).Kind != content.KindBlob {
		t.Errorf("%+v, %v", c, err)
	}
}

// Contents that a method made of a file are its own, and so are its errors.
func TestFilesOwnContents(t *testing.T) {
	root, _ := tree(t, map[string]string{"a.md": "# A"})
	f := Files{Root: root}
	c, err := f.Read(new(call.Call), "a.md", func(fs.File) (content.Contents,
		error) {
		return content.Many(content.Content{MIMEType: "x/y", Text: "mine"}), nil
	})
	if err != nil || content.ValueOf(&c).Many[0].MIMEType != "x/y" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = f.Read(new(call.Call), "a.md", func(fs.File) (content.Contents, error) {
		return content.Text("upper"),
			nil
	}); err != nil ||
		contentOf(c) != "upper" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err = f.Read(new(call.Call), "a.md", func(fs.File) (content.Contents, error) {
		return content.Contents{}, nil
	}); err != nil ||
		content.ValueOf(&c).Kind != content.KindNone {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err = f.Read(new(call.Call), "a.md", func(fs.File) (content.Contents, error) {
		return content.Contents{}, io.ErrNoProgress
	}); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

// A file that is too large ends with an error, but parts of it can be read.
func TestFilesAreBounded(t *testing.T) {
	t.Attr("requirements", "res-binary-care")
	root, _ := tree(t, map[string]string{"exact.txt": "0123456789", "more.txt": "0123456789x"})
	f := Files{Root: root}
	c := new(call.Call)
	c.Init(call.Request{Base: WithLimit(t.Context(), 10)}, protocol.Latest, 0)
	if c, err := f.Read(c, "exact.txt", readWhole); err != nil || contentOf(c) != "0123456789" {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := f.Read(c, "more.txt", readWhole); !errors.Is(err, errTooLarge) {
		t.Errorf("%+v, %v", c, err)
	}
	tail := func(file fs.File) (content.Contents, error) {
		if _, err := file.(io.Seeker).Seek(-3, io.SeekEnd); err != nil {
			return content.Contents{}, err
		}
		return content.AsStream(file, nil)
	}
	if c, err := f.Read(c, "more.txt", tail); err != nil || contentOf(c) != "89x" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestFilesDirectories(t *testing.T) {
	t.Attr("requirements", "res-read-many res-directories")
	root, dir := tree(t, map[string]string{"b.md": "", "a/x": "", "a/.y": "", ".git/z": "", "empty/.keep": ""})
	link(t, filepath.Join(dir, "..", "outside.txt"), filepath.Join(dir, "out"))
	link(t, "b.md", filepath.Join(dir, "in"))
	f := Files{Root: root, Directories: true}
	for path, want := range map[string]string{"": "a/\nb.md\nempty/\nin\n", ".": "a/\nb.md\nempty/\nin\n", "a": "x\n",
		"a/": "x\n", "empty": ""} {
		c, err := f.Read(new(call.Call), path, nil)
		if err != nil || contentOf(c) != want || content.ValueOf(&c).Many[0].MIMEType != "inode/directory" {
			t.Errorf("%q: %+v, %v", path, c, err)
		}
	}
	for _, path := range []string{".git", "b.md/", "/", "a//", "..", "out"} {
		if c, err := f.Read(new(call.Call), path, readWhole); path != "b.md/" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %+v, %v", path, c, err)
		}
	}
}

// link makes a symbolic link, or skips the test where that is not allowed.
func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip(err)
	}
}

func walkPages(t *testing.T, f Files, size int) (pages [][]string) {
	t.Helper()
	l := Walk(func() Files { return f })
	for from := ""; ; {
		refs, next, err := listedFiles(t, l, from, size)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range refs {
			names = append(names, r.Name)
		}
		pages = append(pages, names)
		if next == "" {
			return pages
		}
		if next == from || len(pages) > 1000 {
			t.Fatalf("no progress behind %q", from)
		}
		from = next
	}
}

// Pages of every size give the same list: by names, directory by directory.
func TestWalk(t *testing.T) {
	want := []string{"a/b/c", "a/b.txt", "a.txt", "a0", "b/x/y/z", "c"}
	files := map[string]string{".hid/den": "", "a/.x": "", "a/b/.y/z": ""}
	for _, name := range want {
		files[name] = "x"
	}
	root, dir := tree(t, files)
	if err := os.MkdirAll(filepath.Join(dir, "b", "empty", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := Files{Root: root, URI: plainURI}
	for size := 1; size < 9; size++ {
		pages := walkPages(t, f, size)
		if got := slices.Concat(pages...); !slices.Equal(got, want) {
			t.Errorf("size %d: %q", size, got)
		}
		for _, p := range pages[:len(pages)-1] {
			if len(p) != size {
				t.Errorf("size %d: %q", size, pages)
			}
		}
	}
	if got := walkPages(t, Files{}, 2); len(got) != 1 || len(got[0]) != 0 {
		t.Errorf("without a root: %q", got)
	}
}

// A large directory is not held at once, and nothing of it is lost.
func TestWalkLarge(t *testing.T) {
	files := map[string]string{}
	var want []string
	for i := range 3*nameBatch + 7 {
		name := "f" + strconv.Itoa(i)
		files[name] = ""
		want = append(want, name)
	}
	slices.Sort(want)
	root, _ := tree(t, files)
	if got := slices.Concat(walkPages(t, Files{Root: root, URI: plainURI}, 999)...); !slices.Equal(got, want) {
		t.Errorf("%d names, want %d", len(got), len(want))
	}
}

// The list goes on where it was, whatever happened to the entry meanwhile.
func TestWalkWhileFilesGo(t *testing.T) {
	root, dir := tree(t, map[string]string{"a/1": "", "a/2": "", "b/1": "", "c": ""})
	l := Walk(func() Files { return Files{Root: root, URI: plainURI} })
	_, next, err := listedFiles(t, l, "", 1)
	if err != nil || next != "a/1" {
		t.Fatal(next, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{next, "a/1/deeper", "a", "a/../../b", "\x00", "a//"} {
		refs, _, err := listedFiles(t, l, from, 10)
		if err != nil || len(refs) < 2 || refs[len(refs)-2].Name != "b/1" || refs[len(refs)-1].Name != "c" {
			t.Errorf("from %q: %+v, %v", from, refs, err)
		}
	}
}

// Links that stay inside are files; those that leave, and those to directories, are not listed.
func TestWalkLinks(t *testing.T) {
	root, dir := tree(t, map[string]string{"a.txt": "in", "sub/b.txt": ""})
	link(t, "a.txt", filepath.Join(dir, "l1"))
	link(t, "../a.txt", filepath.Join(dir, "sub", "l2"))
	link(t, "l1", filepath.Join(dir, "l3"))
	link(t, "sub", filepath.Join(dir, "l4"))
	link(t, ".", filepath.Join(dir, "sub", "loop"))
	link(t, "self", filepath.Join(dir, "self"))
	link(t, filepath.Join("..", "outside.txt"), filepath.Join(dir, "o1"))
	link(t, filepath.Join(dir, "a.txt"), filepath.Join(dir, "o2"))
	link(t, "../../outside.txt", filepath.Join(dir, "sub", "o3"))
	link(t, "o1", filepath.Join(dir, "o4"))
	link(t, "gone", filepath.Join(dir, "o5"))
	f := Files{Root: root, URI: plainURI}
	got := slices.Concat(walkPages(t, f, 2)...)
	if want := []string{"a.txt", "l1", "l3", "sub/b.txt", "sub/l2"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	for _, path := range []string{"l1", "sub/l2", "l3", "l4/l2", "sub/loop/loop/l2"} {
		if c, err := f.Read(new(call.Call), path, readWhole); err != nil || contentOf(c) != "in" {
			t.Errorf("%s: %+v, %v", path, c, err)
		}
	}
	for _, path := range []string{"self", "o1", "o2", "sub/o3", "o4", "o5", "l4/o3"} {
		if c, err := f.Read(new(call.Call), path, readWhole); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %+v, %v", path, c, err)
		}
	}
}

// What begins with a dot does not exist, whatever link leads to it: it is not read, listed or completed, nor named in
// its directory.
func TestLinksToHidden(t *testing.T) {
	t.Attr("requirements", "completion-access")
	root, dir := tree(t, map[string]string{"a.txt": "in", ".env": canary, ".git/config": canary, "sub/.key": canary,
		"sub/b.txt": "in"})
	for name, target := range map[string]string{
		"env": ".env", "again": "env", "git": ".git", "config": ".git/config", "key": "sub/.key", "deep": "sub/../.env",
		"sub/up": "../.env", "sub/dir": "../.git", "twice": "git/config", "sub/back": "../sub/./.key",
		"good": "./sub/../a.txt", "sub/good": ".././a.txt", "dirs": "sub/",
	} {
		link(t, target, filepath.Join(dir, filepath.FromSlash(name)))
	}
	f := Files{Root: root, URI: plainURI, Directories: true}
	for _, path := range []string{"env", "again", "git", "git/config", "config", "key", "deep", "sub/up", "sub/dir",
		"sub/dir/config", "twice", "sub/back", "dirs/up"} {
		if c, err := f.Read(new(call.Call), path, readWhole); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %+v, %v", path, c, err)
		}
	}
	for _, path := range []string{"good", "sub/good", "dirs/good"} {
		if c, err := f.Read(new(call.Call), path, readWhole); err != nil || contentOf(c) != "in" {
			t.Errorf("%s: %+v, %v", path, c, err)
		}
	}
	const want = "a.txt good sub/b.txt sub/good"
	if got := strings.Join(slices.Concat(walkPages(t, f, 100)...), " "); got != want {
		t.Errorf("listed %q, want %q", got, want)
	}
	if c, err := f.Read(new(call.Call), "", readWhole); err != nil || contentOf(c) != "a.txt\ndirs/\ngood\nsub/\n" {
		t.Errorf("the directory is %q, %v", contentOf(c), err)
	}
	l := Walk(func() Files { return f }).(feature.InstanceCompleter)
	for prefix, want := range map[string]string{"": "a.txt dirs/ good sub/", "sub/": "sub/b.txt sub/good"} {
		if got, err := l.Complete(t.Context(), prefix); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q is completed by %q, %v", prefix, got, err)
		}
	}
}

func TestCompleteFiles(t *testing.T) {
	root, dir := tree(t, map[string]string{"rooms/a": "", "rooms/b/c": "", "rooms/.d": "", "roof": "", "x": ""})
	link(t, filepath.Join("..", "outside.txt"), filepath.Join(dir, "rogue"))
	l := Walk(func() Files { return Files{Root: root, URI: plainURI} }).(feature.InstanceCompleter)
	for prefix, want := range map[string]string{
		"": "roof rooms/ x", "ro": "roof rooms/", "rooms": "rooms/", "rooms/": "rooms/a rooms/b/", "rooms/b/": "rooms/b/c",
		"rooms/b/c": "rooms/b/c",
		"z":         "", "..": "", "../": "", "rooms/../": "", "/": "", ".": "", "roof/": "", "none/": "", "rooms//": "",
	} {
		got, err := l.Complete(t.Context(), prefix)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q, %v, want %q", prefix, got, err, want)
		}
	}
}

// What Windows does not take literally is nothing to clients, on every system that this is tested on.
func TestPlainOnWindows(t *testing.T) {
	for _, name := range []string{
		"CON", "con", "Con.txt", "con .txt", "PRN", "AUX.tar.gz", "nul", "COM1", "com9.log", "LPT0", "COM¹", "conin$",
		"CLOCK$",
		"a.", "a ", "a. .", "a:b", "c:", "a.txt::$DATA", "what?", "a*", "a|b", "<a>", `"a"`,
	} {
		if plainOnWindows(name) {
			t.Errorf("%q is plain", name)
		}
	}
	for _, name := range []string{"a", "a.b", "console", "COM", "COM10", "LPTX", "com-1", "nulls.txt", "a b.txt", "é",
		"CON-1"} {
		if !plainOnWindows(name) {
			t.Errorf("%q is not plain", name)
		}
	}
}

// takenRefs are the references of a page.
type takenRefs []feature.Ref

func (r *takenRefs) Take(ref *feature.Ref) {
	*r = append(*r, feature.Ref{URI: bytes.Clone(ref.URI), Name: ref.Name, Info: ref.Info})
}

func (r *takenRefs) Restart() { *r = nil }

// listedFiles returns the references of a page.
func listedFiles(t *testing.T, l feature.Instances, from string, size int) (refs takenRefs, next string, err error) {
	t.Helper()
	to := feature.PageBuilder{To: &refs}
	next, err = l.List(t.Context(), from, size, &to)
	if to.Count() != len(refs) {
		t.Errorf("counted %d of %v", to.Count(), refs)
	}
	return refs, next, err
}
