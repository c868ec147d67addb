package wire

import "unicode/utf8"

// utf8Run returns the length in bytes of the run of valid characters outside ASCII at the start of s; 0 if the first
// character is invalid. The run stops before an invalid character, so that the caller can report where that character
// is.
func utf8Run[T string | []byte](s T) int {
	n := 0
	for n < len(s) && s[n] >= utf8.RuneSelf {
		if len(s)-n >= 4 {
			// Three bytes, the length of most characters outside the European scripts, in one look.
			w := uint32(s[n]) | uint32(s[n+1])<<8 | uint32(s[n+2])<<16 | uint32(s[n+3])<<24
			if w&0xc0c0f0 == 0x8080e0 && threeByteLead(w<<6&0x3c0|w>>8&0x3f) {
				n += 3
				continue
			}
		}
		size := utf8Len(s[n:])
		if size == 0 {
			break
		}
		n += size
	}
	return n
}

// utf8Len returns the length of the valid character outside ASCII that s starts with, or 0: no overlong forms, no
// surrogates, nothing beyond U+10FFFF.
func utf8Len[T string | []byte](s T) int {
	switch c := s[0]; {
	case c < 0xc2:
	case c < 0xe0:
		if len(s) >= 2 && s[1]^0x80 < 0x40 {
			return 2
		}
	case c < 0xf0:
		if len(s) < 3 || s[1]^0x80 >= 0x40 || s[2]^0x80 >= 0x40 {
			return 0
		}
		if threeByteLead(uint32(c&0xf)<<6 | uint32(s[1]&0x3f)) {
			return 3
		}
	case c < 0xf5:
		if len(s) < 4 || s[1]^0x80 >= 0x40 || s[2]^0x80 >= 0x40 || s[3]^0x80 >= 0x40 {
			return 0
		}
		if r := uint32(c&7)<<6 | uint32(s[1]&0x3f); r >= 0x10000>>12 && r <= 0x10ffff>>12 {
			return 4
		}
	}
	return 0
}

// threeByteLead judges the upper ten bits of a character written in three bytes: not overlong, not a surrogate.
func threeByteLead(r uint32) bool { return r >= 0x800>>6 && r>>5 != 0xd800>>11 }
