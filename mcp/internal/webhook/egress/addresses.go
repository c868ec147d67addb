package egress

import "net/netip"

// Prefixes of the IANA registries of special-purpose addresses that are not hosts of the Internet. IPv6 addresses
// outside of 2000::/3 are refused before this table is looked at.
var special = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared by a carrier's customers (CGNAT)
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, with the metadata services of clouds
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.31.196.0/24", // AS112
	"192.52.193.0/24", // AMT
	"192.88.99.0/24",  // relays of 6to4
	"192.168.0.0/16",  // private
	"192.175.48.0/24", // AS112
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, with the limited broadcast

	"2001::/23",         // protocol assignments: Teredo, benchmarks, ORCHID and others
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4: the address has an IPv4 address in it that a relay connects to
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

// unicast is what IPv6 has assigned to hosts of the Internet.
var unicast = netip.MustParsePrefix("2000::/3")

// nat64 is the prefix of IPv6 addresses for which a gateway connects to the IPv4 address in the last 32 bits. In
// networks without IPv4, resolvers answer with such addresses for hosts that have IPv4 only. Prefixes of a single
// network, such as those of 64:ff9b:1::/48, are not public.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// public reports whether an address is a host of the Internet. An address that contains an IPv4 address is public if
// the IPv4 address is.
func public(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = carried(a)
	if a.Is6() && !unicast.Contains(a) {
		return false
	}
	return a.IsValid() && !within(a, special)
}

// carried returns the IPv4 address that a connection to a reaches, or else a.
func carried(a netip.Addr) netip.Addr {
	a = a.Unmap()
	if !nat64.Contains(a) {
		return a
	}
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}

func within(a netip.Addr, of []netip.Prefix) bool {
	for _, p := range of {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
