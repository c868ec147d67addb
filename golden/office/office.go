// Package office is one server made of the servers of other packages and of a feature of its own.
//
//mcp:server name=office version=2.0.0 title="The office" mount=./rooms,./people "instructions=Ask before you move people."
package office

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen ./...

// Address is where the office is. It stands at an address that the template of a mounted package matches too.
//
//mcp:resource uri=office:///address mime=text/plain
const Address = "1 Main Street\n"
