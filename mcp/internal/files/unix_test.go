//go:build unix

package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/internal/call"
)

// A name that was a file a moment ago and is a pipe now makes nobody wait.
func TestFilesSwappedForPipe(t *testing.T) {
	root, dir := tree(t, map[string]string{"x": "inside"})
	f := Files{Root: root}
	name, next := filepath.Join(dir, "x"), filepath.Join(dir, "y")
	puts := []func() error{
		func() error { return syscall.Mkfifo(next, 0o644) },
		func() error { return os.WriteFile(next, []byte("inside"), 0o644) },
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		for i := range 400 {
			if err := errors.Join(puts[i%2](), os.Rename(next, name)); err != nil {
				t.Errorf("swapping: %v", err)
				return
			}
		}
	})
	defer wg.Wait()
	for {
		c, err := f.Read(new(call.Call), "x", readWhole)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%+v, %v", c, err)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
