package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/internal/dev/stdioclient"
)

// session talks to the server in revision 2026-07-28, in which every request says all there is to know about its
// client.
type session struct {
	*stdioclient.Client
}

const (
	newest = "2026-07-28"
	oldest = "2024-11-05"
)

// object is a JSON object.
type object map[string]any

// with adds to params what revision 2026-07-28 asks of every request.
func with(params object) object {
	params["_meta"] = object{
		"io.modelcontextprotocol/protocolVersion":    newest,
		"io.modelcontextprotocol/clientInfo":         object{"name": "demo", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": object{},
	}
	return params
}

// converse is the client's side of the demo.
func converse(ctx context.Context, s session, notes string) error {
	for _, part := range []func(context.Context) error{s.discover, s.list, s.read, s.complete} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	if err := s.subscribe(ctx, notes); err != nil {
		return err
	}
	return s.older(ctx)
}

func (s session) discover(ctx context.Context) error {
	step("server/discover: which revisions does it speak?")
	var r struct {
		SupportedVersions []string
		Instructions      string
	}
	if err := s.Call(ctx, "server/discover", with(object{}), &r); err != nil {
		return err
	}
	show(fmt.Sprint(r.SupportedVersions))
	show(r.Instructions)
	return nil
}

func (s session) list(ctx context.Context) error {
	step("resources/list and resources/templates/list")
	var r struct {
		Resources         []struct{ URI, Description string }
		ResourceTemplates []struct{ URITemplate, Description string }
	}
	if err := s.Call(ctx, "resources/list", with(object{}), &r); err != nil {
		return err
	}
	if err := s.Call(ctx, "resources/templates/list", with(object{}), &r); err != nil {
		return err
	}
	for _, e := range r.Resources {
		show(fmt.Sprintf("%-22s %s", e.URI, e.Description))
	}
	for _, e := range r.ResourceTemplates {
		show(fmt.Sprintf("%-22s %s", e.URITemplate, e.Description))
	}
	return nil
}

func (s session) read(ctx context.Context) error {
	step("resources/read notes:///groceries")
	return s.text(ctx, "notes:///groceries")
}

// text shows a resource.
func (s session) text(ctx context.Context, uri string) error {
	var r struct{ Contents []struct{ Text string } }
	if err := s.Call(ctx, "resources/read", with(object{"uri": uri}), &r); err != nil {
		return err
	}
	for _, c := range r.Contents {
		show(c.Text)
	}
	return nil
}

func (s session) complete(ctx context.Context) error {
	step(`completion/complete: names of notes that start with "id"`)
	var r struct{ Completion struct{ Values []string } }
	err := s.Call(ctx, "completion/complete", with(object{
		"ref":      object{"type": "ref/resource", "uri": "notes:///{name}"},
		"argument": object{"name": "name", "value": "id"},
	}), &r)
	show(fmt.Sprint(r.Completion.Values))
	return err
}

func (s session) subscribe(ctx context.Context, notes string) error {
	step("subscriptions/listen to notes:///groceries, then edit the file")
	_, _, err := s.Ask("subscriptions/listen", with(object{
		"notifications": object{"resourceSubscriptions": []string{"notes:///groceries"}},
	}))
	if err != nil {
		return err
	}
	if err := s.expect(ctx, "notifications/subscriptions/acknowledged"); err != nil {
		return err
	}
	start := time.Now()
	if err := writeNotes(notes, map[string]string{"groceries": "# Groceries\n\n- tea\n- biscuits\n"}); err != nil {
		return err
	}
	if err := s.expect(ctx, "notifications/resources/updated"); err != nil {
		return err
	}
	show(fmt.Sprintf("(%d ms after the edit) and now it reads:", time.Since(start).Milliseconds()))
	return s.text(ctx, "notes:///groceries")
}

// expect shows the next notification, which must be of this method.
func (s session) expect(ctx context.Context, method string) error {
	n, err := s.Notification(ctx)
	if err != nil {
		return err
	}
	if n.Method != method {
		return fmt.Errorf("got %s, want %s", n.Method, method)
	}
	text, err := json.Marshal(n)
	show(string(text))
	return err
}

func (s session) older(ctx context.Context) error {
	step("the same process, to a client of " + oldest)
	var r struct {
		ProtocolVersion string
		ServerInfo      struct{ Name, Version string }
	}
	err := s.Call(ctx, "initialize", object{
		"protocolVersion": oldest,
		"capabilities":    object{},
		"clientInfo":      object{"name": "demo", "version": "1"},
	}, &r)
	if err != nil {
		return err
	}
	if err := s.Notify("notifications/initialized", object{}); err != nil {
		return err
	}
	show(fmt.Sprintf("initialize: %s %s speaks %s", r.ServerInfo.Name, r.ServerInfo.Version, r.ProtocolVersion))
	var read json.RawMessage
	err = s.Call(ctx, "resources/read", object{"uri": "notes:///ideas"}, &read)
	show("resources/read: " + string(read))
	return err
}
