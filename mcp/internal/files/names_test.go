package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A walk through a large directory reads it once, or once for each part that is kept, not once for each page. What is
// there all the time is listed once, while other files come and go.
func TestWalkIsLinear(t *testing.T) {
	const n, size = 20_000, 100
	name := func(i int) string { return fmt.Sprintf("f%05d", i) }
	files := map[string]string{}
	for i := range n {
		files[name(i)] = ""
	}
	root, dir := tree(t, files)
	for most, reads := range map[int]int{0: 1, 5000 * (6 + nameOverhead): 5} {
		l := Walk(func() Files { return Files{Root: root, URI: plainURI} }).(*fileInstances)
		l.names.most = most
		listedTimes := map[string]int{}
		next, pages := "", 0
		for {
			refs, to, err := listedFiles(t, l, next, size)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range refs {
				listedTimes[r.Name]++
			}
			if next, pages = to, pages+1; next == "" {
				break
			}
			come, gone := fmt.Sprintf("f%05d-%d-%d", 97*pages%n, most, pages), name(7919*pages%n)
			if err := errors.Join(os.WriteFile(filepath.Join(dir, come), nil, 0o600), os.Remove(filepath.Join(dir, gone)),
				os.WriteFile(filepath.Join(dir, gone), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			delete(files, gone) // may be missed, or not
		}
		for f := range files {
			if listedTimes[f] != 1 {
				t.Fatalf("%s is listed %d times", f, listedTimes[f])
			}
		}
		if got := int(l.names.read.Load()); got > reads*(n+3*pages) {
			t.Errorf("%d entries read for %d files on %d pages, want %d reads of the directory", got, n, pages, reads)
		}
		if l.names.bytes > max(most, n*(6+nameOverhead)+100*pages) {
			t.Errorf("%d bytes are kept", l.names.bytes)
		}
	}
}
