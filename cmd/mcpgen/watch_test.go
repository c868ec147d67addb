package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkWatch measures the time from an edit of a small package to its new output under -watch, which looks at the
// files every 300 ms.
func BenchmarkWatch(b *testing.B) {
	dir := b.TempDir()
	cmd := exec.Command(annotatedModule(b, dir), "-watch", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod -ldflags=-w", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	source, err := os.ReadFile(filepath.Join(dir, "a.go"))
	if err != nil {
		b.Fatal(err)
	}
	edit := func(i int) {
		day := fmt.Sprintf("message of day %d", i)
		text := bytes.Replace(source, []byte("message of the day"), []byte(day), 1)
		if err := os.WriteFile(filepath.Join(dir, "a.go"), text, 0o600); err != nil {
			b.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			if out, _ := os.ReadFile(filepath.Join(dir, "mcp_gen.go")); bytes.Contains(out, []byte(day+".")) {
				return
			}
			if time.Now().After(end) {
				b.Fatalf("%q is not in the output", day)
			}
		}
	}
	edit(0)
	i := 0
	for b.Loop() {
		i++
		edit(i)
	}
}
