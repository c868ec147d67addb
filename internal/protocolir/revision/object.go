package revision

import (
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/schema"
)

// Properties returns the properties of an object and of what it includes, without those of frames and _meta.
func (v *View) Properties(n *schema.Node, depth int) map[string]*schema.Property {
	out := map[string]*schema.Property{}
	for _, part := range n.AllOf {
		if depth < MaxDepth {
			maps.Copy(out, v.Properties(v.Target(part), depth+1))
		}
	}
	isMethod := MethodOf(n) != ""
	for _, p := range n.Properties {
		if p.Name != "_meta" && !p.Node.Never && (!isMethod || p.Name != "jsonrpc" && p.Name != "id") {
			out[p.Name] = p
		}
	}
	return out
}

// ConstantsOver returns the constants that an object, or a part of it, has, by the names of their properties, and those
// in over, which go before. Where another part has the same property, the constant says more.
func (v *View) ConstantsOver(n *schema.Node, over map[string]schema.Literal) map[string]schema.Literal {
	if len(n.AllOf) == 0 {
		return nil
	}
	out := map[string]schema.Literal{}
	for name, p := range v.Properties(n, 0) {
		if p.Node.Const != nil && p.Node.Const.String {
			out[name] = *p.Node.Const
		}
	}
	maps.Copy(out, over)
	return out
}

// Admits reports whether a text is valid for a schema, as far as its type and the values that it lists say.
func (v *View) Admits(n *schema.Node, text schema.Literal, depth int) bool {
	admits := func(other *schema.Node) bool { return v.Admits(other, text, depth+1) }
	refuses := func(other *schema.Node) bool { return !admits(other) }
	switch {
	case n.Never:
		return false
	case depth > MaxDepth:
		return true
	case n.Ref != "" && refuses(v.Lookup(n.Ref).Node),
		len(n.Types) > 0 && !slices.Contains(n.Types, "string"),
		n.Const != nil && *n.Const != text,
		len(n.Enum) > 0 && !slices.Contains(n.Enum, text):
		return false
	}
	return !slices.ContainsFunc(n.AllOf, refuses) && (len(n.AnyOf) == 0 || slices.ContainsFunc(n.AnyOf, admits))
}

// Requires reports whether an object or a part of it requires a property.
func (v *View) Requires(n *schema.Node, name string) bool {
	inPart := func(part *schema.Node) bool { return v.Requires(v.Target(part), name) }
	return n.IsRequired(name) || slices.ContainsFunc(n.AllOf, inPart)
}

// InheritsMeta reports whether a revision declares _meta only on its generic request and
// notification, so that the params of every method have it without saying so.
func (v *View) InheritsMeta(role Role) bool {
	if role != RoleRequest && role != RoleNotification {
		return false
	}
	if v.openMeta == nil {
		out := v.declaresMeta()
		v.openMeta = &out
	}
	return *v.openMeta
}

func (v *View) declaresMeta() bool {
	return slices.ContainsFunc(v.Defs, func(d *schema.Def) bool {
		method, params := d.Node.Property("method"), d.Node.Property("params")
		return method != nil && method.Node.Const == nil && params != nil && params.Node.Property("_meta") != nil
	})
}
