package templates

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
	"github.com/mcpgen/mcpgen/templates/protocol"
	"github.com/mcpgen/mcpgen/templates/server"
)

// File is one generated file.
type File = jenutil.File

// ProtocolOptions says how the protocol package is written. Both fields are required.
type ProtocolOptions = protocol.Options

// Protocol returns the files of the protocol package, or of an extension's. The error is a bug of mcpgen.
func Protocol(p *ir.Protocol, opts ProtocolOptions) ([]File, error) { return protocol.Emit(p, opts) }

// Part is the text of one file of the output of an annotated package.
type Part = server.Part

// EmitPackage returns the texts of the output of one annotated package, that of its mcp_gen.go first. The error is
// a bug of mcpgen: a representation that cannot be written down as Go.
func EmitPackage(p *ir.GoPackage) ([]Part, error) { return server.EmitPackage(p) }

// EmitPackageTest returns the text of the mcp_gen_test.go of one annotated package. The error is a bug of mcpgen.
func EmitPackageTest(p *ir.GoPackage) ([]byte, error) { return server.EmitPackageTest(p) }
