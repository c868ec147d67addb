package everything

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
)

// Topic is what a prompt is about.
//
//mcp:form
type Topic struct {
	// Topic is anything.
	Topic string `json:"topic,omitempty"`
}

// Contact is how to reach the user.
//
//mcp:form
type Contact struct {
	// Username is the name at this server.
	Username string `json:"username,omitempty"`
	// Email is an address.
	Email string `json:"email,omitempty" jsonschema:"format=email"`
}

// Named is a user with a name.
//
//mcp:form
type Named struct {
	// Name is how to call the user.
	Name string `json:"name"`
}

// Agreed is a yes or a no.
//
//mcp:form
type Agreed struct {
	// OK says yes.
	OK bool `json:"ok"`
}

// Liked is what a user likes.
//
//mcp:form
type Liked struct {
	// Color is the name of a colour.
	Color string `json:"color"`
}

// Status is whether an account is used.
//
//mcp:enum
type Status string

// The statuses.
const (
	Active   Status = "active"
	Inactive Status = "inactive"
	Pending  Status = "pending"
)

// Defaults has a default for every type.
//
//mcp:form
type Defaults struct {
	Name     string  `json:"name,omitempty" jsonschema:"default=John Doe"`
	Age      int     `json:"age,omitempty" jsonschema:"default=30"`
	Score    float64 `json:"score,omitempty" jsonschema:"default=95.5"`
	Status   Status  `json:"status,omitempty" jsonschema:"default=active"`
	Verified bool    `json:"verified,omitempty" jsonschema:"default=true"`
}

// Plain is a choice without titles.
//
//mcp:enum
type Plain string

// The choices without titles.
const (
	Option1 Plain = "option1"
	Option2 Plain = "option2"
	Option3 Plain = "option3"
)

// Titled is a choice with titles.
//
//mcp:enum
type Titled string

// The choices with titles.
const (
	Value1 Titled = "value1" // First option
	Value2 Titled = "value2" // Second option
	Value3 Titled = "value3" // Third option
)

// Choices has every kind of choice.
//
//mcp:form
type Choices struct {
	UntitledSingle Plain    `json:"untitledSingle,omitempty"`
	TitledSingle   Titled   `json:"titledSingle,omitempty"`
	LegacyEnum     Titled   `json:"legacyEnum,omitempty" mcp:"enumnames"`
	UntitledMulti  []Plain  `json:"untitledMulti,omitempty"`
	TitledMulti    []Titled `json:"titledMulti,omitempty"`
}

// PromptIn is a question for the model of the client.
type PromptIn struct {
	// Prompt is what the model is asked.
	Prompt string `json:"prompt"`
}

// MessageIn is a message for the user.
type MessageIn struct {
	// Message is shown to the user.
	Message string `json:"message"`
}

// sampling is a question to the model.
func sampling(text string) protocol.CreateMessageRequestParams {
	return protocol.CreateMessageRequestParams{
		Messages:  []protocol.SamplingMessage{mcp.UserMessage(text)},
		MaxTokens: 100,
	}
}

// TestSampling asks the model of the client.
//
//mcp:tool
func TestSampling(ctx context.Context, client mcp.Peer, in PromptIn) (string, error) {
	r, err := client.AskModel(ctx, "model", sampling(in.Prompt))
	if err != nil {
		return "", err
	}
	return "The model says: " + mcp.MessageText(r), nil
}

// TestElicitation asks the user how to reach them.
//
//mcp:tool
func TestElicitation(ctx context.Context, client mcp.Peer, in MessageIn) (string, error) {
	who, err := mcp.AskForm[Contact](ctx, client, "contact", in.Message)
	return said(who, err)
}

// TestElicitationSEP1034Defaults asks with a default for every type.
//
//mcp:tool name=test_elicitation_sep1034_defaults
func TestElicitationSEP1034Defaults(ctx context.Context, client mcp.Peer) (string, error) {
	v, err := mcp.AskForm[Defaults](ctx, client, "account", "Check your account.")
	return said(v, err)
}

// TestElicitationSEP1330Enums asks with every kind of choice.
//
//mcp:tool name=test_elicitation_sep1330_enums
func TestElicitationSEP1330Enums(ctx context.Context, client mcp.Peer) (string, error) {
	v, err := mcp.AskForm[Choices](ctx, client, "choices", "Choose.")
	return said(v, err)
}

