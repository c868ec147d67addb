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
	b.WriteString(x.admit.Held())
	if n := x.sessions.Count(); n != 0 {
		fmt.Fprintf(&b, "%d sessions; ", n)
	}
	x.sse.open.Range(func(any, any) bool {
		b.WriteString("an open stream; ")
		return true
	})
	return b.String()
}
