package mcphttp

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// Names of the headers of cross-origin requests (the Fetch standard), as net/http spells them.
const (
	originHeader         = "Origin"
	askedMethodHeader    = "Access-Control-Request-Method"
	askedHeadersHeader   = "Access-Control-Request-Headers"
	askedPrivateHeader   = "Access-Control-Request-Private-Network"
	allowedOriginHeader  = "Access-Control-Allow-Origin"
	allowedPrivateHeader = "Access-Control-Allow-Private-Network"
)

const (
	// methods are the methods of the endpoint, for browsers.
	methods = "POST, GET, DELETE"
	// preflightAge is how long a browser may remember that it may call; no browser takes more.
	preflightAge = 2 * time.Hour
	// maxAskedHeaders bounds how many headers of one preflight are read.
	maxAskedHeaders = 100
)

// Values of headers that are the same for all responses, so that they cost no allocation.
var (
	// exposed are the headers of responses that a page may read, besides those that every page may.
	exposed = []string{web.SessionHeader + ", WWW-Authenticate, Retry-After"}
	vary    = []string{originHeader}
	// varyPreflight has the request headers on which the answer to a preflight depends.
	varyPreflight = []string{strings.Join([]string{originHeader, askedMethodHeader, askedHeadersHeader,
		askedPrivateHeader}, ", ")}
)

// pageHeaders are the headers that a page may send besides those of [Options.AllowedHeaders] and the Mcp-Param- ones.
var pageHeaders = []string{
	"Accept", "Authorization", "Content-Type", web.LastEventHeader, web.MethodHeader, web.NameHeader,
	web.VersionHeader, web.SessionHeader,
}

// admitPage lets a web page read the response to its request. The origin of the page must be allowed.
func admitPage(w http.ResponseWriter, r *http.Request) {
	origin := r.Header[originHeader]
	if len(origin) == 0 || origin[0] == "" {
		return // no page of a browser
	}
	head := w.Header()
	head[allowedOriginHeader] = origin
	head["Access-Control-Expose-Headers"] = exposed
	head["Vary"] = vary
}

// options answers OPTIONS: preflights, by which a browser asks whether a page may send a request, and requests for the
// allowed methods. Preflights are not authenticated, so the response does not depend on the caller.
func (h *handler) options(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	if r.Header.Get(originHeader) == "" || r.Header.Get(askedMethodHeader) == "" {
		head.Set("Allow", methods+", OPTIONS")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	head["Vary"] = varyPreflight
	head.Set("Access-Control-Allow-Methods", methods)
	head.Set("Access-Control-Allow-Headers", pageHeadersOf(h.opts, r.Header[askedHeadersHeader]))
	head.Set("Access-Control-Max-Age", strconv.Itoa(int(preflightAge.Seconds())))
	if r.Header.Get(askedPrivateHeader) == "true" {
		head.Set(allowedPrivateHeader, "true")
	}
	w.WriteHeader(http.StatusNoContent)
}

// pageHeadersOf lists the headers that a page may send. asked are those that the page wants to send.
func pageHeadersOf(opts Options, asked []string) string {
	list := slices.Concat(pageHeaders, opts.AllowedHeaders)
	names := strings.SplitN(strings.Join(asked, ","), ",", maxAskedHeaders+1)
	for _, name := range names[:min(len(names), maxAskedHeaders)] {
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		if strings.HasPrefix(name, web.ParamPrefix) && isToken(name) {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// isToken reports whether s can be the name of a header (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return s != "" && strings.Trim(s, letters+"0123456789!#$%&'*+-.^_`|~") == ""
}

// checkOrigin returns an error for a text that is no origin, and so would match no request.
func checkOrigin(origin string) error {
	if origin == "*" || origin == "null" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" ||
		u.Fragment != "" {
		return &originError{origin}
	}
	return nil
}

// originError is the error for a text that is no origin.
type originError struct{ origin string }

// Error implements error.
func (e *originError) Error() string {
	return "mcphttp: " + strconv.Quote(e.origin) +
		" is no origin: want scheme://host or scheme://host:port without a path, such as https://app.example.com"
}
