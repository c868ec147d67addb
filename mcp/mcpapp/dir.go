// Package mcpapp is for generated code of servers with an app that is a directory of files. Other servers are not
// linked with it.
package mcpapp

import (
	"io/fs"
	"sync"

	"github.com/mcpgen/mcpgen/internal/apppage"
	"github.com/mcpgen/mcpgen/mcp/mcprt"
)

// Dir returns the function that reads an app: the index.html of a directory, with the files to which it refers as parts
// of it. The document is put together when it is first read; an error is that of a file that is missing.
func Dir(files fs.FS, dir string) func(*mcprt.Call) (mcprt.Contents, error) {
	page := sync.OnceValues(func() (string, error) { return apppage.Assemble(files, dir) })
	return func(*mcprt.Call) (mcprt.Contents, error) {
		text, err := page()
		return mcprt.AppPage(text), err
	}
}
