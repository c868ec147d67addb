// Package scratch makes temporary files and folders that a later run removes if this process was killed.
//
// The name identifies their owner, and the owner holds a lock (flock) while it uses them. The kernel releases the lock
// with the process, so an entry that can be locked is not used any more. On systems without such locks, entries older
// than a day are removed.
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	mark = ".mcpgen-"
	end  = ".tmp"
	// stale is the age of what nobody needs any more, where locks do not tell.
	stale = 24 * time.Hour
	// tries is how often a name may be lost to a sweep that comes between making and locking.
	tries = 100
)

// errLocked says that somebody else holds the lock.
var errLocked = errors.New("locked by another process")

// Create makes a file in dir with a name made from base, hidden from the go command, and holds it until it is closed.
// The caller renames or removes it.
func Create(dir, base string) (*os.File, error) {
	return hold(func() (*os.File, error) { return os.CreateTemp(dir, "."+base+mark+"*"+end) })
}

// Dir is a temporary folder.
type Dir struct {
	Path string
	held *os.File
}

// MkdirTemp makes a folder in dir, or in the folder of the system for temporary files if dir is empty, with a name made
// from base, and holds it until it is removed or released.
func MkdirTemp(dir, base string) (*Dir, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	f, err := hold(func() (*os.File, error) {
		path, err := os.MkdirTemp(dir, base+mark+"*"+end)
		if err != nil {
			return nil, err
		}
		return os.Open(path)
	})
	if err != nil {
		return nil, err
	}
	return &Dir{Path: f.Name(), held: f}, nil
}

// With calls f with a new temporary folder, which it removes when f returns, and returns what f does. It first removes
// the folders of processes that have died. Without a folder it panics: it is for TestMain
// and [Main].
func With(base string, f func(dir string) int) int {
	Sweep("")
	dir, err := MkdirTemp("", base)
	if err != nil {
		panic(err)
	}
	defer dir.Remove() //nolint:errcheck // the next sweep removes it
	return f(dir.Path)
}

// Main runs a program that needs a temporary folder, and ends the process: with 1 and what f says if f fails.
func Main(name string, f func(dir string) error) {
	os.Exit(With(name, func(dir string) int {
		if err := f(dir); err != nil {
			fmt.Fprintln(os.Stderr, name+":", err)
			return 1
		}
		return 0
	}))
}

// Rename puts a held file into its place and lets it go.
func Rename(f *os.File, path string) error {
	if runtime.GOOS == "windows" { // where an open file cannot be renamed
		if err := f.Close(); err != nil {
			return err
		}
		return os.Rename(f.Name(), path)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return f.Close()
}

// MkdirAll makes a folder and those that it lies in, and returns those that were not there, outermost first.
func MkdirAll(dir string) (made []string, err error) {
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append([]string{d}, made...)
	}
	for i, d := range made {
		if err := os.Mkdir(d, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			RemoveEmpty(made[:i])
			return nil, err
		}
	}
	return made, nil
}

// RemoveEmpty removes folders that MkdirAll has made, as long as nothing is in them.
func RemoveEmpty(made []string) {
	for _, d := range slices.Backward(made) {
		_ = os.Remove(d)
	}
}

// Remove removes the folder with all that is in it.
func (d *Dir) Remove() error {
	return errors.Join(os.RemoveAll(d.Path), d.held.Close())
}

// hold makes something and locks it. A sweep that comes in between takes it away; then it is made again.
func hold(create func() (*os.File, error)) (*os.File, error) {
	for range tries {
		f, err := create()
		if errors.Is(err, fs.ErrNotExist) && f == nil {
			if _, statErr := os.Stat(filepath.Dir(pathOf(err))); statErr == nil {
				continue // swept between making and opening
			}
		}
		if err != nil {
			return nil, err
		}
		if !errors.Is(lock(f), errLocked) && present(f) {
			return f, nil
		}
		_ = f.Close()
		_ = os.RemoveAll(f.Name())
	}
	return nil, errors.New("temporary files are taken away as they are made")
}

func pathOf(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Path
	}
	return "."
}

// present reports whether f still has its name.
func present(f *os.File) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(is, named)
}

// Sweep removes what killed runs have left in dir, or in the folder of the system for temporary files if dir is empty.
// What cannot be removed, such as files of other users, stays without an error: the next run tries again.
func Sweep(dir string) {
	if dir == "" {
		dir = os.TempDir()
	}
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	_ = d.Close()
	for _, name := range names {
		if Is(name) {
			sweep(filepath.Join(dir, name))
		}
	}
}

// Is reports whether a file name is one that this package gives.
func Is(name string) bool { return strings.Contains(name, mark) && strings.HasSuffix(name, end) }

func sweep(path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return // a link or a device, which nobody here has made
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	switch err := lock(f); {
	case errors.Is(err, errLocked):
		return
	case err != nil:
		if info, statErr := f.Stat(); statErr != nil || time.Since(info.ModTime()) < stale {
			return
		}
	}
	_ = os.RemoveAll(path)
}
