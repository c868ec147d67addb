package uri

import (
	"strings"
	"testing"
)

func FuzzKey(f *testing.F) {
	for _, raw := range []string{"~", "%7e", "a%2fb", "%25", "%", "%4", "a%20b"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var v Vars
		if strings.Contains(raw, "?") || !v.Split("a:///"+raw) {
			return
		}
		key := string(appendSpelled(nil, raw))
		v.Set(0, raw)
		v.Set(1, key)
		a, _ := v.Decoded(0)
		b, ok := v.Decoded(1)
		if ok && a != b {
			t.Errorf("%q is %q, and its key %q is %q", raw, a, key, b)
		}
	})
}
