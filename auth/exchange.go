package auth

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// tradedEarly is how long before its end an exchanged token is not used any more.
	tradedEarly = 30 * time.Second
	// tokenType is that of access tokens, and exchange the grant, in RFC 8693.
	tokenType = "urn:ietf:params:oauth:token-type:access_token"   //nolint:gosec // no secret
	exchange  = "urn:ietf:params:oauth:grant-type:token-exchange" //nolint:gosec // no secret
)

// Exchanged is an access token for another service.
type Exchanged struct {
	// Token is the token. It is a secret.
	Token string `json:"-"`
	// Scopes are the granted scopes, if the issuer names them.
	Scopes []string
	// Expires is when it ends; zero if the issuer does not say it.
	Expires time.Time
}

// String implements fmt.Stringer, so that nobody prints a token by accident.
func (Exchanged) String() string { return "auth.Exchanged" }

// SetHeader adds the token to a request.
func (e Exchanged) SetHeader(r *http.Request) { r.Header.Set("Authorization", "Bearer "+e.Token) }

// Exchange gets a token for another service, in the name of the caller of the request that ctx belongs to: the issuer
// exchanges the token of the caller for one with another audience (RFC 8693), as [Options].ClientID. Handlers do not
// see the token of the caller, and it is sent to no one but its issuer. It is for handlers of requests whose server
// has a [ResourceServer] with one issuer, until the token of the caller ends; tokens are used again until they are
// about to expire. Nil scopes means what the issuer grants without.
func Exchange(ctx context.Context, audience string, scopes []string) (Exchanged, error) {
	g, _ := ctx.Value(grantKey{}).(*grant)
	if g == nil || g.token.Load() == nil {
		return Exchanged{}, errors.New("auth: Exchange: ctx is not that of a request with a token")
	}
	return g.server.exchange(ctx, g.token.Load(), audience, scopes)
}

func (s *ResourceServer) exchange(ctx context.Context, token *secret, audience string, scopes []string) (Exchanged,
	error,
) {
	switch {
	case s.opts.ClientID == "":
		return Exchanged{}, errors.New("auth: Exchange: Options.ClientID is empty: the issuer must know who asks")
	case len(s.opts.OtherIssuers) > 0:
		return Exchanged{}, errors.New("auth: Exchange: there are OtherIssuers, to whom the token may not be shown")
	case !token.until.IsZero() && !time.Now().Before(token.until):
		return Exchanged{}, errors.New("auth: Exchange: the token of the caller has expired")
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", token.text, audience, scopes))
	if e, ok := s.traded.get(key); ok {
		return e, nil
	}
	form := url.Values{"grant_type": {exchange}, "subject_token": {token.text}, "subject_token_type": {tokenType},
		"requested_token_type": {tokenType}, "audience": {audience}}
	if len(scopes) > 0 {
		form.Set("scope", strings.Join(scopes, " "))
	}
	var got struct {
		Token     string `json:"access_token"`
		Type      string `json:"token_type"`
		ExpiresIn int64  `json:"expires_in"`
		Scope     string `json:"scope"`
	}
	err := s.post(ctx, token.client, "token_endpoint", func(m metadata) string { return m.TokenEndpoint }, form, &got)
	switch {
	case err != nil:
		return Exchanged{}, fmt.Errorf("auth: Exchange for %q: %w", audience, explained(err))
	case got.Token == "" || !strings.EqualFold(got.Type, "Bearer"):
		return Exchanged{}, fmt.Errorf("auth: Exchange for %q: the issuer has not sent a bearer token", audience)
	}
	e := Exchanged{Token: got.Token, Scopes: strings.Fields(got.Scope)}
	if got.ExpiresIn > 0 && got.ExpiresIn < 1<<31 {
		e.Expires = time.Now().Add(time.Duration(got.ExpiresIn) * time.Second)
		until := e.Expires.Add(-tradedEarly)
		if !token.until.IsZero() && token.until.Before(until) {
			until = token.until
		}
		s.traded.put(key, e, until)
	}
	return e, nil
}

// explained adds to the error of a token endpoint the code that it has sent. Descriptions may repeat what was sent to
// it, and are left out.
func explained(err error) error {
	failed, ok := errors.AsType[*statusError](err)
	if !ok {
		return err
	}
	var answer struct {
		Code string `json:"error"`
	}
	if json.Unmarshal(failed.body, &answer) != nil || len(answer.Code) > 64 || !isScope(answer.Code) {
		return err
	}
	return fmt.Errorf("%w: %s", err, answer.Code)
}
