package revision

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

// Class is what a definition is for in one revision.
type Class uint8

// Classes.
const (
	ClassStruct Class = iota
	ClassUnion
	ClassEnum
	ClassAlias
	ClassMethod   // a request or notification: its method is a constant
	ClassRole     // the list of methods of one direction
	ClassEnvelope // JSON-RPC framing, which package wire does by hand
	ClassCode     // an error object with a constant code
)

// Class returns what a definition is for.
func (v *View) Class(n *schema.Node) Class {
	c, known := v.classes[n]
	if !known {
		c = v.findClass(n)
		if n.Ref == "" && len(n.AnyOf) == 0 { // else it may be found out differently from inside of itself
			v.classes[n] = c
		}
	}
	return c
}

func (v *View) findClass(n *schema.Node) Class {
	switch {
	case v.isRole(n):
		return ClassRole
	case v.isEnvelope(n, nil):
		return ClassEnvelope
	case MethodOf(n) != "":
		return ClassMethod
	case CodeOf(n) != "":
		return ClassCode
	case len(n.AnyOf) > 0:
		if !v.ofObjects(n) {
			return ClassAlias
		}
		return ClassUnion
	case len(n.Enum) > 0 && n.OnlyTexts():
		return ClassEnum
	case len(n.AllOf) > 0,
		n.Is("object") && (n.Additional == nil || len(n.Properties) > 0) && !(n.Open && !n.Declared):
		return ClassStruct
	default:
		return ClassAlias
	}
}

// ofObjects reports whether every alternative of a union is an object or null. A definition of any other union is
// another name of what its alternatives have in common, maybe of any value. A union that contains itself is that, too.
func (v *View) ofObjects(n *schema.Node) bool {
	if known, ok := v.objects[n]; ok {
		return known
	}
	v.objects[n] = false // while it is being found out
	v.objects[n] = !slices.ContainsFunc(n.AnyOf, func(alt *schema.Node) bool { return !v.isObject(alt, 0) })
	return v.objects[n]
}

func (v *View) isObject(n *schema.Node, depth int) bool {
	switch {
	case depth > MaxDepth:
		return false
	case n.Is("null"):
		return true
	case n.Ref != "":
		if _, fixed := v.ex.Type(n.Ref); fixed {
			return false
		}
		target := v.Lookup(n.Ref).Node
		switch v.Class(target) {
		case ClassStruct, ClassMethod, ClassUnion:
			return true
		case ClassAlias:
			return target.Ref != "" && v.isObject(target, depth+1)
		default:
			return false
		}
	case len(n.AnyOf) > 0:
		return v.ofObjects(n)
	default:
		return len(n.AllOf) > 0 || len(n.Properties) > 0
	}
}

// Version is what frames have as "jsonrpc". Package wire reads and writes no other.
const Version = "2.0"

// isEnvelope reports whether n is a JSON-RPC frame with an open method, a response, or a
// union or list of such.
func (v *View) isEnvelope(n *schema.Node, seen []*schema.Node) bool {
	if slices.Contains(seen, n) {
		return false
	}
	seen = append(seen, n)
	switch {
	case n.Ref != "":
		return v.isEnvelope(v.Lookup(n.Ref).Node, seen)
	case n.Items != nil:
		return v.isEnvelope(n.Items, seen)
	case len(n.AnyOf) > 0:
		return !slices.ContainsFunc(n.AnyOf, func(alt *schema.Node) bool { return !v.isEnvelope(alt, seen) })
	}
	if method := n.Property("method"); method != nil {
		return method.Node.Const == nil && len(method.Node.Enum) == 0 && method.Node.Is("string")
	}
	return n.Property("jsonrpc") != nil
}

// Kind returns what a definition is merged into.
func (v *View) Kind(n *schema.Node) Kind {
	switch v.Class(n) {
	case ClassUnion:
		return Union
	case ClassEnum:
		return Enum
	case ClassAlias:
		return Alias
	default:
		return Struct
	}
}

// ClassOfRef returns what the definition of a name is for. One whose type the exceptions fix is an alias.
func (v *View) ClassOfRef(name string) Class {
	if _, fixed := v.ex.Type(name); fixed {
		return ClassAlias
	}
	return v.Class(v.Lookup(name).Node)
}

// MethodOf returns the method of a request or notification definition, the first if it has several, or "".
func MethodOf(n *schema.Node) string {
	if methods := MethodsOf(n); len(methods) > 0 {
		return methods[0]
	}
	return ""
}

// MethodsOf returns all methods of a request or notification definition: a constant, or the values of an enumeration.
func MethodsOf(n *schema.Node) []string {
	p := n.Property("method")
	if p == nil || !p.Node.OnlyTexts() {
		return nil
	}
	if c := p.Node.Const; c != nil && c.String {
		return []string{c.Text}
	} else if c != nil {
		return nil
	}
	var out []string
	for _, l := range p.Node.Enum {
		out = append(out, l.Text)
	}
	return out
}

// CodeOf returns the constant code of an error object, or "".
func CodeOf(n *schema.Node) string {
	if p := n.Property("code"); p != nil && p.Node.Const != nil && !p.Node.Const.String {
		return p.Node.Const.Text
	}
	return ""
}

// Kind is what a definition is merged into.
type Kind uint8

// Kinds.
const (
	Struct Kind = iota
	Enum
	Union
	Alias
)

var kindNames = [...]string{"struct", "enum", "union", "alias"}

// String returns the name of a kind, in lower case.
func (k Kind) String() string { return kindNames[k] }

// KindOfMessage tells a notification, which nobody answers, from a request: by the name of the definition or a part of
// the name of the method.
func KindOfMessage(def, method string) string {
	if strings.HasSuffix(def, "Notification") || slices.Contains(strings.Split(method, "/"), "notifications") {
		return "notification"
	}
	return "request"
}
