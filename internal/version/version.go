// Package version has the constants that the generator writes into its output. They do not come from build information,
// so the same sources give the same output, however mcpgen was built.
package version

import "strings"

// Module is the import path of the module of mcpgen and of its runtime.
const Module = "github.com/mcpgen/mcpgen"

// Version is the version of mcpgen.
const Version = "v0.1.0-dev"

// Released reports whether modules can require this version.
func Released() bool { return !strings.HasSuffix(Version, "-dev") }

// Contract is the type of package mcp/wire that generated code names at its top, so that the compiler says what to do
// where the code and the mcp packages do not fit together. CONTRIBUTING.md says when its number rises.
const Contract = "Package_mcp_is_older_than_this_file__update_it__contract3"
