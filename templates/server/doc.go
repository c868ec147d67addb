// Package server writes the mcp_gen.go of an annotated package. Its table of contents is in emit.go.
package server
