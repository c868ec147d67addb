package mcphttp

import (
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/mcp/internal/counters"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

// FuzzHeaderValue gives a header that may be encoded any text: what it means, encoded as a client would do it, is
// the header or means the same. And any text that a client wants to say arrives.
func FuzzHeaderValue(f *testing.F) {
	for _, s := range []string{
		"us-west1", "", " padded ", "line1\nline2", "Hello, 世界", "=?base64?SGVsbG8=?=", "=?base64?SGVsbG8?=",
		"=?base64?SGVsbG9=?=", "=?base64??=", "=?base64?=", "=?base64?SGVs\nbG8=?=",
		"=?BASE64?SGVsbG8=?=", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?/w==?=",
		"=?base64?_w==?=", "\t", "\x7f", "\xff", "a\x00b", "=?base64?AA==?=",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if text, ok := decodeHeader(s); ok {
			if !utf8.ValidString(text) {
				t.Fatalf("%q means %q, which is no text", s, text)
			}
			if in, encoded := sentinel(s); encoded && base64.StdEncoding.EncodeToString([]byte(text)) != in || !encoded &&
				text != s {
				t.Fatalf("%q means %q", s, text)
			}
		}
		if !utf8.ValidString(s) {
			return
		}
		if text, ok := decodeHeader(encodedPrefix + base64.StdEncoding.EncodeToString([]byte(s)) + encodedSuffix); !ok ||
			text != s {
			t.Fatalf("%q arrives as %q, %t", s, text, ok)
		}
	})
}

// sentinel returns what is between the marks of an encoded header.
func sentinel(s string) (in string, ok bool) {
	if len(s) < len("=?base64?")+len("?=") || !strings.HasPrefix(s, "=?base64?") || !strings.HasSuffix(s, "?=") {
		return "", false
	}
	return s[len("=?base64?") : len(s)-len("?=")], true
}

// FuzzHeaderArgument compares a header with an argument as encoding/json and math/big do.
func FuzzHeaderArgument(f *testing.F) {
	for _, row := range [][2]string{
		{"us-west1", `"us-west1"`}, {"é", `"\u00e9"`}, {"", `""`}, {"42", "42"}, {"42", "42.0"}, {"4.2e1", "42"},
		{"42,43", "42"}, {"42]", "42"}, {" 42", "42"}, {"42 ", "42"}, {"042", "42"}, {"+42", "42"},
		{"-0", "0"}, {"NaN", "0"}, {"0x2a", "42"}, {"9007199254740993", "9007199254740992"},
		{"9007199254740991", "9007199254740991.0"}, {"1e400", "1e401"}, {"true", "true"}, {"True", "true"},
		{"true", `"true"`},
		{"null", "null"}, {"{}", "{}"}, {"42", `"42"`}, {`"42"`, "42"},
	} {
		f.Add(row[0], row[1])
	}
	f.Fuzz(func(t *testing.T, header, value string) {
		d := json.NewDecoder(strings.NewReader(value))
		d.UseNumber()
		var v any
		if len(header)+len(value) > 200 || !utf8.ValidString(value) || strings.TrimSpace(value) != value ||
			strings.Contains(value, `\u`) || !json.Valid([]byte(value)) || d.Decode(&v) != nil {
			return
		}
		var want bool
		switch v := v.(type) {
		case string:
			want = header == v
		case json.Number:
			a, fine := number(v.String())
			b, also := number(header)
			if !fine {
				return
			}
			want = also && a.Cmp(b) == 0
		case bool:
			want = header == strconv.FormatBool(v)
		default:
			return // tools may not ask for such arguments in headers
		}
		if got := sameValue(header, []byte(value)); got != want {
			t.Fatalf("header %q, argument %s: %t", header, value, got)
		}
	})
}

// number is the value of a JSON number that is small enough for a test.
func number(s string) (*big.Rat, bool) {
	if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok {
		if n, err := strconv.Atoi(exponent); err != nil || n > 400 || n < -400 {
			return nil, false
		}
	}
	if s == "" || strings.TrimSpace(s) != s || !json.Valid([]byte(s)) || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// FuzzHead gives the headers that are looked at first any text: nothing is served under a name that is not this
// machine's, to a page of another host, or to a client that sends or takes something else.
func FuzzHead(f *testing.F) {
	for _, row := range [][4]string{
		{"localhost", "", "application/json", "*/*"}, {"127.0.0.1:80", "http://localhost:3000",
			"application/json; charset=utf-8", "application/json, text/event-stream"},
		{"[::1]:8080", "http://[::1]", "APPLICATION/JSON", "text/event-stream;q=0.1 , application/*"},
		{"evil.example", "", "application/json", "*/*"}, {"localhost.evil.example", "", "application/json", "*/*"},
		{"localhost:evil", "null", "text/plain", ""}, {"[localhost]", "http://localhost@evil.example", "application/json;",
			","}, {"127.0.0.1.nip.io", "https://localhost/x", "application/json, text/plain", "*"},
		{"[::ffff:127.0.0.1]", "file:///", "multipart/form-data", "text/event-streams"},
		{"127.1", "http://127.0.0.1:", "\x00", "*/json"}, {"[::1%25lo]", "http://LOCALHOST", "", "/"},
		{"", "", "application/json", ""},
	} {
		f.Add(row[0], row[1], row[2], row[3])
	}
	g := &guard{log: slog.New(slog.DiscardHandler), counts: new(counters.Counters)}
	f.Fuzz(func(t *testing.T, host, origin, kind, accept string) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		r.Host, r.Header = host, http.Header{"Origin": {origin}, "Content-Type": {kind}, "Accept": {accept}}
		if g.check(r) == nil {
			if !here(host) {
				t.Errorf("host %q is served", host)
			}
			if scheme, name, _ := strings.Cut(origin, "://"); origin != "" &&
				(!strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") || !here(name)) {
				t.Errorf("a page of %q is served by %q", origin, host)
			}
		}
		if web.Acceptable(r) == nil {
			if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(kind)), "application/json") {
				t.Errorf("a body of %q is read", kind)
			}
			if !strings.Contains(strings.ToLower(accept), "json") && !strings.Contains(accept, "*") {
				t.Errorf("JSON is sent to a client that takes %q", accept)
			}
		}
	})
}

// here reports whether a host, perhaps with a port, is a name of this machine.
func here(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	a, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && a.IsLoopback()
}
