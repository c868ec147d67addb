package mcptest

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// maxRounds is how often a request is repeated with answers before the client gives up.
const maxRounds = 20

// answers are what the client says when the server asks. Nil functions are capabilities that it lacks.
type answers struct {
	elicit     func(protocol.ElicitRequestParams) protocol.ElicitResult
	sample     func(*protocol.CreateMessageRequestParams) protocol.CreateMessageResult
	roots      []protocol.Root
	hasRoots   bool
	extensions wire.Map[json.RawMessage]
	progress   bool
	tasks      bool
	logLevel   protocol.LoggingLevel
}

// WithElicitation sets the function that answers elicitations, by form (*protocol.ElicitRequestFormParams) and by URL
// (*protocol.ElicitRequestURLParams); see [Accept], [Decline] and [Dismiss]. The function runs while a call waits, in
// legacy revisions on another goroutine, and must not use the client.
func WithElicitation(f func(p protocol.ElicitRequestParams) protocol.ElicitResult) Option {
	return func(c *Client) { c.says.elicit = f }
}

// WithSampling sets the function that answers sampling requests; see [Reply]. The function runs like that of
// [WithElicitation].
func WithSampling(f func(p *protocol.CreateMessageRequestParams) protocol.CreateMessageResult) Option {
	return func(c *Client) { c.says.sample = f }
}

// WithRoots sets the roots of the client.
func WithRoots(roots ...protocol.Root) Option {
	return func(c *Client) { c.says.roots, c.says.hasRoots = roots, true }
}

// WithProgress adds a progress token to each request; see [Client.Progress].
func WithProgress() Option { return func(c *Client) { c.says.progress = true } }

// WithLogs asks for log messages of a level and above; see [Client.Logs].
func WithLogs(level protocol.LoggingLevel) Option {
	return func(c *Client) { c.says.logLevel = level }
}

// WithExtension declares an extension of the protocol, with its settings as the text of a JSON object, or "" for none:
// in the handshake of a legacy revision, or in each request.
func WithExtension(id, settings string) Option {
	if settings == "" {
		settings = "{}"
	}
	return func(c *Client) { c.says.extensions.Set(id, json.RawMessage(settings)) }
}

// Accept accepts an elicitation. content is the text of a JSON object with the fields of the form, or "" for a URL.
// Accept panics for any other text.
func Accept(content string) protocol.ElicitResult {
	r := protocol.ElicitResult{Action: protocol.ElicitActionAccept}
	if content == "" {
		return r
	}
	if !isObject([]byte(content)) {
		panic("mcptest: Accept wants the text of a JSON object, not " + strconv.Quote(content))
	}
	r.Content = wire.Map[json.RawMessage]{}
	d := wire.NewDecoder([]byte(content))
	for d.Object(); d.Next(); {
		name := string(d.Name())
		r.Content.Set(name, d.RawCopy())
	}
	return r
}

// Decline declines an elicitation.
func Decline() protocol.ElicitResult {
	return protocol.ElicitResult{Action: protocol.ElicitActionDecline}
}

// Dismiss cancels an elicitation.
func Dismiss() protocol.ElicitResult {
	return protocol.ElicitResult{Action: protocol.ElicitActionCancel}
}

// Reply is the answer to a sampling request: a message of the model.
func Reply(text string) protocol.CreateMessageResult {
	return protocol.CreateMessageResult{
		Role: protocol.RoleAssistant, Model: "mcptest",
		Content: []protocol.SamplingMessageContentBlock{&protocol.TextContent{Text: text}},
	}
}

// Progress returns the progress notifications so far, oldest first.
func (c *Client) Progress() []protocol.ProgressNotificationParams {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.reports)
}

// Logs returns the log messages so far, oldest first.
func (c *Client) Logs() []protocol.LoggingMessageNotificationParams {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.logs)
}

