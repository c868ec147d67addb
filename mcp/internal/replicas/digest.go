package replicas

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/paging"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
)

// addedDigest is the digest of the tools that were added to a server.
type addedDigest struct {
	version any
	digest  uint64
}

// Digests implements [relay.Receiver].
func (r *Replica) Digests() relay.Digests {
	version, tools := r.server.AddedTools()
	d := r.added.Load()
	if d == nil || d.version != version {
		d = &addedDigest{version: version}
		for t := range tools {
			if t.Answer == nil {
				d.digest += paging.Hash(t.Entry.AppendJSON(nil, protocol.Latest)) // a sum, so that the order does not matter
			}
		}
		r.added.Store(d)
	}
	return relay.Digests{Declared: r.declared, Added: d.digest}
}

// digestOf returns a digest of the lists of f, as clients of the newest revision get them.
func digestOf(f *feature.Features) uint64 {
	var b []byte
	for i := range f.Resources {
		if r := &f.Resources[i]; r.Template != nil {
			b = r.Template.AppendJSON(b, protocol.Latest)
		} else {
			b = r.Entry.AppendJSON(b, protocol.Latest)
		}
	}
	for i := range f.Tools {
		b = f.Tools[i].Entry.AppendJSON(b, protocol.Latest)
	}
	for i := range f.Prompts {
		b = f.Prompts[i].Entry.AppendJSON(b, protocol.Latest)
	}
	return paging.Hash(b)
}
