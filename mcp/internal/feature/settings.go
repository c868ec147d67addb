package feature

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ClientSettings returns the settings that the client of a request has declared for an extension, as JSON. declared is
// false if the client has not declared the extension, or the server does not have it.
func (x *DeclaredExtensions) ClientSettings(call *call.Call, id string) (text string, declared bool) {
	i := x.find(id)
	if i < 0 {
		return "", false
	}
	return x.settingsIn(call.Request().Conn, call.Revision(), call.Request().Meta, i)
}

// settingsIn returns the settings that the client has declared for the i-th extension: in meta, the _meta of the
// message, or in the handshake of a legacy session.
func (x *DeclaredExtensions) settingsIn(c *call.Conn, rev protocol.Revision, meta *protocol.RequestMetaObject, i int) (
	text string, declared bool,
) {
	switch {
	case !era.IsModern(rev):
		return c.Settings.Load().Of(i), call.ExtensionSet(c.Extensions.Load()).Has(i)
	case meta == nil || meta.ClientCapabilities == nil:
		return "", false
	}
	settings, declared := meta.ClientCapabilities.Extensions.Get(x.list[i].id)
	text = string(settings)
	if kept := strings.Trim(text, `"`); call.Forgotten(kept) { // of a legacy session whose call is now a task
		return kept, declared
	}
	return text, declared
}

// SettingsFor adds the settings that the client of a request has declared for extensions of the server to all, by the
// identifier of the extension.
func (x *DeclaredExtensions) SettingsFor(c *call.Call, all *wire.Map[json.RawMessage]) {
	for _, e := range x.list {
		switch text, declared := x.ClientSettings(c, e.id); {
		case !declared:
		case text == "":
			all.Set(e.id, content.EmptyObject)
		case call.Forgotten(text):
			all.Set(e.id, json.RawMessage(`"`+text+`"`))
		default:
			all.Set(e.id, json.RawMessage(text))
		}
	}
}

// settingsOf returns the settings that a client of an older revision has declared for extensions of the server, in the
// member extensions or experimental of its capabilities. Settings that do not fit in call.MaxClientSettings bytes are
// replaced by call.ForgottenSettings and the version of the extension that they name.
func (x *DeclaredExtensions) settingsOf(c *protocol.ClientCapabilities) (all *call.ClientSettings) {
	left := call.MaxClientSettings
	for i, d := range x.list {
		text, _ := call.ExtensionOf(c, d.id)
		if isEmptyObject(text) {
			text, _ = c.Experimental.Get(d.id)
		}
		if isEmptyObject(text) {
			continue
		}
		if len(text) > left {
			all = all.With(i, call.ForgottenSettings+d.named(string(text)), len(x.list))
			continue
		}
		left -= len(text)
		all = all.With(i, string(text), len(x.list))
	}
	return all
}

// isEmptyObject reports whether text, a JSON object or empty, has no members.
func isEmptyObject(text []byte) bool {
	return len(text) <= len("{}") || len(bytes.TrimSpace(text[1:])) == 1
}

// Revision returns the version of an extension that the client of a request speaks; "" for an extension without
// versions. The error is the error of the response: the server does not speak the version of the client.
func (x *DeclaredExtensions) Revision(call *call.Call, id string) (string, error) {
	i := x.find(id)
	if i < 0 {
		return "", nil
	}
	text, _ := x.ClientSettings(call, id)
	return x.list[i].revisionIn(text)
}

// revisionIn returns the version that a client with these settings speaks; "" for an extension without versions. The
// error is the error of the response.
func (d *declaredExtension) revisionIn(settings string) (string, error) {
	if len(d.revisions) == 0 {
		return "", nil
	}
	name, short := strings.CutPrefix(settings, call.ForgottenSettings)
	if !short {
		name = d.named(settings)
	}
	switch {
	case name == "":
		return d.revisions[0], nil
	case name != unknownRevision:
		return name, nil
	}
	err := wire.NewError(wire.CodeInvalidParams, "invalid settings of the extension "+d.id+": /"+memberRevision+
		": the server speaks "+strings.Join(d.revisions, ", "))
	err.Data = append(wire.AppendStrings([]byte(`{"supported":`), d.revisions), '}')
	return "", err
}

