package web

import (
	"mime"
	"net/http"
	"strings"
)

// Accepts reports whether the Accept header of r allows the media type kind/sub. Without the header every type is
// allowed. If several ranges match, the most specific one decides (RFC 9110, section 12.5.1); the weight 0 means that
// the type is not allowed.
func Accepts(r *http.Request, kind, sub string) bool {
	values := r.Header["Accept"]
	best, taken := -1, false
	for _, list := range values {
		for more := true; more; {
			var item string
			item, list, more = CutUnquoted(list, ',')
			name, params, _ := CutUnquoted(item, ';')
			exact := exactness(strings.TrimSpace(name), kind, sub)
			switch {
			case exact > best:
				best, taken = exact, hasWeight(params)
			case exact == best && exact >= 0:
				taken = taken || hasWeight(params)
			}
		}
	}
	return taken || len(values) == 0
}

// exactness says how specific a media range is for a type: 2 for the type itself, 1 for type/*, 0 for */*, and -1 if it
// does not match.
func exactness(name, kind, sub string) int {
	k, s, _ := strings.Cut(name, "/")
	switch {
	case strings.EqualFold(k, kind) && strings.EqualFold(s, sub):
		return 2
	case strings.EqualFold(k, kind) && s == "*":
		return 1
	case k == "*" && s == "*":
		return 0
	}
	return -1
}

// hasWeight reports whether a media range with these parameters has a weight above 0. Without a weight it returns true.
// A malformed weight counts as 0.
func hasWeight(params string) bool {
	for more := true; more; {
		var param string
		param, params, more = CutUnquoted(params, ';')
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if strings.EqualFold(name, "q") {
			whole, digits, dot := strings.Cut(value, ".")
			fraction := strings.Trim(digits, "0")
			switch {
			case len(digits) > 3 || whole != "0" && whole != "1":
				return false
			case whole == "1":
				return fraction == ""
			}
			return dot && fraction != "" && strings.Trim(fraction, "0123456789") == ""
		}
	}
	return true
}

// CutUnquoted is strings.Cut at the first sep that does not stand between double quotes.
func CutUnquoted(s string, sep byte) (before, after string, found bool) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == sep && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// Acceptable refuses a POST unless its body is JSON and its Accept header allows both JSON and event streams. That the
// body must be JSON keeps out web pages of other origins: they cannot send it without a preflight.
func Acceptable(r *http.Request) *Refusal {
	if isOnly(r.Header["Content-Type"], "application/json") && r.Header["Content-Encoding"] == nil &&
		isOnly(r.Header["Accept"], "application/json, text/event-stream") {
		return nil // what nearly all clients send; the checks below would accept it too
	}
	if why := IsJSON(r); why != nil {
		return why
	}
	if !Accepts(r, "application", "json") || !Accepts(r, "text", "event-stream") {
		return NewRefusal(http.StatusNotAcceptable, "Accept must list application/json and text/event-stream")
	}
	return nil
}

// isOnly reports whether a header has one value, which is want.
func isOnly(values []string, want string) bool { return len(values) == 1 && values[0] == want }

// IsJSON refuses a request unless its body is JSON without a content encoding.
func IsJSON(r *http.Request) *Refusal {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" || len(r.Header["Content-Type"]) > 1 {
		return NewRefusal(http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
	}
	if list := r.Header["Content-Encoding"]; len(list) > 1 || len(list) == 1 && list[0] != "" {
		return NewRefusal(http.StatusUnsupportedMediaType, "the body must not have a Content-Encoding")
	}
	return nil
}
