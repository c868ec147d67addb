package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// MaxClientSettings is how many bytes of settings a session of an older revision remembers, of all extensions together.
const MaxClientSettings = 1024

// ForgottenSettings stands in place of settings that are too long for a session. Behind it is the version that the
// settings name, if they name one.
const ForgottenSettings = "-"

// Forgotten reports whether text stands for settings that are too long.
func Forgotten(text string) bool { return strings.HasPrefix(text, ForgottenSettings) }

// Extension reports whether the client has declared the extension id, which this server must have too. It decodes the
// client's settings into settings, as [json.Unmarshal] does; nil means that they are not wanted. The error is for the
// client, unless settings is no pointer.
func (c Peer) Extension(id string, settings any) (declared bool, err error) {
	if c.call == nil || c.call.req.Conn == nil {
		return false, nil
	}
	text, declared := c.call.req.Conn.Owner.ClientSettings(c.call, id)
	switch {
	case !declared || settings == nil:
		return declared, nil
	case Forgotten(text):
		return true, errForgotten(id)
	}
	return true, decodeSettings(id, text, settings)
}

// errForgotten is the error for settings that are too long for a session.
func errForgotten(id string) error {
	return wire.NewError(wire.CodeInvalidParams, fmt.Sprintf(
		"invalid settings of the extension %s: those of all extensions may have %d bytes", id, MaxClientSettings))
}

// decodeSettings decodes the settings of a client.
func decodeSettings(id, text string, to any) error {
	if text == "" {
		text = string(content.EmptyObject)
	}
	err := json.Unmarshal([]byte(text), to)
	if err == nil {
		return nil
	}
	if _, ours := errors.AsType[*json.InvalidUnmarshalError](err); ours {
		return fmt.Errorf("mcp: settings of the extension %s: %w", id, err)
	}
	why := err.Error()
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		why = fmt.Sprintf("/%s: want %s, got %s", strings.ReplaceAll(wrong.Field, ".", "/"), wrong.Type, wrong.Value)
	}
	return wire.NewError(wire.CodeInvalidParams, "invalid settings of the extension "+id+": "+why)
}

// ExtensionRevision returns the version of the extension id that the client of the request speaks: the one that it
// names in its settings, or else the first of those that the server speaks. It is "" if the server does not have the
// extension, or speaks no versions of it. The error is for the client.
func (c Peer) ExtensionRevision(id string) (string, error) {
	if c.call == nil || c.call.req.Conn == nil {
		return "", nil
	}
	return c.call.req.Conn.Owner.ExtensionRevision(c.call, id)
}
