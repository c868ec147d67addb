package ir

import "math/bits"

// Revs is a set of protocol revisions: bit i stands for Protocol.Revisions[i].
type Revs uint64

// Has reports whether the set contains revision i.
func (r Revs) Has(i int) bool { return r>>i&1 == 1 }

// First returns the oldest revision of a set that is not empty.
func (r Revs) First() int { return bits.TrailingZeros64(uint64(r)) }

// Last returns the newest revision of a set that is not empty.
func (r Revs) Last() int { return bits.Len64(uint64(r)) - 1 }

// Contiguous reports whether no revision is missing between the first and the last.
func (r Revs) Contiguous() bool { return r != 0 && bits.OnesCount64(uint64(r)) == r.Last()-r.First()+1 }
