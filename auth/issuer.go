package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxDocument bounds what is read of anything that an issuer sends.
const maxDocument = 1 << 20

// issuer is an authorization server. It is safe for concurrent use.
type issuer struct {
	id       string
	client   *http.Client
	metadata refreshed[metadata]
	keys     refreshed[[]key]
}

// metadata is what an issuer says of itself (RFC 8414).
type metadata struct {
	Issuer                string `json:"issuer"`
	JWKSURI               string `json:"jwks_uri"`
	IntrospectionEndpoint string `json:"introspection_endpoint"`
	TokenEndpoint         string `json:"token_endpoint"`
}

func newIssuer(id string, client *http.Client) *issuer {
	i := &issuer{id: id, client: client}
	i.metadata.fetch, i.metadata.interval = i.discover, minInterval/2 // keys that are fetched again need it again
	i.keys.fetch, i.keys.interval = i.fetchKeys, minInterval
	return i
}

// boundedClient is c, which may be nil, without redirects: an issuer does not send us, and our secrets, elsewhere.
func boundedClient(c *http.Client) *http.Client {
	b := new(http.Client)
	if c != nil {
		*b = *c
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok { // else the program has wrapped it
		t = t.Clone()
		t.MaxConnsPerHost = maxAsked
		t.ResponseHeaderTimeout = fetchTimeout
		t.MaxResponseHeaderBytes = 64 << 10
		b.Transport = t
	}
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// discover finds the metadata of the issuer at one of the three places where it can be (RFC 8414, and OpenID Connect
// Discovery in both readings of a path).
func (i *issuer) discover(ctx context.Context) (m metadata, err error) {
	u, err := url.Parse(i.id)
	if err != nil {
		return m, err
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.Path, "/")
	places := []string{
		origin + "/.well-known/oauth-authorization-server" + path,
		origin + path + "/.well-known/openid-configuration",
	}
	if path != "" {
		places = append(places, origin+"/.well-known/openid-configuration"+path)
	}
	var errs []error
	for _, place := range places {
		m = metadata{}
		err := i.getJSON(ctx, place, &m)
		if err == nil && m.Issuer != i.id {
			err = fmt.Errorf("%s is that of the issuer %.200q: name it so in Options.Issuer if it is the right one",
				place, m.Issuer)
		}
		if err == nil {
			err = m.check()
		}
		if err == nil {
			return m, nil
		}
		errs = append(errs, err)
	}
	return m, fmt.Errorf("no metadata of %s: %w", i.id, errors.Join(errs...))
}

// check refuses metadata that would send secrets where everybody reads them, or take keys from there. An issuer
// elsewhere does not send us to services of this machine that know no TLS.
func (m *metadata) check() error {
	var errs []error
	for name, address := range map[string]string{"jwks_uri": m.JWKSURI, "introspection_endpoint": m.IntrospectionEndpoint,
		"token_endpoint": m.TokenEndpoint} {
		if address != "" {
			u, err := secureURL(name+" of "+m.Issuer, address)
			if err == nil && u.Scheme != "https" && strings.HasPrefix(strings.ToLower(m.Issuer), "https:") {
				err = fmt.Errorf("auth: %s of %s is %q: want https, as for the issuer", name, m.Issuer, address)
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// endpoint returns an address of the metadata.
func (i *issuer) endpoint(ctx context.Context, name string, of func(metadata) string) (string, error) {
	m, err := i.metadata.get(ctx, func(m metadata) bool { return of(m) != "" })
	if err != nil {
		return "", err
	}
	if of(m) == "" {
		return "", unavailable(fmt.Errorf("the metadata of %s has no %s", i.id, name))
	}
	return of(m), nil
}

// getJSON reads a document into v.
func (i *issuer) getJSON(ctx context.Context, from string, v any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "application/json")
	return i.doJSON(r, v)
}

// doJSON makes a request and reads its response, which must have status 200, into v. Errors have no part of either.
func (i *issuer) doJSON(r *http.Request, v any) error {
	resp, err := i.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		return &statusError{r.URL.Redacted(), resp.StatusCode, body}
	case err != nil:
		return fmt.Errorf("%s: %w", r.URL.Redacted(), err)
	case len(body) > maxDocument:
		return fmt.Errorf("%s has more than %d bytes", r.URL.Redacted(), maxDocument)
	}
	if json.Unmarshal(body, v) != nil {
		return fmt.Errorf("%s is not the JSON that it should be", r.URL.Redacted())
	}
	return nil
}

// statusError is a response with a status of failure.
type statusError struct {
	from   string
	status int
	body   []byte
}

func (e *statusError) Error() string { return fmt.Sprintf("%s has status %d", e.from, e.status) }
