package resource

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/goname"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/serverir/names"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/structs"
)

// topicNames removes the names of generated functions that only subscriptions and lists need, from resources without
// them.
func (b *Builder) topicNames() {
	for _, r := range b.All {
		n := &r.Names
		if !r.Subscribe {
			n.Topic = ""
		}
		if n.URI != "" && (n.Entry != "" || n.Topic != "" && r.AliasOf == nil) {
			n.Append = "append" + n.URI
		}
	}
}

// resourceNames computes the generated names for r.
func (b *Builder) resourceNames(r *binding.Resource) {
	n := names.Template(b.base(r))
	if r.Template == nil {
		n = ir.ResourceNames{Read: n.Read, Watch: n.Watch}
	}
	if r.Subscribe {
		n.Updated = goname.UpperFirst(b.base(r)) + "Updated"
	}
	n.Entry, n.List = "", "" // until a list is found
	if r.Decl.Recv != "" && b.reads.Index(b.All, n.Read) >= 0 {
		full := goname.UpperFirst(r.Decl.Recv) + goname.UpperFirst(r.Decl.Name)
		n.Read, n.Watch = "read"+full, "watch"+full
	}
	r.Names = n
	if r.Root != nil {
		r.Root.Files = "files" + strings.TrimPrefix(n.Read, "read")
	}
	if r.Struct != nil {
		structs.FitNames(r)
	}
}
