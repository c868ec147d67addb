package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

const (
	defaultSkew = 30 * time.Second
	maxSkew     = 5 * time.Minute
)

// Options configures a [ResourceServer]. Issuer is required, and Audience or URL.
type Options struct {
	// Issuer is the authorization server whose tokens are accepted, spelled as in its metadata and in the claim iss:
	// "https://login.example.com". It must be https, except on this machine.
	Issuer string
	// OtherIssuers are more of them. Callers of these have subjects that begin with their issuer and a "#", so that one
	// issuer cannot speak of the users of another.
	OtherIssuers []string
	// Audience is what tokens for this server name in their claim aud. "" means URL, which is accepted too.
	Audience string
	// URL is the address at which clients call the endpoint, with the path that they see in front of a proxy:
	// "https://mcp.example.com/mcp". "" means Audience, which must be an address then.
	URL string
	// Scopes are those that the first sign-in asks for. Nil means those without which features are hidden.
	Scopes []string
	// Implies returns the scopes that a granted scope includes, such as "notes.read" for "notes.write". Nil means none.
	// It must be safe for concurrent use and not wait.
	Implies func(scope string) []string
	// Caller makes the caller of a token that has passed all checks. An error refuses the token: so a program refuses
	// tokens that it knows to be revoked, or users that it does not know. A token is asked about again after 25 seconds
	// at most, open streams included. Nil means the subject, the scopes and the claim roles of the token. It must be
	// safe for concurrent use. Requests that wait for the same token share one call: the context has the values of one
	// of them, and ends after 10 seconds.
	Caller func(ctx context.Context, t *Token) (mcp.Caller, error)
	// Introspect asks Issuer about each token (RFC 7662), with ClientID and ClientSecret, and remembers the answer for
	// 25 seconds, a refusal for 5: for tokens that are no JWTs, or that can be revoked. If the answer has no sub, the
	// subject is "client#" and the client_id. There can be no OtherIssuers then.
	Introspect bool
	// ClientID and ClientSecret are those of this server at Issuer, for Introspect and [Exchange].
	ClientID, ClientSecret string
	// RequireDPoP refuses tokens that are not bound to a key of the client (RFC 9449). Those that are bound need a proof
	// in any case.
	RequireDPoP bool
	// Replayed reports whether a proof of DPoP was used before, and remembers it until a time, for all replicas of a
	// server. Without it each process knows the proofs that it has seen itself. It must be safe for concurrent use.
	Replayed func(ctx context.Context, proof string, until time.Time) (bool, error)
	// ClockSkew is how far the clock of an issuer may be ahead; 0 means 30 seconds. It does not prolong tokens.
	ClockSkew time.Duration
	// HTTPClient makes the requests to issuers; nil means one that uses the proxy of the environment. Redirects are not
	// followed, and each request has 5 seconds.
	HTTPClient *http.Client
	// Logger receives messages for the operator; nil means text on stderr at level Info.
	Logger *slog.Logger
}

// Token is an access token that has passed all checks, without its text.
type Token struct {
	// Issuer, Subject and ClientID are the claims iss, sub and client_id (or azp).
	Issuer, Subject, ClientID string
	// Scopes are the granted scopes, with those that [Options].Implies adds.
	Scopes []string
	// Roles are the claim roles, if that is a list.
	Roles []string
	// Expires is when the token ends.
	Expires time.Time
	// Claims are all claims, or all members of the answer to an introspection, as any of encoding/json. They must not be
	// changed.
	Claims map[string]any
}

// withDefaults checks o and sets what is not set.
func (o Options) withDefaults() (Options, error) {
	if o.Issuer == "" {
		return o, errors.New("auth: Options.Issuer is empty: name the authorization server, such as " +
			"https://login.example.com")
	}
	for _, issuer := range append([]string{o.Issuer}, o.OtherIssuers...) {
		if _, err := secureURL("an issuer", issuer); err != nil {
			return o, err
		}
	}
	if o.URL == "" {
		o.URL = o.Audience
	}
	u, err := secureURL("Options.URL (or Audience)", o.URL)
	if err != nil {
		return o, err
	}
	o.URL = canonical(u)
	if o.Audience == "" {
		o.Audience = o.URL
	}
	switch {
	case o.Introspect && len(o.OtherIssuers) > 0:
		return o, errors.New("auth: Options.Introspect needs one issuer: a token that is no JWT does not say whose it is")
	case o.Introspect && (o.ClientID == "" || o.ClientSecret == ""):
		return o, errors.New("auth: Options.Introspect needs ClientID and ClientSecret, which this server has at the issuer")
	case o.ClockSkew < 0 || o.ClockSkew > maxSkew:
		return o, fmt.Errorf("auth: Options.ClockSkew is %v: want 0 to %v", o.ClockSkew, maxSkew)
	case o.ClockSkew == 0:
		o.ClockSkew = defaultSkew
	}
	for _, scope := range o.Scopes {
		if !isScope(scope) {
			return o, fmt.Errorf("auth: Options.Scopes has %q, which is no scope", scope)
		}
		if scope == offlineAccess {
			return o, fmt.Errorf("auth: Options.Scopes has %q, which is a matter between a client and its issuer", scope)
		}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	o.HTTPClient = boundedClient(o.HTTPClient)
	return o, nil
}

// secureURL returns an address to which secrets may be sent, or by which they are received. what is for people.
func secureURL(what, s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, fmt.Errorf("auth: %s is %q: want an address such as https://login.example.com", what, s)
	case u.Scheme == "https" || u.Scheme == "http" && isLocal(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("auth: %s is %q: want https, because tokens are secrets (http is for localhost)", what, s)
}

// isLocal reports whether a host is this machine by its very name.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// canonical spells an address as clients that compare texts do: scheme and host in lower case, no port that goes
// without saying, and no slash at the end.
func canonical(u *url.URL) string {
	c := *u
	c.Scheme, c.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if port := c.Port(); c.Scheme == "https" && port == "443" || c.Scheme == "http" && port == "80" {
		c.Host = strings.TrimSuffix(c.Host, ":"+port)
	}
	return strings.TrimSuffix(c.String(), "/")
}

// sameAddress reports whether two texts are the same, or the same address in two spellings.
func sameAddress(a, b string) bool {
	if a == b {
		return true
	}
	u, err := url.Parse(a)
	v, err2 := url.Parse(b)
	return err == nil && err2 == nil && u.Host != "" && u.User == nil && v.User == nil && canonical(u) == canonical(v)
}

// isScope reports whether s can be a scope (RFC 6749, section 3.3).
func isScope(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' }) < 0
}
