package overview

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// writeExtensions writes a line for each extension, for each of its methods, and for each experimental capability.
func writeExtensions(w io.Writer, srv *ir.Server, dir string) {
	for _, x := range srv.Extensions {
		fmt.Fprintf(w, "  extension\t%s\t%s\t%s\n", x.ID, strings.Join(x.Revisions, " "), sourceLine(x.Pos, dir))
		for _, m := range x.Methods {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", wordOf(m), m.Name, methodExtras(m), sourceLine(m.Pos, dir))
		}
		for _, n := range x.Notifications {
			fmt.Fprintf(w, "  notification\t%s\t%s\t%s\n", n.Name, extras(sentWord(n), n.Since), sourceLine(n.Pos, dir))
		}
	}
	for _, e := range srv.Experimental {
		fmt.Fprintf(w, "  experimental\t%s\t\t%s\n", e.Name, sourceLine(e.Pos, dir))
	}
}

// wordOf is what lists call a method.
func wordOf(m *ir.ServerMethod) string {
	switch {
	case m.Notification:
		return "notification"
	case m.Filter:
		return "filter"
	}
	return "method"
}

// sentWord is how the server sends a notification.
func sentWord(n *ir.ServerNotification) string {
	if n.Topic != "" {
		return "published"
	}
	return "sent"
}

func methodExtras(m *ir.ServerMethod) string {
	word := ""
	if m.Undeclared {
		word = "undeclared"
	}
	return extras(word, m.Since)
}

// extras is a word about a method, if any, and since which version of the extension it is there.
func extras(word, since string) string {
	if since != "" {
		word += " since " + since
	}
	return strings.TrimSpace(word)
}

// extensionSchemas is an extension as WriteSchemas prints it.
type extensionSchemas struct {
	Server      string          `json:"server"`
	ID          string          `json:"id"`
	Description string          `json:"description,omitempty"`
	Revisions   []string        `json:"revisions,omitempty"`
	Settings    json.RawMessage `json:"settings,omitempty"`
	Methods     []methodSchemas `json:"methods"`
	// Sent are the notifications that the server sends.
	Sent []methodSchemas `json:"sent,omitempty"`
}

// methodSchemas is a method of an extension.
type methodSchemas struct {
	Name         string `json:"name"`
	Description  string `json:"description,omitempty"`
	Notification bool   `json:"notification,omitempty"`
	Undeclared   bool   `json:"undeclared,omitempty"`
	Filter       bool   `json:"filter,omitempty"`
	// Published notifications go to clients that listen.
	Published bool            `json:"published,omitempty"`
	Since     string          `json:"since,omitempty"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result,omitempty"`
}

// WriteSchemas prints the extensions that the servers define, with the JSON schemas of their settings and of the params
// and results of their methods, as a JSON array. The members that the protocol adds, such as _meta, are not in them.
func WriteSchemas(w io.Writer, packages []*ir.GoPackage) error {
	out := []extensionSchemas{}
	for _, p := range packages {
		for _, srv := range p.Servers {
			for _, x := range srv.Extensions {
				out = append(out, schemasOf(srv, x))
			}
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func schemasOf(srv *ir.Server, x *ir.ServerExtension) extensionSchemas {
	s := extensionSchemas{
		Server: srv.Name, ID: x.ID, Description: flat(x.Description), Settings: json.RawMessage(x.SettingsSchema),
		Revisions: x.Revisions,
		Methods:   []methodSchemas{},
	}
	for _, m := range x.Methods {
		s.Methods = append(s.Methods, methodSchemas{
			Name: m.Name, Description: flat(m.Description), Notification: m.Notification, Undeclared: m.Undeclared,
			Filter: m.Filter, Since: m.Since, Params: json.RawMessage(m.ParamsSchema), Result: json.RawMessage(m.ResultSchema),
		})
	}
	for _, n := range x.Notifications {
		s.Sent = append(s.Sent, methodSchemas{
			Name: n.Name, Description: flat(n.Description), Notification: true, Since: n.Since, Published: n.Topic != "",
			Params: json.RawMessage(n.Schema),
		})
	}
	return s
}

// flat puts a comment into one line.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }
