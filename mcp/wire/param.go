package wire

import "bytes"

// AppendParam appends a query parameter to a URI: "?name=value", or "&name=value" if b has a question mark already. The
// name is not encoded, so it must need no escapes. The value is encoded as RFC 6570 expands {?x}.
func AppendParam(b []byte, name, value string) []byte {
	sep := byte('?')
	if bytes.IndexByte(b, '?') >= 0 {
		sep = '&'
	}
	b = append(append(b, sep), name...)
	return AppendSegment(append(b, '='), value)
}

// AppendSegmentBut is AppendSegment, but it encodes the characters of the parameter also as well, even unreserved ones.
// also is the text of the template between this variable and the next: a reader of the URI can then tell where the
// value ends.
func AppendSegmentBut(b []byte, s, also string) []byte {
	keep := unreserved
	for i := 0; i < len(also); i++ {
		keep[also[i]] = false
	}
	return appendEscaped(b, s, &keep)
}
