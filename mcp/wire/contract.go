package wire

// The compiler prints these names.
type (
	// Package_mcp_is_older_than_this_file__update_it__contract3 is the handshake between generated code and the packages
	// that it calls. Generated code names the handshake that it was written for at its top. If the runtime is too old, the
	// name is undefined, and the compiler prints it: it says what to do. CONTRIBUTING.md says when the number rises.
	Package_mcp_is_older_than_this_file__update_it__contract3 struct{}

	// This is the type of the old handshakes below, which no longer compile. The compiler prints its name where generated
	// code uses one of them.
	this_mcp_gen_go_is_older_than_package_mcp__run_go_generate struct{}
)

// Contract1 was the handshake of generated code that does not compile with this package any more.
var Contract1 this_mcp_gen_go_is_older_than_package_mcp__run_go_generate

// Package_mcp_is_older_than_this_file__update_it__contract2 was the handshake of generated code that calls package mcp
// itself.
var Package_mcp_is_older_than_this_file__update_it__contract2 this_mcp_gen_go_is_older_than_package_mcp__run_go_generate
