package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// maxAsked is how many requests to an issuer run at a time.
const maxAsked = 32

// clientPrefix begins the subject of a client that acts for itself, so that no user can be taken for it.
const clientPrefix = "client#"

// introspect asks the issuer about a token (RFC 7662).
func (s *ResourceServer) introspect(ctx context.Context, client netip.Addr, token string) (*claims, error) {
	i := s.issuers[s.opts.Issuer]
	var answer json.RawMessage
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	err := s.post(ctx, client, "introspection_endpoint", func(m metadata) string { return m.IntrospectionEndpoint }, form,
		&answer)
	if err != nil {
		return nil, unavailable(err)
	}
	c, err := parseClaims(answer)
	if err != nil {
		return nil, err
	}
	if active, _ := c.Claims["active"].(bool); !active {
		return nil, invalidf("the issuer says that it is not active")
	}
	if c.Issuer != "" && c.Issuer != i.id {
		return nil, invalidf("its issuer is %.200q", c.Issuer)
	}
	c.Issuer = i.id
	switch {
	case strings.HasPrefix(c.Subject, clientPrefix):
		return nil, invalidf("its subject looks like that of a client")
	case c.Subject == "" && c.ClientID != "":
		c.Subject = clientPrefix + c.ClientID // some issuers name no subject where a client acts for itself
	}
	return c, s.check(c)
}

// post sends a form to an endpoint of the issuer, with the credentials of this server, and reads the response into v.
// Not more than maxAsked run at a time, and clients share these. While the issuer answers none in time, few run, and
// the others fail at once.
func (s *ResourceServer) post(ctx context.Context, client netip.Addr, name string, of func(metadata) string,
	form url.Values, v any,
) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	if !s.asking.await(ctx, client) {
		return fmt.Errorf("%d requests to it have not returned, or half of these for one address, or it has not answered "+
			"the last %d in time", maxAsked, stuckAfter)
	}
	defer s.asking.give(client)
	if err := ctx.Err(); err != nil {
		return err
	}
	i := s.issuers[s.opts.Issuer]
	to, err := i.endpoint(ctx, name, of)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if s.opts.ClientID != "" {
		r.SetBasicAuth(url.QueryEscape(s.opts.ClientID), url.QueryEscape(s.opts.ClientSecret))
	}
	begun := time.Now()
	err = i.doJSON(r, v)
	switch {
	case ctx.Err() == nil:
		s.asking.note(client, false)
	case time.Since(begun) >= fetchTimeout/2: // else it has waited for others
		s.asking.note(client, true)
	}
	return err
}
