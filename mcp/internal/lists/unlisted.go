package lists

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
)

// maxUnlisted limits how many URIs of a server are logged because they cannot be read.
const maxUnlisted = 64

// errUnrouted is why a listed URI that is no instance of any template cannot be read.
var errUnrouted = errors.New("no resource has such a URI: perhaps a variable of its path is empty, or has no text")

// unlisted remembers which listed URIs that cannot be read were logged: lists are made often, and each URI is logged
// once. The zero value is ready for use. It is safe for concurrent use.
type unlisted struct {
	mu   sync.Mutex
	seen map[uint64]bool // guarded by mu; hashes of URIs
}

// note logs that uri, an instance of r, is left out of lists because of err; each URI once, and only the first ones.
func (u *unlisted) note(log *slog.Logger, uri string, r *feature.Resource, err error) {
	n, isNew := u.add(paging.Hash([]byte(uri)))
	if !isNew {
		return
	}
	log.Warn("mcp: a listed resource cannot be read, and is left out", "uri", uri, "template", r.URI(), "err", err)
	if n == maxUnlisted {
		log.Warn("mcp: further resources that cannot be read are left out without a message")
	}
}

// add reports whether a hash is new and to be logged, and how many there are.
func (u *unlisted) add(hash uint64) (n int, isNew bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.seen[hash] || len(u.seen) == maxUnlisted {
		return len(u.seen), false
	}
	if u.seen == nil {
		u.seen = map[uint64]bool{}
	}
	u.seen[hash] = true
	return len(u.seen), true
}
