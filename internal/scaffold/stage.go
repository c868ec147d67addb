package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

// mustBeEmpty reports whether dir exists, which it may only if nothing is in it but what a killed call has left.
func mustBeEmpty(dir string) (exists bool, err error) {
	scratch.Sweep(dir)
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(dir); err == nil {
			return false, fmt.Errorf("%s is a link that leads nowhere", dir)
		}
		return false, nil
	case err != nil:
		return false, err
	case len(entries) > 0:
		return true, fmt.Errorf("%s is not empty; name a new folder", dir)
	}
	return true, nil
}

// stage is the folder in which the files are made. For a new folder it lies beside, and becomes that folder by one
// rename. For an empty one that exists, which may be the working directory, it lies inside and its entries move up.
type stage struct {
	dir    string
	exists bool
	made   []string // folders above dir that were not there
	tmp    *scratch.Dir
	moved  []string
	done   bool
}

func newStage(dir string, exists bool) (*stage, error) {
	s := &stage{dir: dir, exists: exists}
	parent := dir
	if !exists {
		parent = filepath.Dir(filepath.Clean(dir))
		made, err := scratch.MkdirAll(parent)
		if err != nil {
			return nil, err
		}
		s.made = made
		scratch.Sweep(parent)
	}
	var err error
	if s.tmp, err = scratch.MkdirTemp(parent, "new"); err != nil {
		scratch.RemoveEmpty(s.made)
		return nil, err
	}
	if err := os.Mkdir(s.files(), 0o777); err != nil { // the folder above is for us alone
		s.undo()
		return nil, err
	}
	return s, nil
}

// files is the folder that holds the files.
func (s *stage) files() string { return filepath.Join(s.tmp.Path, "files") }

// commit puts the files into their place.
func (s *stage) commit() error {
	if !s.exists {
		// A rename would replace an empty folder that somebody has made meanwhile, and fail if it is not empty.
		if err := os.Rename(s.files(), s.dir); err != nil {
			return err
		}
		s.done = true
		return s.tmp.Remove()
	}
	entries, err := os.ReadDir(s.files())
	if err != nil {
		return err
	}
	for _, e := range entries {
		to := filepath.Join(s.dir, e.Name())
		if _, err := os.Lstat(to); err == nil {
			return fmt.Errorf("%s: %w", to, fs.ErrExist)
		}
		if err := os.Rename(filepath.Join(s.files(), e.Name()), to); err != nil {
			return err
		}
		s.moved = append(s.moved, to)
	}
	s.done = true
	return s.tmp.Remove()
}

// undo removes everything unless commit has come to its end.
func (s *stage) undo() {
	if s.done {
		return
	}
	for _, path := range s.moved {
		_ = os.RemoveAll(path)
	}
	_ = s.tmp.Remove()
	scratch.RemoveEmpty(s.made)
}
