package output

import (
	"os"
	"path/filepath"
)

// Disk is the file system of the machine. Paths are relative to the working directory.
type Disk struct{}

// ReadFile reads a file.
func (Disk) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// Remove removes a file.
func (Disk) Remove(path string) error { return os.Remove(path) }

// Glob lists the files that match a pattern.
func (Disk) Glob(pattern string) ([]string, error) { return filepath.Glob(pattern) }

// Replace writes the data to a temporary file in the same folder and renames it. An
// existing file keeps its permissions.
func (Disk) Replace(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(data)
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), mode)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	return err
}
