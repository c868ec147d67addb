package load

import (
	"os/exec"
	"testing"
)

const benchPackage = `
-- a.go --
package m

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
)

//mcp:resource uri=notes:///{name}
func Note(ctx context.Context, name string) (json.RawMessage, error) { http.Get(""); return nil, nil }

//mcp:list of=Note
func List(ctx context.Context) iter.Seq2[NoteRef, error] { return nil }
`

// BenchmarkLoad is to be compared with BenchmarkGoList: the budget is 1.6 times
// that.
func BenchmarkLoad(b *testing.B) {
	dir := unpack(b, archive(benchPackage))
	for b.Loop() {
		if r := loadDir(b, dir); r.Diags.Len() > 0 {
			b.Fatal(printed(b, r, dir))
		}
	}
}

// BenchmarkGoList is what the go command needs for the same package.
func BenchmarkGoList(b *testing.B) {
	dir := unpack(b, archive(benchPackage))
	for b.Loop() {
		cmd := exec.Command("go", "list", "-e", "-export", "-deps", "./...")
		cmd.Dir = dir
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
