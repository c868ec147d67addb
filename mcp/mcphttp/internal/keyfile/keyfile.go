// Package keyfile keeps the keys of a server in a file, which it creates if necessary.
//
// The file has one key on each line, in base64, and comments that begin with #. The first key seals, all of them open.
package keyfile

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	keySize = 32
	minKey  = 16
	maxFile = 64 << 10
	maxKeys = 64
)

// head is what a new file begins with.
const head = "# Keys of an MCP server. The first seals, all of them open. To change it, put a new line above:\n" +
	"#   head -c 32 /dev/urandom | base64\n" +
	"# and remove the old line a day later. Whoever can read this file can forge the ids of sessions.\n"

// Load returns the keys of a file. If there is no file, it creates one with a random key; two processes that do so at
// the same time get the same key. On Unix a file that others than its owner can read or write is an error.
func Load(path string) ([][]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(path); err != nil {
			return nil, err
		}
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s has the mode %#o, so others than its owner have the keys: run chmod 600 %[1]s", path, mode)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d bytes: it is no file of keys", path, maxFile)
	}
	return parse(path, string(text))
}

func parse(path, text string) (keys [][]byte, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(key) < minKey {
			return nil, fmt.Errorf("%s:%d: want a key of %d bytes or more in base64", path, number, minKey)
		}
		keys = append(keys, key)
	}
	switch {
	case len(keys) == 0:
		return nil, fmt.Errorf("%s has no key: remove the file, so that it is made again", path)
	case len(keys) > maxKeys:
		return nil, fmt.Errorf("%s has %d keys: want %d at most", path, len(keys), maxKeys)
	}
	return keys, nil
}

// link is os.Link, which a file system may not have.
var link = os.Link

// create makes a file with one key. It is there with all of its text or not at all, where there are hard links.
func create(path string) error {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	text := head + base64.StdEncoding.EncodeToString(key) + "\n"
	f, err := os.CreateTemp(filepath.Dir(path), ".keys-*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = io.WriteString(f, text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	err = link(f.Name(), path)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist): // another process was first
		return nil
	}
	return createExclusive(path, text)
}

// createExclusive creates the file on file systems without hard links. Another process may find the file empty for a
// moment, which is an error there. A rename would be worse: it could replace the key of a process that serves already.
func createExclusive(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
