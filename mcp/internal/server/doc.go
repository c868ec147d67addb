// Package server is the runtime: what packages mcp and mcprt show of it is for users and for generated code.
package server