// unknownRevision stands for a version that the server does not speak.
const unknownRevision = "?"

// named returns the version in settings, or unknownRevision if the server does not speak it. It returns "" if settings
// have no version, or the extension has none.
func (d *declaredExtension) named(settings string) string {
	value, named := wire.Lookup([]byte(settings), memberRevision)
	if !named || len(d.revisions) == 0 {
		return ""
	}
	text := wire.NewDecoder(value)
	if name := text.String(); text.Err() == nil && slices.Contains(d.revisions, name) {
		return name
	}
	return unknownRevision
}

// ErrUnknownMethod is the error of the response to a method that does not exist.
var ErrUnknownMethod = wire.NewError(wire.CodeMethodNotFound, "method not found")

// ErrNoMethod is the error of the response to a method of a capability that the server does not have.
var ErrNoMethod = wire.NewError(wire.CodeMethodNotFound, "method not found: the server does not have this capability")

// Spoken returns the version of an extension that the client of a message speaks; "" for an extension without versions.
// i is the index of the extension. The error is the error of the response.
func (x *DeclaredExtensions) Spoken(
	c *call.Conn, rev protocol.Revision, i int, meta *protocol.RequestMetaObject,
) (string, error) {
	d := &x.list[i]
	if len(d.revisions) == 0 {
		return "", nil
	}
	settings, _ := x.settingsIn(c, rev, meta, i)
	return d.revisionIn(settings)
}

// Unspoken returns the error of the response if the client of a message speaks a version of the extension without the
// method m; nil if the version has it.
func (x *DeclaredExtensions) Unspoken(
	c *call.Conn, rev protocol.Revision, m DeclaredMethod, meta *protocol.RequestMetaObject,
) error {
	switch spoken, err := x.Spoken(c, rev, m.Of, meta); {
	case err != nil:
		return err
	case spoken < m.Since:
		return ErrUnknownMethod
	}
	return nil
}

// keyOfExtension returns the number that stands for an extension in states for other processes.
func keyOfExtension(id string) uint32 {
	key := uint32(2166136261) // FNV-1a
	for i := range len(id) {
		key = (key ^ uint32(id[i])) * 16777619
	}
	return key
}

// StateOf returns the extensions and settings that a client has declared, in the form for other processes.
func (x *DeclaredExtensions) StateOf(set call.ExtensionSet, settings *call.ClientSettings) (state []DeclaredExtension) {
	for i, d := range x.list {
		if set.Has(i) {
			state = append(state, DeclaredExtension{keyOfExtension(d.id), settings.Of(i)})
		}
	}
	return state
}

// OfState is the reverse of StateOf. It leaves out extensions that x does not have.
func (x *DeclaredExtensions) OfState(state []DeclaredExtension) (set call.ExtensionSet, settings *call.ClientSettings) {
	for i, d := range x.list {
		key := keyOfExtension(d.id)
		at := slices.IndexFunc(state, func(e DeclaredExtension) bool { return e.Key == key })
		if at < 0 {
			continue
		}
		set |= 1 << i
		settings = settings.With(i, state[at].Settings, len(x.list))
	}
	return set, settings
}

// MissingExtension returns the error of the response for a client that has not declared an extension. Legacy revisions
// have no code for it, and get the code of an unknown method.
func MissingExtension(rev protocol.Revision, id string) *wire.Error {
	text := "the client has not declared the extension " + id
	if !era.IsModern(rev) {
		return wire.NewError(wire.CodeMethodNotFound, "method not found: "+text)
	}
	var required protocol.ClientCapabilities
	required.Extensions.Set(id, emptySettings)
	data := required.AppendJSON([]byte(`{"requiredCapabilities":`), rev)
	return &wire.Error{Code: protocol.CodeMissingRequiredClientCapability, Message: text, Data: append(data, '}')}
}
