// Package pack makes what people install of a server: an MCPB bundle that a client opens, an image that a container
// runs, and the server.json that a registry lists. Program mcpgen-pack is its command line, which mcpgen pack starts.
//
// [Run] reads the command line (options.go, input.go), asks the source of the program what it serves (facts.go), builds
// the program (build.go), makes each file (bundle.go, image.go, registry.go), and writes all of them or none.
package pack
