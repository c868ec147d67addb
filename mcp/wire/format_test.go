package wire

import (
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	tests := []struct {
		name string
		is   func(string) bool
		yes  []string
		no   []string
	}{
		{"date-time", IsDateTime, []string{"2026-07-28T12:00:00Z", "2026-07-28T12:00:00.123+02:00"},
			[]string{"", "2026-07-28", "2026-07-28 12:00:00Z", "2026-07-28T12:00:00", "2026-02-30T00:00:00Z",
				"2026-07-28T12:00:00,5Z"}},
		{"date", IsDate, []string{"2026-07-28", "2024-02-29"}, []string{"", "2026-7-28", "2026-02-29", "28.07.2026",
			"2026-07-28T"}},
		{"email", IsEmail, []string{"a@b", "a.b+c@d.example"}, []string{"", "a", "@b", "a@", "a@b@c", "a b@c", ".a@b", "a.@b",
			"a..b@c", "a@-b", `"a"@b`, "ä@b", strings.Repeat("a", 65) + "@b"}},
		{"uri", IsURI, []string{"a:", "https://example.com/a?b=%20#c", "urn:isbn:1", "a+b.c-1:x"},
			[]string{"", "a", "/a", ":a", "1a:b", "a:b c", "a:%2", "a:%zz", "a:ä", "a:\"", "a_b:c"}},
		{"uuid", IsUUID, []string{"123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-00000000000F"},
			[]string{"", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400",
				"123e4567-e89b-12d3-a456-4266141740000", "123g4567-e89b-12d3-a456-426614174000",
				"123e4567-e89b-12d3-a456_426614174000"}},
		{"hostname", IsHostname, []string{"a", "a-b.example", "1.2", strings.Repeat("a", 63)},
			[]string{"", ".", "a.", "-a", "a-", "a_b", "ä", strings.Repeat("a", 64), strings.Repeat("a.", 127) + "a"}},
	}
	for _, tt := range tests {
		for _, s := range tt.yes {
			if !tt.is(s) {
				t.Errorf("%s refuses %q", tt.name, s)
			}
		}
		for _, s := range tt.no {
			if tt.is(s) {
				t.Errorf("%s accepts %q", tt.name, s)
			}
		}
	}
}

// The standard library is the judge of addresses; it also knows zones, which the formats do not have.
func TestAddressFormats(t *testing.T) {
	check := func(s string) {
		t.Helper()
		a, err := netip.ParseAddr(s)
		if want := err == nil && a.Is4(); IsIPv4(s) != want {
			t.Errorf("ipv4 of %q: got %v", s, !want)
		}
		if want := err == nil && a.Is6() && a.Zone() == ""; IsIPv6(s) != want {
			t.Errorf("ipv6 of %q: got %v", s, !want)
		}
	}
	for _, s := range []string{
		"", ":", "::", ":::", "::1", "1::", "1::2", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
		"1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::3:4:5:6:7:8",
		"::1.2.3.4", "1.2.3.4::", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4:1", "::ffff:1.2.3.256",
		"::12345", "fe80::1%eth0", "1::2::3", "::g", "1.2.3.4:",
		"1.2.3.4", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.", "0.0.0.0", "255.255.255.255", "1.2.3.-4",
		"::1.2.3.4.5",
	} {
		check(s)
	}
	const letters = "0123af:.:."
	for range 200_000 {
		b := make([]byte, rand.IntN(12))
		for i := range b {
			b[i] = letters[rand.IntN(len(letters))]
		}
		check(string(b))
	}
}
