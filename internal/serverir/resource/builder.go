package resource

import (
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/structs"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// Builder builds the resources of a server.
type Builder struct {
	feature.Passes
	*binding.Binder
	roots   *rootReader
	structs *structs.Reader
	// All are in source order; ByName finds them by Go name and by MCP name.
	All []*binding.Resource
	// doubles are resources at the address of another one, which is reported; nothing serves them.
	doubles []*binding.Resource
	ByName  map[string]*binding.Resource
	// byURI has the places in all; templates finds those that may overlap.
	byURI     map[string]int
	templates uritemplate.Index
	// Broken has the names of resources that could not be built.
	Broken map[string]bool
	// Updated are the resources that some tool says it changes.
	Updated map[*binding.Resource]bool
	// reads finds resources by the name of the function that reads them.
	reads *feature.Seen[*binding.Resource]
}

// At returns the resource with a URI that is no alias; nil for none.
func (b *Builder) At(uri string) *binding.Resource {
	if i, ok := b.byURI[uri]; ok && b.All[i].Alias == nil {
		return b.All[i]
	}
	return nil
}

// base is [names.Base] for a resource: the word that its generated names begin with.
func (b *Builder) base(r *binding.Resource) string { return names.Base(b.Servers.Pkg, r.Decl) }

// rootReader finds the directories that files are served from.
type rootReader struct{ *binding.Binder }
