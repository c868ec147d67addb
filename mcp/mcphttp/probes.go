package mcphttp

import (
	"net/http"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// Live returns a handler for liveness probes. It responds with 200.
func Live() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		web.EndSoon(w, web.AnswerTimeout)
		w.WriteHeader(http.StatusOK)
	})
}

// Ready returns a handler for readiness probes. It responds with 200, and with 503 and a line that says why once srv is
// closing. With [mcp.Options].Bus there are more reasons for 503: the other replicas do not hear this one yet, it has
// not heard itself for 30 seconds, its key or its clock differs from those of the others, or it hears fewer than half
// of [mcp.Options].Replicas. The /readyz of a [Command] responds with 503 before srv is closing; see [Command.Run].
func Ready(srv Server) http.Handler { return ready((*server.Server)(srv.Base()), nil) }

// ready returns a handler that responds with 503 while s is not ready, and after the channel ending was closed. ending
// may be nil.
func ready(s *server.Server, ending <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		web.EndSoon(w, web.AnswerTimeout)
		why := server.Unready(s)
		select {
		case <-ending:
			why = "it is going to close"
		default:
		}
		if why != "" {
			http.Error(w, "not ready: "+why, http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusOK)
	})
}

// notFound answers requests for paths of the server at which there is nothing. It names the path of the endpoint.
func notFound(w http.ResponseWriter, _ *http.Request) {
	web.EndSoon(w, web.AnswerTimeout)
	web.WriteText(w, http.StatusNotFound, "There is nothing at this path. The MCP endpoint is at "+Path+".\n")
}
