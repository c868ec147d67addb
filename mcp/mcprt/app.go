package mcprt

import "github.com/mcpgen/mcpgen/mcp/internal/content"

// AppPage returns the content of an app that is one HTML file. It has the _meta of its entry in the list.
func AppPage(html string) Contents { return content.AppPage(html) }
