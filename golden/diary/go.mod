module github.com/mcpgen/mcpgen/golden/diary

go 1.26.0

require (
	github.com/mcpgen/mcpgen v0.0.0
	github.com/mcpgen/mcpgen/auth v0.0.0
)

require github.com/go-jose/go-jose/v4 v4.1.9 // indirect

replace github.com/mcpgen/mcpgen => ../..

replace github.com/mcpgen/mcpgen/auth => ../../auth
