// Package directive is the language of the //mcp: directives.
//
// Parse turns one comment line into a Directive with the position of every
// part. Its lexical rules are a superset of go/ast's ParseDirective and
// ParseArgs: what those accept without quotes after an equals sign means the
// same here. In addition a quote may stand directly after "=", so that
// title="Team notes" is one argument.
//
// The directives are Go structs, one per directive (Server, Resource, Cache, …), with one
// typed field per option. The struct is at once the parser's table, the typed
// result that later stages read, and the source of docs/directives.md, which is
// made of the doc comments of its fields. To add an option, add a
// field; to add a directive, add a struct and a row in the table of table.go. A test
// demands that a later stage reads each option, so that none is ignored.
//
// Package check below matches a Directive with the table, fills its Spec and reports
// what is wrong. Package nearmiss finds comments that were probably meant as
// directives. Both add to a diag.List; nothing stops at the first mistake.
// Package reference makes the page of documentation.
package directive
