package merged

import "github.com/mcpgen/mcpgen/internal/ir"

// Method is a request or notification that a role lists in some revision.
type Method struct {
	Name         string // on the wire
	Def          string // name of its definition
	Notification bool
	Client       ir.Revs // revisions in which a client sends it
	Server       ir.Revs
	By           map[int]string // definition by revision
	Params       string         // merged definition
	Results      []string       // merged definitions of structs
}

// Code is an error code with the name of the error that has it.
type Code struct {
	Name string // definition name without the word Error
	Def  string
	Text string
	Data string // merged definition of its data, "" if any
	Revs ir.Revs
}
