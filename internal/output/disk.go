package output

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/scratch"
)

// Disk is the file system of the machine. Paths are relative to the working directory.
type Disk struct{}

// ReadFile reads a file.
func (Disk) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// Remove removes a file.
func (Disk) Remove(path string) error { return os.Remove(path) }

// Glob lists the files that match a pattern.
func (Disk) Glob(pattern string) ([]string, error) { return filepath.Glob(pattern) }

// Sweep removes the temporary files that killed runs have left in a folder.
func (Disk) Sweep(dir string) { scratch.Sweep(dir) }

// Stage writes the data to a temporary file in the same folder, which Commit renames. An existing file keeps its
// permissions. Folders that are made for it go again with Discard.
func (Disk) Stage(path string, data []byte) (Staged, error) {
	made, err := scratch.MkdirAll(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	s := &staged{path: path, made: made}
	if s.tmp, err = scratch.Create(filepath.Dir(path), filepath.Base(path)); err != nil {
		scratch.RemoveEmpty(made)
		return nil, err
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = s.tmp.Write(data)
	if err == nil {
		err = os.Chmod(s.tmp.Name(), mode)
	}
	if err != nil {
		s.Discard()
		return nil, err
	}
	return s, nil
}

// staged is a file that is written but not in its place.
type staged struct {
	path string
	tmp  *os.File
	made []string
}

// Commit implements Staged.
func (s *staged) Commit() error {
	err := scratch.Rename(s.tmp, s.path)
	if err != nil {
		s.Discard()
	}
	return err
}

// Discard implements Staged.
func (s *staged) Discard() {
	_ = errors.Join(s.tmp.Close(), os.Remove(s.tmp.Name()))
	scratch.RemoveEmpty(s.made)
}
