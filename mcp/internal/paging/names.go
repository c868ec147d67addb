package paging

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A cursor has hashes of the names that its client was shown last, so that the next page begins at the right entry
// although entries come and go. MaxEntries and MaxDeclared are the largest numbers of hashes.
const (
	MaxEntries  = 32 // of the instances of a template
	MaxDeclared = 8  // of declared entries
)

// Names has the hashes of the names that a client was shown last, the last one at the end.
type Names []uint64

// Add appends the hash of a name and returns the result, which shares the memory of t. If t has limit hashes already,
// Add drops the first.
func (t Names) Add(hash uint64, limit int) Names {
	if len(t) == limit {
		copy(t, t[1:])
		t = t[:limit-1]
	}
	return append(t, hash)
}

// AppendTo appends the binary form of t.
func (t Names) AppendTo(b []byte) []byte {
	b = append(b, byte(len(t)))
	for _, h := range t {
		b = binary.BigEndian.AppendUint64(b, h)
	}
	return b
}

// CutNames reads the binary form of names at the start of b, and appends the names to t. rest is the part of b after
// that form. ok is false if b does not begin with the binary form of names.
func CutNames(b []byte, to Names) (t Names, rest []byte, ok bool) {
	if len(b) == 0 || len(b) < 1+8*int(b[0]) {
		return nil, nil, false
	}
	n := int(b[0])
	for b = b[1:]; n > 0; n-- {
		to, b = append(to, binary.BigEndian.Uint64(b)), b[8:]
	}
	return to, b, true
}

// After looks for the names of t among n entries, the last name first. It returns the index after the entry that it has
// found, and whether the entry has the last name of t. The index is -1 if none of the names is left.
func (t Names) After(n int, hash func(i int) uint64) (index int, last bool) {
	for k, want := range slices.Backward(t) {
		for i := range n {
			if hash(i) == want {
				return i + 1, k == len(t)-1
			}
		}
	}
	return -1, false
}

// Hash returns a hash of a name. It reads eight bytes at a time to be fast, because a page far down a list hashes all
// names before it.
func Hash[S string | []byte](name S) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(len(name)) * k0
	i := 0
	for ; i+8 <= len(name); i += 8 {
		var word uint64
		for k := range 8 {
			word |= uint64(name[i+k]) << (8 * k)
		}
		h = bits.RotateLeft64((h^word)*k1, 29)
	}
	for ; i < len(name); i++ {
		h = bits.RotateLeft64((h^uint64(name[i]))*k1, 29)
	}
	h ^= h >> 32
	return h * k0
}
