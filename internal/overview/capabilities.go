package overview

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/schema"
)

// writeCapabilities writes the capabilities that srv declares, as clients of each revision find them: a line for each
// range of revisions with the same ones.
func writeCapabilities(w io.Writer, srv *ir.Server, revisions []*schema.Schema) {
	caps := srv.Capabilities()
	names := caps.Names()
	for i := 0; i < len(revisions); {
		known := knownCapabilities(names, revisions[i])
		last := i
		for last+1 < len(revisions) && slices.Equal(known, knownCapabilities(names, revisions[last+1])) {
			last++
		}
		dates := revisions[i].Revision
		if last > i {
			dates += " to " + revisions[last].Revision
		}
		fmt.Fprintf(w, "  capabilities\t%s\t%s\n", dates, strings.Join(known, " "))
		i = last + 1
	}
}

// sinceEvents is the first revision of the protocol that events are for. Its schema does not have them.
const sinceEvents = "2026-07-28"

// knownCapabilities returns those of names that a revision has.
func knownCapabilities(names []string, s *schema.Schema) []string {
	at := slices.IndexFunc(s.Defs, func(d *schema.Def) bool { return d.Name == "ServerCapabilities" })
	if at < 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		first, _, _ := strings.Cut(name, ".")
		if first == "events" {
			return s.Revision < sinceEvents
		}
		return !slices.ContainsFunc(s.Defs[at].Node.Properties, func(p *schema.Property) bool { return p.Name == first })
	})
}
