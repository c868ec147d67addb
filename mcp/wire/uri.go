package wire

import "strings"

const (
	maxURI      = 64 << 10
	maxSegments = len(Path{}.Seg)
)

// Path is a URI cut at its slashes, for generated routers. Everything in it is a substring of the URI and still
// percent-encoded: it is not cut at an encoded slash, so decoding can never change how a URI is routed.
type Path struct {
	Scheme   string     // as written; schemes are compared exactly
	Seg      [16]string // what follows the scheme, cut at slashes; the first one is the authority unless Opaque
	N        int        // number of segments; the sixteenth holds all the rest of the URI, with its slashes
	Query    string     // what follows the first question mark
	HasQuery bool       // whether there was a question mark
	Opaque   bool       // no "//" after the scheme; all that follows is one segment, slashes included

	path string // from the first segment to the question mark
}

// Split cuts a URI without allocating. "a://h/x/y?q" has the segments "h", "x" and "y", "notes:///x" has "" and "x",
// and "urn:isbn:1" has the one segment "isbn:1". It returns false for text without a scheme, with characters that RFC
// 3986 does not allow, with a fragment or a bad percent escape, and for more than 64 KiB.
func (p *Path) Split(uri string) bool {
	*p = Path{}
	colon := schemeEnd(uri)
	if colon <= 0 || len(uri) > maxURI || !validURI(uri[colon+1:]) {
		return false
	}
	p.Scheme, p.path = uri[:colon], uri[colon+1:]
	p.path, p.Query, p.HasQuery = strings.Cut(p.path, "?")
	rest, hierarchical := strings.CutPrefix(p.path, "//")
	p.path = rest
	if !hierarchical {
		p.Opaque = true
		p.Seg[0], p.N = rest, 1
		return true
	}
	for p.N < maxSegments-1 {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			break
		}
		p.Seg[p.N] = rest[:i]
		p.N++
		rest = rest[i+1:]
	}
	p.Seg[p.N] = rest
	p.N++
	return true
}

// schemeEnd returns the index of the colon after the scheme, or -1 if uri does not begin with a scheme.
func schemeEnd(uri string) int {
	for i := 0; i < len(uri); i++ {
		switch c := uri[i]; {
		case c == ':':
			return i
		case isAlpha(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		default:
			return -1
		}
	}
	return -1
}

func isAlpha(c byte) bool { return c|0x20-'a' < 26 }

// validURI reports whether s has only characters that may follow a scheme, and only whole percent escapes.
func validURI(s string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case uriByte[c] && c != '#':
		case c == '%' && i+2 < len(s) && hexValue(s[i+1]) < 16 && hexValue(s[i+2]) < 16:
			i += 2
		default:
			return false
		}
	}
	return true
}

// Tail returns Seg[i] and all later segments as they stood in the URI, with their slashes; "" if there are none.
func (p *Path) Tail(i int) string {
	if i < 0 || i >= p.N {
		return ""
	}
	off := 0
	for _, s := range p.Seg[:i] {
		off += len(s) + 1
	}
	return p.path[off:]
}

// Param returns the value, still percent-encoded, of the first query parameter whose name is name once it is unescaped;
// false if there is none. A parameter without an equals sign has the value "".
func (p *Path) Param(name string) (string, bool) {
	for rest, more := p.Query, p.HasQuery; more; {
		var part string
		part, rest, more = strings.Cut(rest, "&")
		k, v, _ := strings.Cut(part, "=")
		if plain, ok := Unescape(k); ok && plain == name && part != "" {
			return v, true
		}
	}
	return "", false
}