// said tells what the user did with a form.
func said(v any, err error) (string, error) {
	switch {
	case err == nil:
		return fmt.Sprintf("The user has accepted: %+v.", v), nil
	case answered(err):
		return "The user has not: " + err.Error() + ".", nil
	}
	return "", err
}

// TestMissingCapability needs the model of the client.
//
//mcp:tool
func TestMissingCapability(ctx context.Context, client mcp.Peer) (string, error) {
	return TestSampling(ctx, client, PromptIn{Prompt: "Say hello."})
}

// TestStreamingElicitation asks the user something.
//
//mcp:tool
func TestStreamingElicitation(ctx context.Context, client mcp.Peer) (string, error) {
	v, err := mcp.AskForm[Agreed](ctx, client, "agreed", "Do you agree?")
	return said(v, err)
}

// TestInputRequiredResultElicitation asks the user for a name.
//
//mcp:tool
func TestInputRequiredResultElicitation(ctx context.Context, client mcp.Peer) (string, error) {
	v, err := mcp.AskForm[Named](ctx, client, "user_name", "What is your name?")
	if err != nil {
		return said(v, err)
	}
	return "Hello, " + v.Name + "!", nil
}

// TestInputRequiredResultSampling asks the model for a fact.
//
//mcp:tool
func TestInputRequiredResultSampling(ctx context.Context, client mcp.Peer) (string, error) {
	return TestSampling(ctx, client, PromptIn{Prompt: "Name the capital of France."})
}

// TestInputRequiredResultListRoots asks where the client works.
//
//mcp:tool
func TestInputRequiredResultListRoots(ctx context.Context, client mcp.Peer) (string, error) {
	roots, err := client.AskRoots(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("The client has %d roots.", len(roots)), nil
}

// TestInputRequiredResultRequestState asks, and remembers nothing meanwhile.
//
//mcp:tool
func TestInputRequiredResultRequestState(ctx context.Context, client mcp.Peer) (string, error) {
	v, err := mcp.AskForm[Agreed](ctx, client, "confirm", "Shall I go on?")
	return said(v, err)
}

// TestInputRequiredResultMultipleInputs asks three things at once.
//
//mcp:tool
func TestInputRequiredResultMultipleInputs(ctx context.Context, client mcp.Peer) (string, error) {
	name := mcp.NewFormQuestion[Named]("user_name", "What is your name?")
	greeting := mcp.NewModelQuestion("greeting", sampling("Greet somebody."))
	folders := mcp.NewRootsQuestion("client_roots")
	if err := client.Ask(ctx, name, greeting, folders); err != nil {
		return "", err
	}
	who, err := name.Answer()
	if err != nil {
		return said(who, err)
	}
	text, err := greeting.Answer()
	if err != nil {
		return "", err
	}
	roots, err := folders.Answer()
	return fmt.Sprintf("%s, %s: %d roots.", mcp.MessageText(text), who.Name, len(roots)), err
}

// TestInputRequiredResultMultiRound asks twice, the second time with the first answer.
//
//mcp:tool
func TestInputRequiredResultMultiRound(ctx context.Context, client mcp.Peer) (string, error) {
	who, err := mcp.AskForm[Named](ctx, client, "step1", "What is your name?")
	if err != nil {
		return said(who, err)
	}
	liked, err := mcp.AskForm[Liked](ctx, client, "step2", "Which colour do you like, "+who.Name+"?")
	return said(liked, err)
}

// TestInputRequiredResultTamperedState refuses a state that is not the one it gave.
//
//mcp:tool
func TestInputRequiredResultTamperedState(ctx context.Context, client mcp.Peer) (string, error) {
	v, err := mcp.AskForm[Agreed](ctx, client, "confirm", "Shall I go on?")
	return said(v, err)
}

// TestInputRequiredResultCapabilities asks only what the client can answer.
//
//mcp:tool
func TestInputRequiredResultCapabilities(ctx context.Context, client mcp.Peer) (string, error) {
	if client.Can(mcp.Sampling) {
		return TestSampling(ctx, client, PromptIn{Prompt: "Say hello."})
	}
	v, err := mcp.AskForm[Agreed](ctx, client, "confirm", "Shall I go on?")
	return said(v, err)
}
