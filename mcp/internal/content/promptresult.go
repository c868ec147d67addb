package content

import (
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// Message is a message of a prompt: a role and a block.
type Message = protocol.PromptMessage

// User returns a message of the user.
func User(b Block) Message { return Message{Role: protocol.RoleUser, Content: b} }

// Assistant returns a message with the role assistant, as an example for the model.
func Assistant(b Block) Message { return Message{Role: protocol.RoleAssistant, Content: b} }

// UserText returns a text of the user.
func UserText(s string) Message { return User(TextBlock(s)) }

// AssistantText returns a text message with the role assistant.
func AssistantText(s string) Message { return Assistant(TextBlock(s)) }

// PromptResult is the result of a prompt.
type PromptResult struct {
	// Description describes the prompt with these arguments; empty means the description of the declaration.
	Description string
	// Messages are the messages, in order.
	Messages []Message
}

// AsPromptText adapts a prompt that returns a string: it is one message of the user.
func AsPromptText[S ~string](s S, err error) (PromptResult, error) {
	return PromptResult{Messages: []Message{UserText(string(s))}}, err
}

// AsMessage adapts a prompt that returns one message.
func AsMessage(m Message, err error) (PromptResult, error) {
	return PromptResult{Messages: []Message{m}}, err
}

// AsMessages adapts a prompt that returns messages.
func AsMessages[M ~[]Message](m M, err error) (PromptResult, error) {
	return PromptResult{Messages: m}, err
}

// Check returns an error for messages without content or with another role than user or assistant, which are mistakes
// of the prompt.
func (r *PromptResult) Check() error {
	var errs []error
	for i := range r.Messages {
		m := &r.Messages[i]
		switch {
		case m.Content == nil:
			errs = append(errs, fmt.Errorf("message %d has no content", i))
		case m.Role != protocol.RoleUser && m.Role != protocol.RoleAssistant:
			errs = append(errs, fmt.Errorf("message %d has role %q: want user or assistant", i, m.Role))
		}
	}
	return errors.Join(errs...)
}

// Size is about how many bytes the messages take, together with their JSON.
func (r *PromptResult) Size() (n int) {
	for i := range r.Messages {
		n += SizeOfBlock(r.Messages[i].Content)
	}
	return 2 * n
}
