package feature

import "github.com/mcpgen/mcpgen/mcp/internal/access"

// Kind is one kind of features.
type Kind uint8

// The kinds.
const (
	KindResource Kind = iota
	KindTool
	KindPrompt

	NumKinds
)

// Feature has what features of all kinds share.
type Feature struct {
	Name   string         // how errors call it: a URI, a template or a name
	Served *RevisionRange // in which revisions it exists
	tags   []string
	Guard  *access.Guard

	// What it brings besides the capability of its kind.
	listChanges, subscribes, completes, logs bool
	extension                                string // that it belongs to; empty for none
}
