package wire

import "math"

// rawDepth is the deepest value that AppendRaw writes. Checking needs no recursion, so it only bounds what a peer must
// endure.
const rawDepth = 10_000

// AppendRaw appends a JSON value without the white space around and between its tokens, so that no line break can get
// into a message. What Check refuses becomes null; size is not limited.
func AppendRaw(b, raw []byte) []byte {
	if check(raw, Limits{Bytes: math.MaxInt32, Depth: rawDepth}) != nil {
		return append(b, "null"...)
	}
	for i := 0; i < len(raw); {
		switch raw[i] {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			end, _ := stringEnd(raw, i+1)
			b = append(b, raw[i:end+1]...)
			i = end + 1
		default:
			end := tokenRun(raw, i)
			b = append(b, raw[i:end]...)
			i = end
		}
	}
	return b
}

// tokenRun returns the index of the first white space or quote at or after i.
func tokenRun(raw []byte, i int) int {
	for i < len(raw) && raw[i] > ' ' && raw[i] != '"' {
		i++
	}
	return i
}
