// Package keys links a program with the encryption for Options.Keys of package mcp. It has no names: it is imported for
// its effect.
//
// Programs that serve HTTP, events or tasks are linked with it already. A program that serves nothing but stdio needs
// no encryption: what would be sealed stays in the process, and the client gets a random name for it. The newest 4,096
// names are valid. Such a program imports this package if it sets Options.Keys, or if it serves several clients on
// connections of its own:
//
//	import _ "github.com/mcpgen/mcpgen/mcp/keys"
package keys

import _ "github.com/mcpgen/mcpgen/mcp/internal/seal/aead" // the effect
