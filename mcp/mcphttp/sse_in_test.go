package mcphttp

import (
	"net/http"
)

// HeldBy says what clients and sessions of a handler still hold; "" for nothing.
func HeldBy(h http.Handler) string { return h.(*handler).admit.Held() }
