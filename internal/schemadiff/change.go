package schemadiff

import (
	"github.com/mcpgen/mcpgen/schema"
)

// Change is one difference between two revisions.
type Change struct {
	// Kind is one of [Kinds].
	Kind string `json:"kind"`
	// What is added, removed, renamed, changed, moved, narrowed or widened.
	What string `json:"change"`
	// Place is where, as the schemas name it: a definition, a method, or a member of a definition such as
	// Tool.inputSchema. The elements of a list are l[], the values of a map m{}.
	Place string `json:"place"`
	// Item is the enumeration value, union member, keyword or error code that the change is about, else empty.
	Item string `json:"item,omitempty"`
	// Go is the name in the generated package, empty if it has none: Tool, Tool.Title, MethodToolsCall.
	Go string `json:"go,omitempty"`
	// Old and New say what it was and what it is. The one that does not exist is empty.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Means says what the change asks of the author of a server.
	Means string `json:"means"`
}

// between says what happened to what was older and is newer: added, removed, the given word, or "" for nothing.
func between(older, newer, changed string) string {
	switch {
	case older == newer:
		return ""
	case older == "":
		return "added"
	case newer == "":
		return "removed"
	default:
		return changed
	}
}

// The kinds of changes.
const (
	KindDefinition = "definition"
	KindMember     = "member"
	KindRequired   = "required" // added: it may not be left out any more
	KindType       = "type"
	KindValue      = "value" // of an enumeration
	KindUnion      = "union" // its members
	// KindDiscriminator is the member whose constant tells the members of a union apart.
	KindDiscriminator = "discriminator"
	KindMethod        = "method"
	KindCode          = "code" // of an error
	KindBound         = "bound"
	KindFormat        = "format"
	KindPattern       = "pattern"
	KindDefault       = "default"
	KindAdditional    = "additional" // members that are not declared
	KindHint          = "hint"       // deprecated, readOnly, writeOnly
)

// Kinds are all kinds of changes in the order of the report.
var Kinds = []string{
	KindDefinition, KindMember, KindRequired, KindType, KindValue, KindUnion, KindDiscriminator, KindMethod,
	KindCode, KindBound, KindFormat, KindPattern, KindDefault, KindAdditional, KindHint,
}

// Names gives what schemas declare the names of the generated package. Each method returns "" for what has none.
type Names interface {
	// Definition returns the type of a definition of a revision.
	Definition(s *schema.Schema, name string) string
	// Member returns the field at a path of members below a definition, as Tool.Title.
	Member(s *schema.Schema, definition string, path []string) string
	// Method returns the constant of a method.
	Method(name string) string
	// Code returns the constant of the code that an error definition has.
	Code(definition, code string) string
}
