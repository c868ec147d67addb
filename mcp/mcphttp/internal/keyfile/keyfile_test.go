package keyfile

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	made, err := Load(path)
	if err != nil || len(made) != 1 || len(made[0]) != keySize {
		t.Fatalf("a new file has %d keys, %v", len(made), err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	text, _ := os.ReadFile(path)
	second := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	if err := os.WriteFile(path, []byte("\n"+second+"\r\n"+string(text)), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, err := Load(path)
	if err != nil || len(keys) != 2 || keys[0][0] != 7 || !bytes.Equal(keys[1], made[0]) {
		t.Errorf("after rotation: %v, %v", keys, err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestBadFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "no key",
		"# nothing\n":            "no key",
		"# one\nc2hvcnQ=\n":      ":2: want a key",
		"not base64!\n":          ":1: want a key",
		strings.Repeat("x", 1e5): "larger than",
		strings.Repeat(strings.Repeat("A", 24)+"\n", 65): "65 keys",
	} {
		path := filepath.Join(t.TempDir(), "keys")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "c2hvcnQ") {
			t.Errorf("the error has a key: %v", err)
		}
		if left, _ := os.ReadFile(path); string(left) != text {
			t.Errorf("%.20q: the file has changed", text)
		}
	}
}

// Others than the owner can neither read nor write the file.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	path := filepath.Join(t.TempDir(), "keys")
	if _, err := Load(path); err != nil {
		t.Fatal(err)
	}
	for mode, ok := range map[os.FileMode]bool{
		0o600: true, 0o400: true, 0o640: false, 0o620: false, 0o610: false, 0o604: false, 0o602: false, 0o644: false,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %#o: %v", mode, err)
		}
	}
}

// Processes that start at once have the same key, and each new file has one of its own.
func TestMadeAtOnce(t *testing.T) {
	made := make(map[string]bool)
	for range 20 {
		path := filepath.Join(t.TempDir(), "keys")
		var all sync.WaitGroup
		keys := make([]string, 8)
		for i := range keys {
			all.Go(func() {
				got, err := Load(path)
				if err != nil || len(got) != 1 {
					t.Errorf("%d keys, %v", len(got), err)
					return
				}
				keys[i] = string(got[0])
			})
		}
		all.Wait()
		for _, key := range keys {
			if key != keys[0] || made[key] {
				t.Error("two keys for one file, or one for two")
			}
		}
		made[keys[0]] = true
	}
}

// A file that cannot be made whole is not there, so that the next start makes it.
func TestNotMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if _, err := Load(filepath.Join(dir, "keys")); err == nil {
		t.Error("no error without a folder")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "away", "keys"), filepath.Join(dir, "keys")); err != nil {
		t.Skip(err)
	}
	if _, err := Load(filepath.Join(dir, "keys")); err == nil {
		t.Error("no error for a link to nowhere")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// Where there are no hard links a key that is there stays, whoever else is about to make one.
func TestNoLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	var first [][]byte
	link = func(string, string) error {
		link = func(string, string) error { return errors.ErrUnsupported }
		var err error
		if first, err = Load(path); err != nil || len(first) != 1 {
			t.Errorf("the process that is first gets %d keys, %v", len(first), err)
		}
		return errors.ErrUnsupported
	}
	defer func() { link = os.Link }()
	second, err := Load(path)
	if err != nil || len(second) != 1 || !bytes.Equal(first[0], second[0]) {
		t.Errorf("the second process gets %d keys, %v", len(second), err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}
