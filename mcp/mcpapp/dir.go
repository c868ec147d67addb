// Package mcpapp is for generated code of servers with an app that is a directory of files. Other servers do not link
// it.
package mcpapp

import (
	"io/fs"
	"sync"

	"github.com/mcpgen/mcpgen/internal/apppage"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// Dir returns the function that reads an app: the index.html of a directory, with the files to which it refers inlined.
// The document is made when it is first read. An error names a file that is missing.
func Dir(files fs.FS, dir string) func(*mcprt.Call) (mcprt.Contents, error) {
	page := sync.OnceValues(func() (string, error) { return apppage.Assemble(files, dir) })
	return func(*mcprt.Call) (mcprt.Contents, error) {
		text, err := page()
		return mcprt.AppPage(text), err
	}
}
