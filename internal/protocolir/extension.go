package protocolir

import (
	"github.com/mcpgen/mcpgen/internal/protocolir/extension"
	"github.com/mcpgen/mcpgen/internal/protocolir/merge"
	"github.com/mcpgen/mcpgen/schema"
)

// extensionNames are declared in the package of an extension, in addition to reservedNames.
var extensionNames = []string{"Core", "ID", "Since"}

// Core is the merged core that extensions refer to.
type Core = extension.Core

// Extension merges the versions of an extension into the IR of a package of its own, by the rules for revisions.
// Definitions that the extension repeats from the core, and anonymous objects that equal some of the core, are the
// types of the core.
//
// A version extends the newest revision of the core that is not younger than it. Clients and servers speak it in that
// and all newer revisions; codecs take the version, not the revision of the core.
func Extension(ext *schema.Extension, core *Core) (*Result, error) {
	api := &schema.API{}
	if core.API != nil && core.API.Extensions[ext.ID] != nil {
		api = core.API.Extensions[ext.ID]
	}
	x, err := extension.Join(ext, core)
	if err != nil {
		return nil, err
	}
	file := x.Table("exceptions.json")
	m := merge.Run(x.Schemas, merge.Options{Exceptions: x.Exceptions, API: api, File: file, Listed: true})
	b := newBuilder(m, x.Exceptions, ext.Docs, x)
	p := b.build()
	if err := x.Place(p); err != nil {
		return nil, err
	}
	r := &Result{Protocol: p, Notes: append(x.Notes, b.Notes...), Warnings: x.Warnings}
	for _, w := range b.Warnings {
		if x.Files[w.Pos.File] {
			r.Warnings = append(r.Warnings, w)
		}
	}
	return r, b.finish(r, file, x.Table("docs.json"))
}
