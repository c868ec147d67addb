package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// MaxClientSettings is how many bytes of settings a session of an older revision remembers, of all extensions together.
const MaxClientSettings = 1024

// clientSettings are the settings that a client has declared in initialize, by the places of their extensions. Settings
// without members are "".
type clientSettings []string

// forgottenSettings stand for settings that are too long for a session.
const forgottenSettings = "-"

// Extension reports whether the client has declared the extension id, which this server has too, and decodes the
// settings of the client into settings, as [json.Unmarshal] does; nil means that they are not wanted. The error is for
// the client, unless settings is no pointer.
func (c Client) Extension(id string, settings any) (declared bool, err error) {
	if c.call == nil || c.call.conn == nil {
		return false, nil
	}
	x := c.call.conn.s.features.Extensions
	if x == nil {
		return false, nil
	}
	text, declared := x.clientSettings(c.call, id)
	switch {
	case !declared || settings == nil:
		return declared, nil
	case text == forgottenSettings:
		return true, wire.NewError(wire.CodeInvalidParams, fmt.Sprintf(
			"invalid settings of the extension %s: those of all extensions may have %d bytes", id, MaxClientSettings))
	}
	return true, decodeSettings(id, text, settings)
}

// decodeSettings decodes the settings of a client.
func decodeSettings(id, text string, to any) error {
	if text == "" {
		text = string(noArguments)
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

func (x *extensions) clientSettings(call *Call, id string) (text string, declared bool) {
	i := x.find(id)
	switch {
	case i < 0:
		return "", false
	case !isModern(call.rev):
		l := &call.conn.legacy
		return l.settings.Load().of(i), extensionSet(l.extensions.Load()).has(i)
	case call.meta == nil || call.meta.ClientCapabilities == nil:
		return "", false
	}
	settings, declared := call.meta.ClientCapabilities.Extensions.Get(id)
	if string(settings) == `"`+forgottenSettings+`"` { // of a session whose call has become a task
		return forgottenSettings, declared
	}
	return string(settings), declared
}

func (x *extensions) settingsFor(call *Call, all *wire.Map[json.RawMessage]) {
	for _, e := range x.list {
		switch text, declared := x.clientSettings(call, e.id); {
		case !declared:
		case text == "":
			all.Set(e.id, noArguments)
		case text == forgottenSettings:
			all.Set(e.id, json.RawMessage(`"`+forgottenSettings+`"`))
		default:
			all.Set(e.id, json.RawMessage(text))
		}
	}
}

// of returns the settings of the i-th extension. The receiver may be nil.
func (all *clientSettings) of(i int) string {
	if all == nil || i >= len(*all) {
		return ""
	}
	return (*all)[i]
}

// with sets the settings of the i-th extension of n, and returns the receiver, which is made when it is needed.
func (all *clientSettings) with(i int, text string, n int) *clientSettings {
	if text == "" {
		return all
	}
	if all == nil {
		list := make(clientSettings, n)
		all = &list
	}
	(*all)[i] = text
	return all
}

// settingsOf returns the settings that a client of an older revision has declared, in which either member counts.
func (x *extensions) settingsOf(c *protocol.ClientCapabilities) (all *clientSettings) {
	left := MaxClientSettings
	for i, d := range x.list {
		text, _ := extensionOf(c, d.id)
		if isEmptyObject(text) {
			text, _ = c.Experimental.Get(d.id)
		}
		if isEmptyObject(text) {
			continue
		}
		if len(text) > left {
			all = all.with(i, forgottenSettings, len(x.list))
			continue
		}
		left -= len(text)
		all = all.with(i, string(text), len(x.list))
	}
	return all
}

// isEmptyObject reports whether an object has no members, or is absent.
func isEmptyObject(text []byte) bool {
	return len(text) <= len("{}") || len(bytes.TrimSpace(text[1:])) == 1
}
