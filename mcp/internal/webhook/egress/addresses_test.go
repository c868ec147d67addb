package egress

import (
	"net/netip"
	"testing"
)

// Attack addresses: each kind of address that is not on the Internet, and each way to write one inside another.
func TestPublic(t *testing.T) {
	inward := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.254", "127.0.0.1", "127.8.8.8",
		"169.254.169.254", "169.254.0.1", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170", "192.0.2.1",
		"192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1",
		"239.255.255.250", "240.0.0.1", "255.255.255.255", "192.31.196.1", "192.52.193.1", "192.175.48.1",
		"::", "::1", "::7f00:1", "::127.0.0.1", "::8.8.8.8",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8",
		"64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::100.64.0.1",
		"64:ff9b:1::8.8.8.8", "64:ff9b:1:ffff::1", "64:ff9b:0:1::1",
		"2002:7f00:1::", "2002:a00:1::1", "2002:a9fe:a9fe::1", "2002:808:808::1",
		"2001::1", "2001:0:7f00:1::", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "3fff::1", "3fff:fff::1",
		"100::1", "5f00::1", "fc00::1", "fd12:3456:789a::1", "fdff::1", "fe80::1", "fe80::1%eth0", "febf::1", "fec0::1",
		"ff02::1", "ff0e::1", "2620:4f:8000::1", "4000::1", "2606:4700::1%eth0",
	}
	outward := []string{
		"8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "128.0.0.1", "172.15.0.1",
		"172.32.0.1", "192.167.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111",
		"2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:4860:4860::8888",
	}
	for _, text := range inward {
		if public(netip.MustParseAddr(text)) {
			t.Errorf("%s: public", text)
		}
	}
	for _, text := range outward {
		if !public(netip.MustParseAddr(text)) {
			t.Errorf("%s: not public", text)
		}
	}
	if public(netip.Addr{}) {
		t.Error("no address: public")
	}
}

func TestURLs(t *testing.T) {
	t.Attr("requirements", "event-https")
	c := New(Options{})
	for text, ok := range map[string]bool{
		"https://example.com/hook":            true,
		"https://example.com:8443/hook?a=b":   true,
		"https://8.8.8.8/":                    true,
		"https://[2606:4700::1111]/":          true,
		"HTTPS://example.com/":                true,
		"http://example.com/":                 false,
		"ftp://example.com/":                  false,
		"file:///etc/passwd":                  false,
		"//example.com/":                      false,
		"example.com":                         false,
		"":                                    false,
		"https://":                            false,
		"https:///path":                       false,
		"https:example.com":                   false,
		"https://user@example.com/":           false,
		"https://user:pw@example.com/":        false,
		"https://example.com/#part":           false,
		"https://example.com/#":               false,
		"https://127.0.0.1/":                  false,
		"https://[::1]/":                      false,
		"https://[::ffff:10.0.0.1]/":          false,
		"https://[fe80::1%25eth0]/":           false,
		"https://[64:ff9b::169.254.169.254]/": false,
		"https://exa mple.com/":               false,
		"https://example.com/\x00":            false,
		"https://example.com\r\nHost: a/":     false,
		"https://example.com/" + string(make([]byte, MaxURL)): false,
	} {
		if err := c.Check(text); (err == nil) != ok {
			t.Errorf("%.60q: %v", text, err)
		}
	}
	if err := New(Options{AllowHTTP: true}).Check("http://10.0.0.1/"); err == nil {
		t.Error("plain HTTP allows private addresses too")
	}
	if err := New(Options{AllowPrivate: true}).Check("http://10.0.0.1/"); err == nil {
		t.Error("private addresses allow plain HTTP too")
	}
	if err := New(Options{AllowPrivate: true, AllowHTTP: true}).Check("http://10.0.0.1/"); err != nil {
		t.Error(err)
	}
}

func TestHost(t *testing.T) {
	for text, want := range map[string]string{
		"https://Example.com/a":     "example.com:443",
		"https://example.com.:443/": "example.com:443",
		"http://example.com/":       "example.com:80",
		"https://[::1]:8/":          "::1:8",
	} {
		if got := Host(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
