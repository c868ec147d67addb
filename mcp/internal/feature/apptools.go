package feature

import (
	"encoding/json"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// The members of the _meta of a tool that name its app. The second one is for hosts that were written before the
// extension was final.
const (
	memberUI    = "ui"
	memberPage  = "resourceUri"
	memberOldUI = memberUI + "/" + memberPage
)

// LeaveOutApps is the value of [Features.Apps]. It removes the app from each tool of f whose app the server does not
// offer: clients then display the text of the tool. f must belong to one server.
func LeaveOutApps(f *Features) {
	var without []string
	for i := range f.Resources {
		if r := &f.Resources[i]; r.Extension == call.AppsExtension && r.Revisions.Off {
			without = append(without, r.URI())
		}
	}
	if without == nil {
		return
	}
	f.Tools = slices.Clone(f.Tools)
	for i := range f.Tools {
		t := &f.Tools[i]
		if t.Entry.Meta == nil {
			continue
		}
		ui, _ := t.Entry.Meta.Extra.Get(memberUI)
		if page, _ := wire.Lookup(ui, memberPage); slices.Contains(without, textOf(page)) {
			entry := *t.Entry
			entry.Meta = withoutApp(entry.Meta, ui)
			t.origin, t.Entry = t.ID(), &entry
		}
	}
}

// textOf returns the JSON string b as a text; "" if b is no string.
func textOf(b []byte) string {
	if wire.KindOf(b) != wire.KindString {
		return ""
	}
	d := wire.NewDecoder(b)
	return d.String()
}

// withoutApp returns the metadata of a tool without its app. Other things in its member ui stay.
func withoutApp(m *protocol.MetaObject, ui []byte) *protocol.MetaObject {
	var rest map[string]json.RawMessage
	_ = json.Unmarshal(ui, &rest) // an object, in which a member was found
	delete(rest, memberPage)
	var extra wire.Extra
	for _, e := range m.Extra {
		switch {
		case e.Name == memberOldUI, e.Name == memberUI && len(rest) == 0:
			continue
		case e.Name == memberUI:
			e.Value, _ = json.Marshal(rest) //nolint:errchkjson // it was read as JSON
		}
		extra = append(extra, e)
	}
	if extra == nil {
		return nil
	}
	return &protocol.MetaObject{Extra: extra}
}
