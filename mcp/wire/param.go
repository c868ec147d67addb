package wire

import "bytes"

// AppendParam appends a query parameter to a URI: "?name=value", or "&name=value" if b has a question mark already.
// Name must need no escapes; value is encoded as RFC 6570 expands {?x}.
func AppendParam(b []byte, name, value string) []byte {
	sep := byte('?')
	if bytes.IndexByte(b, '?') >= 0 {
		sep = '&'
	}
	b = append(append(b, sep), name...)
	return AppendSegment(append(b, '='), value)
}

// AppendSegmentBut is AppendSegment, but encodes the unreserved characters of the string also as well: those that the
// template has between this variable and the next.
func AppendSegmentBut(b []byte, s, also string) []byte {
	keep := unreserved
	for i := 0; i < len(also); i++ {
		keep[also[i]] = false
	}
	return appendEscaped(b, s, &keep)
}
