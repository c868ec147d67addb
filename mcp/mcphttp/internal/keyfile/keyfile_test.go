package keyfile

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	path := filepath.Join(t.TempDir(), "keys")
	if _, err := Load(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: %v", err)
	}
}
