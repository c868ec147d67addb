package safelog_test

import (
	"bytes"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/safelog"
)

// However many records strangers cause, few are written, and none is missing from the counts.
func TestSparse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		l := slog.New(slog.NewTextHandler(&b, nil))
		var s safelog.Sparse
		const records, seconds = 10_000, 10
		for range seconds {
			for range records / seconds {
				s.Log(l, slog.LevelWarn, "refused", "host", "x")
			}
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		s.Log(l, slog.LevelDebug, "refused")
		written, left := strings.Count(b.String(), "host=x"), 0
		for line := range strings.Lines(b.String()) {
			if _, n, ok := strings.Cut(strings.TrimSpace(line), "left_out="); ok {
				more, err := strconv.Atoi(n)
				if err != nil {
					t.Fatal(err)
				}
				left += more
			}
		}
		if written < 20 || written > 20+seconds || written+left != records {
			t.Errorf("%d written, %d left out, of %d", written, left, records)
		}
	})
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain äöü 世界":                    "plain äöü 世界",
		"a\nb\x1b[0m":                     `a\nb\x1b[0m`,
		"a\u0085\u009b\u007fb":            `a\u0085\u009b\x7fb`,
		"a\u202eb\u2066\u200f":            `a\u202eb\u2066\u200f`,
		"a\u2028\ufeff\u00ad":             `a\u2028\ufeff\u00ad`,
		"a\xffb":                          `a\xffb`,
		"a\U000e0041":                     `a\U000e0041`,
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaäb": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa…",
	} {
		if got := safelog.Text(in, 30); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { safelog.Text("plain", 30) }); n > 0 {
		t.Errorf("%v allocations for a plain text", n)
	}
}
