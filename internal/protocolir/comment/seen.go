package comment

import (
	"github.com/mcpgen/mcpgen/internal/protocolir/revision"
	"github.com/mcpgen/mcpgen/schema"
)

// See tells the docs about everything that the schemas have, with or without a Go declaration, so that only entries
// about nothing are left over. own reports whether sentences for a definition belong here.
func See(docs *schema.Docs, schemas []*schema.Schema, own func(name string) bool) {
	for _, s := range schemas {
		for _, d := range s.Defs {
			if !own(d.Name) {
				continue
			}
			seeNode(docs, s, d.Name, d.Node)
			for _, v := range d.Node.Enum {
				docs.Seen("enums " + d.Name + "." + v.Text)
			}
			if p := d.Node.Property("params"); p != nil && revision.MethodOf(d.Node) != "" {
				seeNode(docs, s, d.Name+"Params", p.Node)
			}
		}
	}
}

func seeNode(docs *schema.Docs, s *schema.Schema, path string, n *schema.Node) {
	docs.Seen("types " + path)
	docs.Seen("enums " + path)
	for _, p := range n.Properties {
		seeNode(docs, s, path+"."+p.Name, p.Node)
	}
	for _, part := range n.AllOf {
		seeNode(docs, s, path, s.Target(part))
	}
	if n.Items != nil {
		seeNode(docs, s, path, n.Items)
	}
}
