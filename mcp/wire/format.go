package wire

import (
	"bytes"
	"strings"
	"time"
)

// IsDateTime reports whether s is a time as RFC 3339 writes it, the format date-time of JSON Schema.
func IsDateTime(s string) bool {
	_, ok := dateTime([]byte(s))
	return ok
}

// dateTime reads a time. It refuses a comma before the fraction of a second, which package time accepts.
func dateTime(s []byte) (t time.Time, ok bool) {
	if bytes.IndexByte(s, ',') >= 0 || t.UnmarshalText(s) != nil {
		return time.Time{}, false
	}
	return t, true
}

// IsDate reports whether s is a day such as 2026-07-28, the format date of JSON Schema.
func IsDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// IsIPv4 reports whether s is an address such as 192.0.2.1, the format ipv4 of JSON Schema.
func IsIPv4(s string) bool {
	n := 0
	for part := range strings.SplitSeq(s, ".") {
		n++
		if part == "" || len(part) > 3 || !only(part, digits) || len(part) > 1 && part[0] == '0' || len(part) == 3 &&
			part > "255" {
			return false
		}
	}
	return n == 4
}

// IsIPv6 reports whether s is an address such as 2001:db8::1 without a zone, the format ipv6 of JSON Schema.
func IsIPv6(s string) bool {
	head, tail, short := strings.Cut(s, "::")
	if !short {
		return groups(s, true) == 8
	}
	left, right := groups(head, false), groups(tail, true)
	return left >= 0 && right >= 0 && left+right < 8
}

// groups counts the groups of hexadecimal digits in a part of an IPv6 address; -1 if the part is not valid. If the
// address ends with this part (atEnd), the part may end in an IPv4 address, which counts as two groups.
func groups(s string, atEnd bool) int {
	if s == "" {
		return 0
	}
	n := 0
	for group := range strings.SplitSeq(s, ":") {
		if atEnd && strings.Contains(group, ".") && strings.HasSuffix(s, group) && IsIPv4(group) {
			return n + 2
		}
		if group == "" || len(group) > 4 || !only(group, digits+"abcdefABCDEF") {
			return -1
		}
		n++
	}
	return n
}

const digits = "0123456789"

// IsUUID reports whether s is an identifier in the form of RFC 9562: 36 characters with four hyphens.
func IsUUID(s string) bool {
	for i := range len(s) {
		switch hyphen := i == 8 || i == 13 || i == 18 || i == 23; {
		case hyphen && s[i] != '-', !hyphen && hexValue(s[i]) > 15:
			return false
		}
	}
	return len(s) == 36
}

// IsHostname reports whether s is a name of a host as RFC 1123 has it: labels of letters, digits and hyphens.
func IsHostname(s string) bool {
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		n := len(label)
		if n == 0 || n > 63 || label[0] == '-' || label[n-1] == '-' || !only(label, alphanumeric+"-") {
			return false
		}
	}
	return true
}

// IsEmail reports whether s has the form of a mail address: a name without quotes or spaces, and a host.
func IsEmail(s string) bool {
	name, host, found := strings.Cut(s, "@")
	if !found || len(name) > 64 || !IsHostname(host) {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" || !only(part, alphanumeric+"!#$%&'*+-/=?^_`{|}~") {
			return false
		}
	}
	return true
}

// IsURI reports whether s is a URI with a scheme: only characters that RFC 3986 allows, and whole percent escapes.
func IsURI(s string) bool {
	scheme, rest, found := strings.Cut(s, ":")
	letter := scheme != "" && only(scheme[:1], alphanumeric[:52])
	if !found || !letter || !only(scheme, alphanumeric+"+-.") {
		return false
	}
	for i := 0; i < len(rest); i++ {
		switch {
		case uriByte[rest[i]]:
		case rest[i] == '%' && i+2 < len(rest) && hexValue(rest[i+1]) <= 15 && hexValue(rest[i+2]) <= 15:
			i += 2
		default:
			return false
		}
	}
	return true
}

// only reports whether all bytes of s are among set.
func only(s, set string) bool { return strings.Trim(s, set) == "" }
