package files_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
)

// watchOpens asks the kernel to note whoever opens one of the files. The returned function fails the test
// if somebody did. It opens the first one itself, and tells if that is not noted.
func watchOpens(t *testing.T, paths ...string) (untouched func()) {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Logf("opens are not watched: %v", err)
		return func() {}
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	for _, path := range paths {
		if _, err := syscall.InotifyAddWatch(fd, path, syscall.IN_OPEN|syscall.IN_ACCESS); err != nil {
			t.Logf("opens are not watched: %v", err)
			return func() {}
		}
	}
	noted := func() bool {
		n, err := syscall.Read(fd, make([]byte, 4096))
		if err != nil && !errors.Is(err, syscall.EAGAIN) {
			t.Fatal(err)
		}
		return n > 0
	}
	return func() {
		t.Helper()
		if noted() {
			t.Error("a file outside of the root was opened")
		}
		if _, err := os.ReadFile(paths[0]); err != nil || !noted() {
			t.Logf("this system does not note opens: %v", err)
		}
	}
}

// Pipes, sockets and devices are no files: they are neither listed nor read, and nobody waits for them.
func TestIrregular(t *testing.T) {
	dir, _ := badLands(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Symlink("pipe", filepath.Join(dir, "to-pipe")); err != nil {
		t.Fatal(err)
	}
	c := serve(t, dir, slices.Max(mcp.Revisions()))
	for _, name := range []string{"pipe", "socket", "to-pipe", "pipe/", "pipe/x"} {
		if result, failed := ask(t, c, "handbook:///"+name); !failed {
			t.Errorf("%s is answered: %s", name, result)
		}
	}
	for _, r := range c.List() {
		if !inside[r.URI] {
			t.Errorf("listed: %s", r.URI)
		}
	}
}

// swapper puts one thing after the other in the place of name, until it is stopped.
func swapper(t *testing.T, name string, things ...func(at string) error) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			next := name + ".next"
			if err := errors.Join(things[i%len(things)](next), os.Rename(next, name)); err != nil {
				t.Errorf("swapping: %v", err)
				return
			}
		}
	})
	return sync.OnceFunc(func() { close(done); wg.Wait() })
}

// What has a name may become something else between any two steps of the server: a link that leads out, or a
// pipe that has no writer.
func TestSwaps(t *testing.T) {
	t.Attr("requirements", "res-traversal")
	dir, top := badLands(t)
	untouched := watchOpens(t, filepath.Join(top, "outside.txt"))
	stop := swapper(t, filepath.Join(dir, "x.txt"),
		func(at string) error { return os.WriteFile(at, []byte("inside"), 0o644) },
		func(at string) error { return os.Symlink("../outside.txt", at) },
		func(at string) error { return syscall.Mkfifo(at, 0o644) },
		func(at string) error { return os.Symlink("in/a.txt", at) })
	defer stop()
	// Directories cannot be replaced by a rename, links to them can.
	for name, target := range map[string]string{"d-in": "in", "d-out": "../"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	stopDirs := swapper(t, filepath.Join(dir, "d"),
		func(at string) error { return os.Symlink("in", at) },
		func(at string) error { return os.Symlink("..", at) },
		func(at string) error { return os.Symlink(top, at) })
	defer stopDirs()
	c := serve(t, dir, slices.Max(mcp.Revisions()))
	answered := 0
	for range 300 {
		for _, name := range []string{"x.txt", "d/a.txt", "d/outside.txt", "d", ""} {
			if _, failed := ask(t, c, "handbook:///"+name); !failed {
				answered++
			}
		}
		for _, r := range c.List() {
			if r.Name == "outside.txt" || r.Name == "d/outside.txt" {
				t.Fatalf("listed: %s", r.URI)
			}
		}
	}
	stop()
	stopDirs()
	if answered == 0 {
		t.Error("nothing could be read at all")
	}
	untouched()
}
