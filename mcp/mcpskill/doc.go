// Package mcpskill is for generated code of servers with skills (extension io.modelcontextprotocol/skills). Other
// servers do not link it.
//
// Generated code calls [Add] with the embedded files of each declaration, and with the frontmatter that the generator
// read in them. Each file becomes a resource, and the methods of the extension list the skills (server.go, methods.go).
package mcpskill
