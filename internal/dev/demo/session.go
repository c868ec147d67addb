package main

import (
	"encoding/json"
	"fmt"
	"time"
)

const (
	newest = "2026-07-28"
	oldest = "2024-11-05"
)

// object is a JSON object.
type object map[string]any

// with adds to params what revision 2026-07-28 asks of every request: all there is to know about its client.
func with(params object) object {
	params["_meta"] = object{
		"io.modelcontextprotocol/protocolVersion":    newest,
		"io.modelcontextprotocol/clientInfo":         object{"name": "demo", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": object{},
	}
	return params
}

// converse is the client's side of the demo.
func (c *client) converse(notes string) error {
	subscribe := func() error { return c.subscribe(notes) }
	for _, part := range []func() error{c.discover, c.list, c.read, c.complete, subscribe, c.older} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func (c *client) discover() error {
	step("server/discover: which revisions does it speak?")
	var r struct {
		SupportedVersions []string
		Instructions      string
	}
	if err := c.call("server/discover", with(object{}), &r); err != nil {
		return err
	}
	show(fmt.Sprint(r.SupportedVersions))
	show(r.Instructions)
	return nil
}

func (c *client) list() error {
	step("resources/list and resources/templates/list")
	var r struct {
		Resources         []struct{ URI, Description string }
		ResourceTemplates []struct{ URITemplate, Description string }
	}
	if err := c.call("resources/list", with(object{}), &r); err != nil {
		return err
	}
	if err := c.call("resources/templates/list", with(object{}), &r); err != nil {
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

func (c *client) read() error {
	step("resources/read notes:///groceries")
	return c.text("notes:///groceries")
}

// text shows a resource.
func (c *client) text(uri string) error {
	var r struct{ Contents []struct{ Text string } }
	if err := c.call("resources/read", with(object{"uri": uri}), &r); err != nil {
		return err
	}
	for _, part := range r.Contents {
		show(part.Text)
	}
	return nil
}

func (c *client) complete() error {
	step(`completion/complete: names of notes that start with "id"`)
	var r struct{ Completion struct{ Values []string } }
	err := c.call("completion/complete", with(object{
		"ref":      object{"type": "ref/resource", "uri": "notes:///{name}"},
		"argument": object{"name": "name", "value": "id"},
	}), &r)
	show(fmt.Sprint(r.Completion.Values))
	return err
}

func (c *client) subscribe(notes string) error {
	step("subscriptions/listen to notes:///groceries, then edit the file")
	err := c.ask("subscriptions/listen", with(object{
		"notifications": object{"resourceSubscriptions": []string{"notes:///groceries"}},
	}))
	if err != nil {
		return err
	}
	if err := c.expect("notifications/subscriptions/acknowledged"); err != nil {
		return err
	}
	edited := time.Now()
	if err := writeNotes(notes, map[string]string{"groceries": "# Groceries\n\n- tea\n- biscuits\n"}); err != nil {
		return err
	}
	if err := c.expect("notifications/resources/updated"); err != nil {
		return err
	}
	show(fmt.Sprintf("(%d ms after the edit) and now it reads:", time.Since(edited).Milliseconds()))
	return c.text("notes:///groceries")
}

// expect shows the next notification, which must be of this method.
func (c *client) expect(method string) error {
	n, err := c.notification(method)
	if err != nil {
		return err
	}
	text, err := json.Marshal(n)
	show(string(text))
	return err
}

func (c *client) older() error {
	step("the same process, to a client of " + oldest)
	var r struct {
		ProtocolVersion string
		ServerInfo      struct{ Name, Version string }
	}
	err := c.call("initialize", object{
		"protocolVersion": oldest,
		"capabilities":    object{},
		"clientInfo":      object{"name": "demo", "version": "1"},
	}, &r)
	if err != nil {
		return err
	}
	if err := c.send(message{Method: "notifications/initialized"}); err != nil {
		return err
	}
	show(fmt.Sprintf("initialize: %s %s speaks %s", r.ServerInfo.Name, r.ServerInfo.Version, r.ProtocolVersion))
	var read json.RawMessage
	err = c.call("resources/read", object{"uri": "notes:///ideas"}, &read)
	show("resources/read: " + string(read))
	return err
}