// capabilities are what the client declares.
func (a *answers) capabilities(rev protocol.Revision) protocol.ClientCapabilities {
	var caps protocol.ClientCapabilities
	if a.elicit != nil {
		caps.Elicitation = &protocol.ClientCapabilitiesElicitation{
			Form: new(protocol.ClientCapabilitiesElicitationForm), URL: new(protocol.ClientCapabilitiesElicitationURL),
		}
	}
	if a.sample != nil {
		caps.Sampling = new(protocol.ClientCapabilitiesSampling)
	}
	if a.hasRoots {
		caps.Roots = new(protocol.ClientCapabilitiesRoots)
	}
	if protocol.HasMethod(rev, protocol.MethodServerDiscover) {
		caps.Extensions = a.extensions
		if a.tasks {
			caps.Extensions = slices.Clone(a.extensions)
			caps.Extensions.Set(tasksExtension, json.RawMessage("{}"))
		}
		return caps
	}
	if a.extensions == nil {
		return caps
	}
	// in older revisions the type has no such member
	all := wire.AppendMap(nil, a.extensions, func(b []byte, v json.RawMessage) []byte { return append(b, v...) })
	caps.Extra = wire.Extra{{Name: "extensions", Value: all}}
	return caps
}

// answer returns the answer to a question; nil if the client has none.
func (a *answers) answer(q protocol.InputRequest) protocol.InputResponse {
	switch q := q.(type) {
	case *protocol.ElicitRequest:
		if a.elicit != nil {
			return new(a.elicit(q.Params))
		}
	case *protocol.CreateMessageRequest:
		if a.sample != nil {
			return new(a.sample(&q.Params))
		}
	case *protocol.ListRootsRequest:
		if a.hasRoots {
			return &protocol.ListRootsResult{Roots: a.roots}
		}
	}
	return nil
}

// asked answers a request of the server.
func (c *Client) asked(m *wire.Message, text []byte) {
	d := wire.NewDecoder(text)
	var reply protocol.InputResponse
	if q := protocol.DecodeInputRequest(&d, c.rev); q != nil {
		reply = c.says.answer(q)
	}
	b := wire.AppendError(nil, m.ID, false, wire.NewError(wire.CodeMethodNotFound, "the client has no answer to this"))
	if reply != nil {
		b = append(reply.AppendJSON(wire.AppendResult(nil, m.ID), c.rev), '}')
	}
	c.record("-> ", b)
	_ = c.conn.WriteMessage(b) // fails only if the server has gone
}

// noticed keeps progress and log messages. c.mu is held.
func (c *Client) noticed(m *wire.Message) {
	d := wire.NewDecoder(m.Params)
	switch string(m.Method) {
	case protocol.MethodNotificationsProgress:
		var p protocol.ProgressNotificationParams
		p.DecodeJSON(&d, c.rev)
		c.reports = append(c.reports, p)
	case protocol.MethodNotificationsMessage:
		var p protocol.LoggingMessageNotificationParams
		p.DecodeJSON(&d, c.rev)
		c.logs = append(c.logs, p)
	}
}

// next returns the params for repeating a request whose result asks for input. It is nil for any other result, and if
// the client has no answers.
func (c *Client) next(params, result json.RawMessage) json.RawMessage {
	kind, _ := wire.Lookup(result, "resultType")
	if string(kind) != `"`+string(protocol.ResultTypeInputRequired)+`"` {
		return nil
	}
	var r protocol.InputRequiredResult
	d := wire.NewDecoder(result)
	r.DecodeJSON(&d, c.rev)
	b := []byte{'{'}
	for _, m := range members(params) {
		if m.Name != "inputResponses" && m.Name != "requestState" {
			b = append(append(append(wire.AppendString(b, m.Name), ':'), m.Value...), ',')
		}
	}
	responses := wire.Map[protocol.InputResponse]{}
	for _, q := range r.InputRequests {
		reply := c.says.answer(q.Value)
		if reply == nil {
			return nil
		}
		responses.Set(q.Name, reply)
	}
	b = append(wire.AppendUnionMap(append(b, `"inputResponses":`...), c.rev, responses, protocol.AppendInputResponse), ',')
	if r.RequestState != nil {
		b = append(wire.AppendString(append(b, `"requestState":`...), *r.RequestState), ',')
	}
	return wire.EndObject(b)
}

// progressToken returns the progress token for the request id: the id itself, or zero without [WithProgress].
func (c *Client) progressToken(id wire.ID) wire.ID {
	if !c.says.progress {
		return wire.ID{}
	}
	return id
}
