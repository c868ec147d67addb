package seal

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
	"sync"
)

// How many texts a box keeps, and how many bytes they have. Beyond these limits the oldest texts are dropped.
const (
	mostKept      = 1 << 12
	mostKeptBytes = 16 << 20
)

// kept is a box whose texts stay in the process. The client gets a random name for each text.
type kept struct {
	seed maphash.Seed

	mu    sync.Mutex
	texts map[string]keptText
	names []string // of texts, the oldest first
	bytes int      // of texts
}

type keptText struct {
	plain   []byte
	purpose uint64 // the hash of the purpose, with a seed that nobody knows
}

func newKept() *kept { return &kept{seed: maphash.MakeSeed(), texts: make(map[string]keptText)} }

// Seal implements [Box].
func (k *kept) Seal(plain, purpose []byte) []byte {
	var name []byte
	for range 2 {
		// The runtime seeds its ChaCha8 from the system, so that no name can be guessed; and only the client that has the
		// process to itself could try.
		name = binary.BigEndian.AppendUint64(name, rand.Uint64()) //nolint:gosec // see above
	}
	text := keptText{plain: bytes.Clone(plain), purpose: maphash.Bytes(k.seed, purpose)}
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.names) > 0 && (len(k.names) >= mostKept || k.bytes+len(plain) > mostKeptBytes) {
		oldest := k.names[0]
		k.names = k.names[1:]
		k.bytes -= len(k.texts[oldest].plain)
		delete(k.texts, oldest)
	}
	k.names = append(k.names, string(name))
	k.texts[string(name)] = text
	k.bytes += len(plain)
	return name
}

// Open implements [Box].
func (k *kept) Open(sealed, purpose []byte) ([]byte, error) {
	k.mu.Lock()
	text, found := k.texts[string(sealed)]
	k.mu.Unlock()
	if !found || text.purpose != maphash.Bytes(k.seed, purpose) {
		return nil, ErrInvalid
	}
	return bytes.Clone(text.plain), nil
}

// Knows implements [Box].
func (k *kept) Knows([]byte) bool { return false }

// Use implements [Box].
func (k *kept) Use([][]byte) error { return errNotLinked }
