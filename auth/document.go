package auth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// wellKnown is the path at which the document of a resource stands; that of an endpoint with a path has the path
// behind it (RFC 9728, section 3.1).
const wellKnown = "/.well-known/oauth-protected-resource"

// metadataURL is the address of the document of a resource.
func metadataURL(resource string) string {
	u, _ := url.Parse(resource) // checked before
	u.Path, u.RawPath = wellKnown+u.EscapedPath(), ""
	return u.Scheme + "://" + u.Host + u.Path
}

func hostOf(address string) string {
	u, _ := url.Parse(address) // checked before
	return u.Hostname()
}

// document is what RFC 9728 defines.
type document struct {
	Resource        string   `json:"resource"`
	Issuers         []string `json:"authorization_servers"`
	Scopes          []string `json:"scopes_supported,omitempty"`
	Methods         []string `json:"bearer_methods_supported"`
	ProofAlgorithms []string `json:"dpop_signing_alg_values_supported"`
	RequireProof    bool     `json:"dpop_bound_access_tokens_required,omitempty"`
}

// Metadata returns the handler of the document by which clients find the issuer. It stands at the path
// /.well-known/oauth-protected-resource of the host, and at that path with the path of [Options].URL behind it; pages
// of all origins may read it.
func (s *ResourceServer) Metadata() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, _ := url.Parse(s.opts.URL)
		at := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, wellKnown), "/")
		head := w.Header()
		head.Set("Access-Control-Allow-Origin", "*")
		head.Set("X-Content-Type-Options", "nosniff")
		switch {
		case at != "" && at != u.Path && at != mcphttp.Path:
			http.NotFound(w, r)
		case r.Method == http.MethodOptions:
			head.Set("Access-Control-Allow-Methods", "GET, HEAD")
			head.Set("Access-Control-Allow-Headers", "*")
			head.Set("Access-Control-Max-Age", "7200")
			w.WriteHeader(http.StatusNoContent)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			head.Set("Allow", "GET, HEAD, OPTIONS")
			http.Error(w, "the method must be GET", http.StatusMethodNotAllowed)
		default:
			body, _ := json.Marshal(document{
				Resource: s.opts.URL, Issuers: append([]string{s.opts.Issuer}, s.opts.OtherIssuers...), Scopes: s.scopes,
				Methods: []string{"header"}, ProofAlgorithms: algorithmNames(), RequireProof: s.opts.RequireDPoP,
			})
			head.Set("Content-Type", "application/json")
			head.Set("Cache-Control", "max-age=300")
			_, _ = w.Write(body)
		}
	})
}
