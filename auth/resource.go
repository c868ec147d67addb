package auth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

const (
	// maxToken is the size of a token in bytes.
	maxToken = 16 << 10
	// maxScopes bounds the scopes of a caller.
	maxScopes = 1000
)

// ResourceServer decides by access tokens who calls a server. It is safe for concurrent use.
type ResourceServer struct {
	opts    Options
	issuers map[string]*issuer
	checks  *checks
	traded  *cache[Exchanged]
	proofs  proofs
	asking  *places // of questions to the issuer

	scopes, first []string // of the document and of the first challenge
	metadataURL   string
}

// New returns a resource server. It makes no request: issuers are asked when the first token arrives. An option that
// is missing or out of range is an error.
func New(opts Options) (*ResourceServer, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &ResourceServer{opts: opts, issuers: make(map[string]*issuer), checks: newChecks(),
		traded: newCache[Exchanged](maxRemembered), asking: newPlaces(maxAsked), first: opts.Scopes}
	for _, id := range append([]string{opts.Issuer}, opts.OtherIssuers...) {
		s.issuers[id] = newIssuer(id, opts.HTTPClient)
	}
	s.metadataURL = metadataURL(opts.URL)
	return s, nil
}

// Secure sets the options by which srv serves the callers of tokens only: Authenticate, StepUp and Middleware, and
// the host of [Options].URL as an allowed one. Requests of other programs need [ResourceServer.Metadata] at its
// paths. Call it once, before the server serves.
func (s *ResourceServer) Secure(srv mcphttp.Server, o *mcphttp.Options) {
	all, hidden := mcphttp.Scopes(srv)
	s.scopes = offered(all)
	if s.first == nil {
		s.first = offered(hidden)
	}
	o.Authenticate, o.StepUp = s.Authenticate, s.stepUp
	inner := o.Middleware
	o.Middleware = func(next http.Handler) http.Handler {
		if inner != nil {
			next = inner(next)
		}
		return s.granting(next)
	}
	o.AllowedHosts = append(slices.Clip(o.AllowedHosts), hostOf(s.opts.URL))
	o.AllowedHeaders = append(slices.Clip(o.AllowedHeaders), "DPoP")
}

// Attach is Secure for the options of a command, and adds the routes of the document.
func (s *ResourceServer) Attach(srv mcphttp.Server, c *mcphttp.Command) {
	s.Secure(srv, &c.Options)
	if c.Routes == nil {
		c.Routes = make(map[string]http.Handler)
	}
	c.Routes[wellKnown], c.Routes[wellKnown+"/"] = s.Metadata(), s.Metadata()
}

// Authenticate is [mcphttp.Options].Authenticate. Its errors have a challenge for the client, and a text for the log
// that says why, without the token.
func (s *ResourceServer) Authenticate(r *http.Request) (mcp.Caller, error) {
	if r.URL.RawQuery != "" && r.URL.Query().Has("access_token") {
		return mcp.Caller{}, s.challenge(&requestError{"there is a token in the query, where logs keep it"}, false)
	}
	scheme, token, err := credentials(r)
	if err != nil {
		return mcp.Caller{}, s.challenge(err, false)
	}
	proves := strings.EqualFold(scheme, "DPoP")
	client := mcphttp.ClientAddress(r.Context())
	v, err := s.verify(r.Context(), client, token)
	switch {
	case err != nil:
	case proves && v.bound.jkt == "":
		err = invalidf("it is not bound to a key, as the scheme DPoP says")
	case v.bound.isBound && v.bound.jkt == "":
		err = invalidf("it is bound in a way that is not known here")
	case v.bound.isBound && !proves:
		err = invalidf("it is bound to a key, and comes without a proof")
	case s.opts.RequireDPoP && !proves:
		err = invalidf("it is not bound to a key, as Options.RequireDPoP wants")
	case proves:
		err = s.checkProof(r, token, v.bound.jkt)
	}
	if err != nil {
		return mcp.Caller{}, s.challenge(err, proves || v.bound.jkt != "")
	}
	if g, ok := r.Context().Value(grantKey{}).(*grant); ok {
		g.token.Store(&secret{token, v.who.Expires, client})
		g.bound.Store(proves)
	}
	return v.who, nil
}

// errNoToken is a request without a token, which is how every sign-in begins.
var errNoToken = errors.New("auth: no token")

// requestError is a request that is malformed.
type requestError struct{ text string }

func (e *requestError) Error() string { return "auth: malformed request: " + e.text }

// credentials returns the token of a request, and the scheme that comes before it.
func credentials(r *http.Request) (scheme, token string, err error) {
	headers := r.Header.Values("Authorization")
	switch len(headers) {
	case 0:
		return "", "", errNoToken
	case 1:
	default:
		return "", "", &requestError{"there is more than one header Authorization"}
	}
	scheme, token, _ = strings.Cut(headers[0], " ")
	token = strings.TrimLeft(token, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer") && !strings.EqualFold(scheme, "DPoP"):
		return "", "", errNoToken
	case len(token) > maxToken:
		return "", "", invalidf("it has more than %d bytes", maxToken)
	case !isToken(token):
		return "", "", invalidf("it has characters that tokens do not have")
	}
	return scheme, token, nil
}

// isToken reports whether s can be a token (RFC 6750, section 2.1).
func isToken(s string) bool {
	const chars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/"
	return s != "" && strings.Trim(strings.TrimRight(s, "="), chars) == "" && s[0] != '='
}

// caller makes the caller of a token that is valid.
func (s *ResourceServer) caller(ctx context.Context, c *claims) (who mcp.Caller, err error) {
	for _, id := range s.opts.OtherIssuers {
		switch {
		case c.Issuer == id:
			c.Subject = id + "#" + c.Subject
		case strings.HasPrefix(c.Subject, id+"#"):
			return who, invalidf("its subject looks like one of %s", id)
		}
	}
	c.Scopes, c.Roles = slices.Clip(s.implied(c.Scopes)), slices.Clip(c.Roles) // requests share them
	if s.opts.Caller == nil {
		return mcp.Caller{Subject: c.Subject, Scopes: c.Scopes, Roles: c.Roles, Expires: c.Expires}, nil
	}
	if who, err = s.opts.Caller(ctx, &c.Token); err != nil {
		if _, ok := errors.AsType[*mcphttp.ChallengeError](err); ok {
			return who, err
		}
		if ctx.Err() != nil {
			return who, errLate
		}
		return who, &invalidError{"Options.Caller: " + err.Error()}
	}
	if who.Expires.IsZero() || !c.Expires.IsZero() && c.Expires.Before(who.Expires) {
		who.Expires = c.Expires // no caller outlives its token
	}
	return who, nil
}

// implied returns scopes with all that they imply, each once.
func (s *ResourceServer) implied(scopes []string) []string {
	var out []string
	known := make(map[string]bool)
	for next := scopes; len(next) > 0; {
		scope := next[0]
		next = next[1:]
		if known[scope] || len(out) >= maxScopes {
			continue
		}
		known[scope] = true
		out = append(out, scope)
		if s.opts.Implies != nil {
			next = append(slices.Clip(next), s.opts.Implies(scope)...)
		}
	}
	return out
}
