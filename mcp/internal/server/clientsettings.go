package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// MaxClientSettings is how many bytes of settings a session of an older revision remembers, of all extensions together.
const MaxClientSettings = 1024

// clientSettings are the settings that a client has declared in initialize, by the places of their extensions. Settings
// without members are "".
type clientSettings []string

// forgottenSettings stand for settings that are too long for a session, before the version that they name, if any.
const forgottenSettings = "-"

func forgotten(text string) bool { return strings.HasPrefix(text, forgottenSettings) }

// Extension reports whether the client has declared the extension id, which this server has too, and decodes the
// settings of the client into settings, as [json.Unmarshal] does; nil means that they are not wanted. The error is for
// the client, unless settings is no pointer.
func (c Peer) Extension(id string, settings any) (declared bool, err error) {
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
	case forgotten(text):
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

func (x *extensions) clientSettings(call *Call, id string) (text string, declared bool) {
	i := x.find(id)
	if i < 0 {
		return "", false
	}
	return x.settingsIn(call.conn, call.rev, call.meta, i)
}

// settingsIn returns the settings of the i-th extension that the client of a message has declared, if it has: in the
// metadata of the message itself, or in the handshake of its session.
func (x *extensions) settingsIn(c *conn, rev protocol.Revision, meta *protocol.RequestMetaObject, i int) (
	text string, declared bool,
) {
	switch {
	case !era.IsModern(rev):
		return c.legacy.settings.Load().of(i), extensionSet(c.legacy.extensions.Load()).has(i)
	case meta == nil || meta.ClientCapabilities == nil:
		return "", false
	}
	settings, declared := meta.ClientCapabilities.Extensions.Get(x.list[i].id)
	text = string(settings)
	if kept := strings.Trim(text, `"`); forgotten(kept) { // of a session whose call has become a task
		return kept, declared
	}
	return text, declared
}

func (x *extensions) settingsFor(call *Call, all *wire.Map[json.RawMessage]) {
	for _, e := range x.list {
		switch text, declared := x.clientSettings(call, e.id); {
		case !declared:
		case text == "":
			all.Set(e.id, content.EmptyObject)
		case forgotten(text):
			all.Set(e.id, json.RawMessage(`"`+text+`"`))
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
			all = all.with(i, forgottenSettings+d.named(string(text)), len(x.list))
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

// Members of the settings of an extension that has versions.
const (
	memberRevision  = "revision"  // of a client: the version that it speaks
	memberRevisions = "revisions" // of a server: those that it speaks
)

// ExtensionRevision returns the version of the extension id that the client of the request speaks: the one that it
// names in its settings, or else the first of those that the server speaks. It is "" if the server does not have the
// extension, or speaks no versions of it. The error is for the client.
func (c Peer) ExtensionRevision(id string) (string, error) {
	if c.call == nil || c.call.conn == nil || c.call.conn.s.features.Extensions == nil {
		return "", nil
	}
	return c.call.conn.s.features.Extensions.revision(c.call, id)
}

func (x *extensions) revision(call *Call, id string) (string, error) {
	i := x.find(id)
	if i < 0 {
		return "", nil
	}
	text, _ := x.clientSettings(call, id)
	return x.list[i].revisionIn(text)
}

// revisionIn returns the version that a client with these settings speaks.
func (d *declaredExtension) revisionIn(settings string) (string, error) {
	if len(d.revisions) == 0 {
		return "", nil
	}
	name, short := strings.CutPrefix(settings, forgottenSettings)
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

// named returns the version that settings name, if the server speaks it; "" if they name none.
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

// unspoken returns why the client of a message cannot use a method in the version of the extension that it speaks; nil
// if it can.
func (x *extensions) unspoken(w *worker, m extensionMethod, meta *protocol.RequestMetaObject) error {
	d := &x.list[m.of]
	if len(d.revisions) == 0 {
		return nil
	}
	settings, _ := x.settingsIn(w.c, w.rev, meta, m.of)
	switch rev, err := d.revisionIn(settings); {
	case err != nil:
		return err
	case rev < m.Since:
		return errUnknownMethod
	}
	return nil
}
