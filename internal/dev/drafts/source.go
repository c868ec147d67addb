package main

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // the name that git gives to a file
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// draft is one distinct text of the draft schema.
type draft struct {
	name string // number, date and blob, or the name of the file
	blob string // first digits of its git blob
	data []byte
}

const draftPath = "schema/draft/schema.json"

// readDrafts reads a folder of files, or the history of a git directory.
func readDrafts(ctx context.Context, dir string) ([]draft, error) {
	if files, err := filepath.Glob(filepath.Join(dir, "*.json")); err == nil && len(files) > 0 {
		return readFiles(files)
	}
	log, err := git(ctx, dir, "log", "--format=%H %cs", "--reverse", "--topo-order", "--", draftPath)
	if err != nil {
		return nil, err
	}
	var out []draft
	seen := map[string]bool{}
	for line := range strings.Lines(string(log)) {
		commit, date, _ := strings.Cut(strings.TrimSpace(line), " ")
		data, err := git(ctx, dir, "cat-file", "blob", commit+":"+draftPath)
		if err != nil {
			continue // the commit removes the file
		}
		if blob := blobOf(data); !seen[blob] {
			seen[blob] = true
			out = append(out, draft{name: fmt.Sprintf("%03d %s %s", len(out)+1, date, blob), blob: blob, data: data})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has neither *.json nor a history of %s", dir, draftPath)
	}
	return out, nil
}

func readFiles(files []string) ([]draft, error) {
	var out []draft
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		out = append(out, draft{name: filepath.Base(f), blob: blobOf(data), data: data})
	}
	return out, nil
}

func blobOf(data []byte) string {
	h := sha1.New() //nolint:gosec // as above
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))[:8]
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, stderr.String())
	}
	return out, nil
}
