package tool

import (
	"go/types"
	"regexp"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/load"
	"github.com/mcpgen/mcpgen/internal/serverir/feature"
	"github.com/mcpgen/mcpgen/internal/serverir/resource"
)

// NamePattern is the form of names that the protocol asks for.
var NamePattern = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// otherSigns matches characters that no name may have.
var otherSigns = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// resourceTools has the names of the tools that astools=generic adds. The runtime knows them by these names.
var resourceTools = []string{"list_resources", "read_resource"}

// builder builds the tools of a server.
type builder struct {
	feature.Passes
	*feature.Context
	resources *resource.Builder
	// decls remembers where each tool was declared, in the order of server.Tools.
	decls []*load.Decl
	// plainIn has the structs that were made of the parameters of tools.
	plainIn map[*load.Decl]types.Type
	// refused has the tools whose parameters or results are not those of a tool.
	refused map[*load.Decl]bool
	// names and callNames find tools, and argsNames prompts by the type of their arguments.
	names, callNames *feature.Seen[*ir.Tool]
	argsNames        *feature.Seen[*ir.Prompt]
}
