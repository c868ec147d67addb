package limits

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/web"
)

const (
	forwardedHeader    = "Forwarded" // RFC 7239
	forwardedForHeader = "X-Forwarded-For"
	// maxHops bounds how many proxies of one request are looked at.
	maxHops = 32
)

// namedNetworks are the names that mcphttp.Options.TrustedProxies knows besides "unix".
var namedNetworks = map[string][]string{
	"loopback": {"127.0.0.0/8", "::1/128"},
	"private":  {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"},
}

// Proxies are the trusted proxies, whose headers name the client. Nil trusts none.
type Proxies struct {
	nets []netip.Prefix
	unix bool // whoever connects to the Unix socket is a trusted proxy

	warned sync.Once // that a proxy is not trusted, or that proxies contradict each other
	warn   func(msg string)
}

// NewProxies reads the networks of Options.TrustedProxies.
func NewProxies(list []string, warn func(string)) (*Proxies, error) {
	p := &Proxies{warn: warn}
	for _, name := range list {
		texts, named := namedNetworks[name]
		switch {
		case name == "unix":
			p.unix = true
			continue
		case !named:
			texts = []string{name}
		}
		for _, text := range texts {
			if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
				p.nets = append(p.nets, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
				continue
			}
			n, err := netip.ParsePrefix(text)
			if err != nil || n.Addr().Is4In6() { // addresses are compared as IPv4, so that it would never match
				return nil, fmt.Errorf(`mcphttp: Options.TrustedProxies has %q: want an address, a network such as `+
					`10.0.0.0/8, "loopback", "private" or "unix"`, name)
			}
			p.nets = append(p.nets, n.Masked())
		}
	}
	return p, nil
}

// trusts reports whether an address is that of a trusted proxy. An address that is not valid stands for a Unix socket.
func (p *Proxies) trusts(a netip.Addr) bool {
	if !a.IsValid() {
		return p.unix
	}
	for _, n := range p.nets {
		if n.Contains(a) {
			return true
		}
	}
	return false
}

// client returns the address of the client of a request. If the connection is not from a trusted proxy, it is the
// address of the connection. Otherwise it is the last address in the headers that is not that of a trusted proxy.
// Headers that contradict each other or cannot be read are ignored: a proxy may add to one header and pass on the other
// one as the client has sent it.
func (p *Proxies) client(r *http.Request) netip.Addr {
	peer := peerAddress(r.RemoteAddr)
	forwarded, list := r.Header[forwardedHeader], r.Header[forwardedForHeader]
	if len(forwarded) == 0 && len(list) == 0 {
		return peer
	}
	if !p.trusts(peer) {
		if len(p.nets) == 0 && !p.unix {
			p.warned.Do(func() {
				p.warn("mcphttp: requests come through a proxy, or pretend to: limits count for its address; " +
					"to count for those of clients set Options.TrustedProxies or -trusted-proxy")
			})
		}
		return peer
	}
	a, okA := p.last(peer, forwarded, forwardedElements, forElement)
	b, okB := p.last(peer, list, listElements, address)
	switch {
	case len(list) == 0 && okA, okA && okB && a == b:
		return a
	case len(forwarded) == 0 && okB:
		return b
	}
	p.warned.Do(func() {
		p.warn("mcphttp: what a trusted proxy says about its client cannot be used: " +
			"Forwarded and X-Forwarded-For are malformed, or contradict each other")
	})
	return peer
}

// last returns the last address in the lines of a header that is not a trusted proxy, or the first one if all are. It
// returns false if the lines cannot be read, or have too many proxies. split returns the elements of a line, or only
// the last ones if there are very many. It returns none if the line cannot be read. read returns the address in an
// element.
func (p *Proxies) last(peer netip.Addr, lines []string, split func(string) []string,
	read func(string) netip.Addr) (netip.Addr, bool) {
	client, hops := peer, 0
	for _, line := range slices.Backward(lines) {
		elements := split(line)
		if len(elements) == 0 {
			return netip.Addr{}, false
		}
		for _, element := range slices.Backward(elements) {
			client = read(strings.TrimSpace(element))
			if !client.IsValid() || hops == maxHops {
				return client, false
			}
			if !p.trusts(client) {
				return client, true
			}
			hops++
		}
	}
	return client, client.IsValid()
}

// listElements returns the last elements of a line of X-Forwarded-For, as many as are looked at.
func listElements(line string) (elements []string) {
	for len(elements) <= maxHops {
		cut := strings.LastIndexByte(line, ',')
		elements = append(elements, line[cut+1:])
		if cut < 0 {
			break
		}
		line = line[:cut]
	}
	slices.Reverse(elements)
	return elements
}

// forwardedElements returns the last elements of a line of Forwarded, as many as are looked at. It returns none if a
// quotation mark is where RFC 7239 does not allow one: then it is unclear where elements begin and end, and the client
// may have sent the mark on purpose, in a parameter such as "host".
func forwardedElements(line string) (elements []string) {
	for more := true; more; {
		var element string
		element, line, more = web.CutUnquoted(line, ',')
		for rest, pairs := element, true; pairs; {
			var pair string
			pair, rest, pairs = web.CutUnquoted(rest, ';')
			if !wellQuoted(strings.TrimSpace(pair)) {
				return nil
			}
		}
		if len(elements) > maxHops {
			elements = append(elements[:0], elements[1:]...)
		}
		elements = append(elements, element)
	}
	return elements
}

// wellQuoted reports whether name=value has quotation marks only around the whole value, and inside of it only behind a
// backslash.
func wellQuoted(pair string) bool {
	name, value, _ := strings.Cut(pair, "=")
	if strings.Contains(name, `"`) {
		return false
	}
	if !strings.HasPrefix(value, `"`) {
		return !strings.Contains(value, `"`)
	}
	for i := 1; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i == len(value)-1
		}
	}
	return false
}

// forElement returns the address in the parameter "for" of an element of Forwarded; it is not valid if the value is not
// an address, as with "unknown" and made-up names, or if there are two.
func forElement(element string) (found netip.Addr) {
	for more := true; more; {
		var pair string
		pair, element, more = web.CutUnquoted(element, ';')
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		if !strings.EqualFold(name, "for") {
			continue
		}
		if found.IsValid() {
			return netip.Addr{} // twice
		}
		if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
			value = value[1 : n-1]
		}
		found = address(value)
	}
	return found
}

// address reads an address with or without a port; it is not valid if s is none.
func address(s string) netip.Addr {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap()
	}
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		s = s[1 : len(s)-1]
	}
	a, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Addr{}
	}
	return a.Unmap()
}

// peerAddress is address for that of a connection, without the zone: the networks of proxies have none.
func peerAddress(s string) netip.Addr { return address(s).WithZone("") }

// network returns what limits take for the address of one client: of an IPv6 address the first 64 bits, of an IPv4
// address all.
func network(a netip.Addr) netip.Addr {
	if a.Is6() {
		p, _ := a.WithZone("").Prefix(64)
		return p.Addr()
	}
	return a
}
