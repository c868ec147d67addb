package auth

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"
	"testing/synctest"
	"time"
)

// What is remembered of proofs has an end: for one key, and for all. It is forgotten when proofs are too old to count.
func TestProofsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p proofs
		number := uint64(0)
		most := func(key string) (n int) {
			for {
				number++
				sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, number))
				if used, err := p.add(key, sum, time.Now()); used || err != nil || n > maxProofs {
					return n
				}
				n++
			}
		}
		for _, key := range []string{"a", "b", "c", "d"} {
			if n := most(key); n != maxProofs/4 {
				t.Errorf("%d proofs of the key %s", n, key)
			}
		}
		if n := most("e"); n != 0 {
			t.Errorf("%d proofs more", n)
		}
		time.Sleep(proofWindow + 2*time.Minute)
		if n := most("a"); n != maxProofs/4 {
			t.Errorf("%d proofs later", n)
		}
	})
}
