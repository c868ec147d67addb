package auth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// maxRepeated bounds the granted scopes that a challenge repeats, in bytes.
const maxRepeated = 2 << 10

// challenge makes what a client is told of err. bound says that the token, or the scheme of the request, is that of
// DPoP.
func (s *ResourceServer) challenge(err error, bound bool) error {
	if _, ok := errors.AsType[*mcphttp.ChallengeError](err); ok {
		return err // of Options.Caller
	}
	if _, ok := errors.AsType[*unavailableError](err); ok {
		return &mcphttp.ChallengeError{Status: http.StatusServiceUnavailable, Err: err}
	}
	switch {
	case errors.Is(err, errLate):
		return &mcphttp.ChallengeError{Status: http.StatusServiceUnavailable, Err: err}
	case errors.Is(err, errFailed):
		return &mcphttp.ChallengeError{Status: http.StatusInternalServerError, Err: err}
	}
	status, code, text := http.StatusUnauthorized, "", ""
	scheme := "Bearer"
	switch err.(type) { //nolint:errorlint // made here, and never wrapped
	case *requestError:
		status, code, text = http.StatusBadRequest, "invalid_request", "send the token once, in the header Authorization"
	case *invalidError:
		code, text = "invalid_token", "the token has expired, or is not one for this server"
	case *proofError:
		code, text = "invalid_dpop_proof", "the proof is not one for this request and this token, or was used before"
	}
	if bound {
		scheme = "DPoP"
	}
	return &mcphttp.ChallengeError{Status: status, Header: s.header(scheme, code, text, s.first), Err: err}
}

// header returns a challenge. The scheme Bearer stands first, and error before all other parameters: clients look
// there.
func (s *ResourceServer) header(scheme, code, text string, scopes []string) string {
	var params []string
	add := func(name, value string) {
		if value != "" {
			params = append(params, name+`="`+value+`"`)
		}
	}
	add("error", code)
	add("error_description", text)
	add("resource_metadata", s.metadataURL)
	add("scope", strings.Join(scopes, " "))
	if scheme == "DPoP" {
		add("algs", strings.Join(algorithmNames(), " "))
	}
	return scheme + " " + strings.Join(params, ", ")
}

// stepUp is [mcphttp.Options].StepUp: all scopes of the operation in one challenge, and those that the caller has
// already, because some clients ask for nothing else afterwards.
func (s *ResourceServer) stepUp(ctx context.Context, granted []string, needs [][]string) string {
	scopes := offered(granted)
	if len(strings.Join(scopes, " ")) > maxRepeated {
		scopes = nil
	}
	for _, set := range needs {
		i := slices.IndexFunc(set, func(scope string) bool { return slices.Contains(granted, scope) })
		if scope := set[max(i, 0)]; !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	scheme := "Bearer"
	if g, ok := ctx.Value(grantKey{}).(*grant); ok && g.bound.Load() {
		scheme = "DPoP"
	}
	return s.header(scheme, "insufficient_scope", "the operation needs more scopes", scopes)
}

// offlineAccess is the scope that asks for a refresh token.
const offlineAccess = "offline_access"

// offered returns the scopes that clients may be told of: not offline_access, which is a matter between a client and
// its issuer, and nothing that is no scope.
func offered(scopes []string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(s string) bool { return s == offlineAccess || !isScope(s) })
}
