package uri

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// FuzzVars takes any URI apart in every way that generated routers do.
func FuzzVars(f *testing.F) {
	for _, s := range []string{
		"a://h/x-y.md?n=1&n=2&m", "a:///x/y/z/?n", "urn:isbn:1?n=%31&%6e=2", "a://" + strings.Repeat("/s", 20),
		"a:///report-1-2.md", "a:?&&n=&n", "a:///%2e%2e/-.md",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		var v Vars
		if !v.Split(uri) {
			return
		}
		last := v.Back(1)
		if v.N <= len(v.Seg) && !v.Opaque && !strings.Contains(v.Seg[v.N-1], "/") && last != v.Seg[v.N-1] {
			t.Fatalf("%q: the last segment is %q, not %q", uri, v.Seg[v.N-1], last)
		}
		if v.TakeParts(0, last, "", "-", ".md") {
			if joined := v.raw[0] + "-" + v.raw[1] + ".md"; joined != last || v.raw[0] == "" || v.raw[1] == "" {
				t.Fatalf("%q is taken apart as %q", last, joined)
			}
		}
		if v.TakeSpan(2, 1, 1) && v.raw[2]+"/"+last != v.Tail(1) {
			t.Fatalf("%q: the span is %q", uri, v.raw[2])
		}
		v.TakeRest(3, 1)
		checkParams(t, &v)
	})
}

// checkParams compares a list of parameters with a plain reading of the query.
func checkParams(t *testing.T, v *Vars) {
	var want, got []string
	for part := range strings.SplitSeq(v.Query, "&") {
		k, value, _ := strings.Cut(part, "=")
		if plain, ok := wire.Unescape(k); part != "" && (ok && plain == "n" || !ok && k == "n") {
			want = append(want, value)
		}
	}
	v.TakeParams(1, "n")
	for range v.Each(1) {
		got = append(got, v.raw[1])
	}
	if !slices.Equal(got, want) {
		t.Fatalf("query %q: got %q, want %q", v.Query, got, want)
	}
	for range v.Each(1) {
		_ = v.Text(1, "n")
	}
}

// What a query costs grows with it, not with its square: each value is copied once. The least of some looks counts,
// because other goroutines of the tests may allocate at the same time.
func TestParamsCostWhatTheyWeigh(t *testing.T) {
	uri := "a:?" + strings.Repeat("n=1&", 16_000)
	least := uint64(math.MaxUint64)
	for range 10 {
		var before, after runtime.MemStats
		var v Vars
		runtime.ReadMemStats(&before)
		if !v.Split(uri) {
			t.Fatal("not a URI")
		}
		v.TakeParams(0, "n")
		for range v.Each(0) {
			_ = v.Text(0, "n")
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	if least > 4*64<<10 {
		t.Errorf("a URI of 64 KiB costs %d bytes", least)
	}
}
