package mcphttp

import (
	"fmt"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/certs"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/disk"
	"github.com/mcpgen/mcpgen/mcp/mcphttp/internal/keyfile"
)

// sessionsBeside is appended to the name of the file of keys to name the folder of sessions.
const sessionsBeside = ".sessions"

// open opens the files that the flags name. It gives the keys to srv. With -keys it also sets the session store of
// opts, unless there is one. pair is nil without a certificate.
func (c *Command) open(srv Server, opts *Options) (pair *certs.Pair, err error) {
	if c.keys != "" {
		keys, err := keyfile.Load(c.keys)
		if err == nil {
			err = server.UseKeys((*server.Server)(srv.Base()), keys)
		}
		if err != nil {
			return nil, fmt.Errorf("mcphttp: -keys: %w", err)
		}
		if opts.SessionStore == nil {
			store, err := disk.Open(c.keys + sessionsBeside)
			if err != nil {
				return nil, fmt.Errorf("mcphttp: -keys: %w", err)
			}
			opts.SessionStore = store
		}
	}
	if c.cert == "" {
		return nil, nil //nolint:nilnil // no certificate
	}
	if pair, err = certs.Open(c.cert, c.key, opts.Logger); err != nil {
		return nil, fmt.Errorf("mcphttp: -tls-cert: %w", err)
	}
	return pair, nil
}
