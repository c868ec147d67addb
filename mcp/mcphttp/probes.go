package mcphttp

import (
	"net/http"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
)

// Live returns a handler for liveness probes. It responds with 200.
func Live() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		endSoon(w, defaultAnswerTimeout)
		w.WriteHeader(http.StatusOK)
	})
}

// Ready returns a handler for readiness probes. It responds with 200, and with 503 once srv is closing. The /readyz of
// a [Command] responds with 503 before that; see [Command.Run].
func Ready(srv Server) http.Handler { return ready((*server.Server)(srv.Base()).Stopping()) }

// ready answers 503 once any of the channels is closed.
func ready(ends ...<-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		endSoon(w, defaultAnswerTimeout)
		status := http.StatusOK
		for _, end := range ends {
			select {
			case <-end:
				status = http.StatusServiceUnavailable
			default:
			}
		}
		w.WriteHeader(status)
	})
}
