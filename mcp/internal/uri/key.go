package uri

import "strings"

// AppendKey appends a key made of the variables. Two URIs of one template have the same key if their variables have the
// same values, however these are percent-encoded.
func (v *Vars) AppendKey(b []byte) []byte {
	for j := range v.raw {
		if v.Has(j) {
			// A variable in that form has no space, so nothing in it looks like the beginning of the next variable.
			b = append(b, ' ', '0'+byte(j), ' ')
			b = appendSpelled(b, v.raw[j])
		}
	}
	return b
}

// appendSpelled appends the variable raw in one form for all its spellings. Only bytes that separate variables or
// elements of a list stay escaped.
func appendSpelled(b []byte, raw string) []byte {
	const hex = "0123456789ABCDEF"
	for {
		i := strings.IndexByte(raw, '%')
		if i < 0 || i+2 >= len(raw) {
			return append(b, raw...)
		}
		b = append(b, raw[:i]...)
		c := unhex(raw[i+1])<<4 | unhex(raw[i+2])
		switch c {
		case '/', '&', '%', ' ':
			b = append(b, '%', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
		raw = raw[i+3:]
	}
}

// unhex returns the value of c, which must be a hexadecimal digit. The router has checked that.
func unhex(c byte) byte {
	if c >= 'A' {
		return c&^0x20 - 'A' + 10
	}
	return c - '0'
}
