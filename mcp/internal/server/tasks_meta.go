package server

import (
	"encoding/json"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
)

// maxKeptMeta is how many bytes of the _meta of a call are kept with its task.
const maxKeptMeta = 16 << 10

// keptMeta is the _meta of the calls that the server makes of a task. It has what the runtime or a handler can read of
// the client, whatever the revision: who it is, what it can do, the settings of the extensions that the server has, in
// 2025-11-25 the token for progress, and what the observer knows the call by. The rest, which has any size, is not
// kept.
func keptMeta(c *call.Call) ([]byte, error) {
	able := call.RequiredCapabilities(c.Peer().Capabilities())
	if c.Peer().Can(call.Apps) {
		able.Extensions.Set(call.AppsExtension, json.RawMessage(`{"mimeTypes":["`+call.AppType+`"]}`))
	}
	if x := serverOf(c).extensions; x != nil {
		x.SettingsFor(c, &able.Extensions)
	}
	meta := protocol.RequestMetaObject{ClientCapabilities: &able, ProtocolVersion: era.NewestServed.String()}
	if era.IsModern(c.Revision()) {
		if c.Request().Meta != nil && c.Request().Meta.ClientInfo != nil {
			info := c.Request().Meta.ClientInfo
			meta.ClientInfo = &protocol.Implementation{Name: session.Short(info.Name), Version: session.Short(info.Version)}
		}
	} else {
		if c.Request().Meta != nil {
			meta.ProgressToken = c.Request().Meta.ProgressToken
		}
		if name := session.ConnOf(c).ClientName(); name != nil {
			meta.ClientInfo = &protocol.Implementation{Name: session.Short(*name)}
		}
	}
	call.Carry(c, c.Request().Conn, &meta.Extra)
	text := meta.AppendJSON(nil, era.NewestServed)
	if len(text) > maxKeptMeta {
		return nil, content.InvalidParams("/_meta: a task keeps %d bytes of it, and may keep %d", len(text), maxKeptMeta)
	}
	return text, nil
}
