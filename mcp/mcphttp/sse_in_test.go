package mcphttp

import (
	"fmt"
	"net/http"
	"strings"
)

// HeldBy says what clients and sessions of a handler still hold; "" for nothing.
func HeldBy(h http.Handler) string {
	var b strings.Builder
	x := h.(*handler)
	for r := range x.admit.used {
		if n := x.admit.used[r].Load(); n != 0 {
			fmt.Fprintf(&b, "%d %s; ", n, names[r])
		}
	}
	for i := range x.admit.parts {
		p := &x.admit.parts[i]
		p.mu.Lock()
		for key, u := range p.clients {
			if u.refs != 0 {
				fmt.Fprintf(&b, "%d references to %v; ", u.refs, key)
			}
		}
		p.mu.Unlock()
	}
	if n := x.live.Load(); n != 0 {
		fmt.Fprintf(&b, "%d sessions; ", n)
	}
	x.sse.open.Range(func(any, any) bool {
		b.WriteString("an open stream; ")
		return true
	})
	return b.String()
}
