package lists

import (
	"errors"
	"log/slog"
	"sync"

	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
)

// maxUnlisted is the largest number of URIs of a server that are logged because they cannot be read.
const maxUnlisted = 64

// errUnrouted is the reason why a listed URI cannot be read if it is no instance of any template.
var errUnrouted = errors.New("no resource has such a URI: perhaps a variable of its path is empty, or has no text")

// unlisted remembers for which listed URIs the log has a record that they cannot be read. Lists are made often, but
// each URI is logged only once. The zero value is ready for use. It is safe for concurrent use.
type unlisted struct {
	mu   sync.Mutex
	seen map[uint64]bool // guarded by mu; hashes of URIs
}

// note logs that uri, an instance of r, is left out of lists because of err. It logs each URI only once, and no more
// than maxUnlisted.
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

// add adds a hash. isNew says that its URI must be logged; it is false beyond maxUnlisted. n is the number of hashes.
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
