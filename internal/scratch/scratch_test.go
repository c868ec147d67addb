package scratch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// entries are the names in dir.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestSweep(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks there")
	}
	dir := t.TempDir()
	f, err := Create(dir, "a.go")
	if err != nil {
		t.Fatal(err)
	}
	d, err := MkdirTemp(dir, "new")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.Path, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, ".a.go.tmp")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if Sweep(dir); len(entries(t, dir)) != 3 {
		t.Errorf("what is in use was removed: %q", entries(t, dir))
	}
	_ = f.Close()
	_ = d.held.Close()
	if Sweep(dir); len(entries(t, dir)) != 1 {
		t.Errorf("left: %q", entries(t, dir))
	}
	Sweep(filepath.Join(dir, "absent"))
}

// A link with such a name leads to files that are not ours.
func TestLinksAreLeftAlone(t *testing.T) {
	dir, target := t.TempDir(), t.TempDir()
	link := filepath.Join(dir, "x"+mark+"1"+end)
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	Sweep(dir)
	if _, err := os.Stat(link); err != nil {
		t.Error(err)
	}
}

// TestSweepAgainstMakers: sweeps at any moment take nothing from those who make and rename files meanwhile.
func TestSweepAgainstMakers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no locks there")
	}
	dir := t.TempDir()
	stop := make(chan struct{})
	var sweepers, makers sync.WaitGroup
	sweepers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				Sweep(dir)
			}
		}
	})
	for i := range 4 {
		makers.Go(func() {
			for j := range 200 {
				f, err := Create(dir, "f")
				if err == nil {
					err = os.Rename(f.Name(), filepath.Join(dir, fmt.Sprint(i, "-", j)))
					_ = f.Close()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	makers.Wait()
	close(stop)
	sweepers.Wait()
	if n := len(entries(t, dir)); n != 800 {
		t.Errorf("%d files, want 800", n)
	}
}

// TestKilled: the lock of a process that was killed is free, also while its children live on.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("SCRATCH_DIR"); dir != "" {
		if _, err := MkdirTemp(dir, "killed"); err != nil {
			t.Fatal(err)
		}
		fmt.Println("made")
		time.Sleep(time.Hour)
	}
	if runtime.GOOS == "windows" {
		t.Skip("no locks there")
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "SCRATCH_DIR="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if Sweep(dir); len(entries(t, dir)) != 1 {
		t.Error("what a live process holds was removed")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if Sweep(dir); len(entries(t, dir)) != 0 {
		t.Error("what a killed process held is still there")
	}
}
