package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Question is a request to a client for [Peer.Ask]. [NewFormQuestion], [NewURLQuestion], [NewModelQuestion] and
// [NewRootsQuestion] make questions. After Ask, the Answer method of a question, or [FormAnswer], returns the answer.
type Question interface {
	base() *question
	// request returns the question in the form of rev.
	request(rev protocol.Revision) (protocol.InputRequest, error)
	// take reads and keeps an answer in the form of rev. The error says why the answer does not fit, or that the user did
	// not accept.
	take(d *wire.Decoder, rev protocol.Revision) error
}

// question has the fields of all kinds of questions.
type question struct {
	key   string
	needs ClientCapability
	err   error // what Answer returns
}

// errNotAsked is what Answer returns before the question is asked.
var errNotAsked = errors.New("mcp: the question was not asked yet")

func (q *question) base() *question { return q }

// AnswerError says that the answer of the client does not fit the question.
type AnswerError struct {
	Key string // of the question
	err error
}

// Error implements error. Its text is for the client too.
func (e *AnswerError) Error() string {
	return "invalid answer to " + strconv.Quote(e.Key) + ": " + e.err.Error()
}

// Unwrap returns what is wrong.
func (e *AnswerError) Unwrap() error { return content.Public(e.err) }

// ClientError is the error response of a legacy client to a question.
type ClientError struct {
	Code    int
	Message string
}

// Error implements error. The client may see this text, because it has sent the message.
func (e *ClientError) Error() string {
	return "the client answered with an error: " + e.Message + " (code " + strconv.Itoa(e.Code) + ")"
}

// Form is a pointer to a struct with //mcp:form. Generated code makes it so.
type Form[T any] interface {
	*T
	MCPForm() wire.FormSchema[T]
}

// FormQuestion is an elicitation by form. It is not generic, so that its methods are linked only once for all forms.
type FormQuestion struct {
	question
	message string
	schema  string
	decode  func(d *wire.Decoder) (answer any) // a pointer to the struct of the form
	hidden  []string                           // fields that the revision of the client cannot show
	answer  any
}

// NewFormQuestion returns a question with the form of T, a struct with //mcp:form. The message is for the user.
func NewFormQuestion[T any, P Form[T]](key, message string) *FormQuestion {
	form := P(nil).MCPForm()
	return &FormQuestion{question: question{key, Elicitation, errNotAsked}, message: message, schema: form.Schema,
		decode: func(d *wire.Decoder) any {
			v := new(T)
			form.Decode(d, v)
			return v
		}}
}

// FormAnswer returns what the user has entered into the form of T. The error is [content.ErrDeclined],
// [content.ErrCancelled], an [AnswerError] or a [ClientError]. Before Ask it says that the question was not asked yet.
func FormAnswer[T any](q *FormQuestion) (T, error) {
	v, ok := q.answer.(*T)
	if !ok {
		v = new(T)
	}
	return *v, q.err
}

func (q *FormQuestion) request(rev protocol.Revision) (protocol.InputRequest, error) {
	p := &protocol.ElicitRequestFormParams{Message: q.message, Mode: "form"}
	d := wire.NewDecoder([]byte(q.schema))
	p.RequestedSchema.DecodeJSON(&d, era.OldestModern)
	if err := d.Err(); err != nil {
		return nil, err
	}
	q.hidden = nil
	if rev < era.ChoicesSince {
		q.hidden = olderForm(&p.RequestedSchema)
	}
	for _, name := range q.hidden {
		if slices.Contains(p.RequestedSchema.Required, name) {
			return nil, content.Errorf(
				"the form needs its field %s, which has several choices: clients of revision %s cannot show it", name, rev)
		}
	}
	return &protocol.ElicitRequest{Params: p}, nil
}

func (q *FormQuestion) take(d *wire.Decoder, rev protocol.Revision) error {
	r, err := elicited(d, rev)
	if err != nil {
		return err
	}
	// A form says what it asks for, not that nothing else may be said.
	content := slices.DeleteFunc(slices.Clone(r.Content), func(e wire.Entry[json.RawMessage]) bool {
		_, asked := wire.Lookup([]byte(q.schema), "properties", e.Name)
		return !asked || slices.Contains(q.hidden, e.Name)
	})
	fields := wire.NewDecoder(wire.AppendMap(nil, content, wire.AppendAny))
	v := q.decode(&fields)
	if err := fields.Err(); err != nil {
		if at, ok := errors.AsType[*wire.DecodeError](err); ok {
			err = &wire.DecodeError{Pointer: "/content" + at.Pointer, Reason: at.Reason}
		}
		return err
	}
	q.answer = v
	return nil
}

// elicited reads the answer of a user who accepted; else the error says what the user did.
func elicited(d *wire.Decoder, rev protocol.Revision) (r protocol.ElicitResult, err error) {
	r.DecodeJSON(d, rev)
	if err := d.Err(); err != nil {
		return r, err
	}
	switch r.Action {
	case protocol.ElicitActionAccept:
		return r, nil
	case protocol.ElicitActionDecline:
		return r, content.ErrDeclined
	case protocol.ElicitActionCancel:
		return r, content.ErrCancelled
	}
	return r, errors.New("the action is not known")
}

// URLQuestion is an elicitation by URL.
type URLQuestion struct {
	question
	message, url string

	mu    sync.Mutex
	asked *Call  // the call whose client gets Complete; nil before the question is sent, and after Complete
	id    string // of the elicitation
}

// NewURLQuestion returns a question that asks the user to visit a page. The message is for the user. Ask returns an
// error for a URL that is not absolute, that has a user or a password, or that is http and not on this machine.
func NewURLQuestion(key, message, url string) *URLQuestion {
	return &URLQuestion{question: question{key, ElicitationURL, errNotAsked}, message: message, url: url}
}

// Answer returns nil if the user agreed to open the page. The errors are those of [FormAnswer].
func (q *URLQuestion) Answer() error { return q.err }

// Complete tells the client that the visit is over: it sends notifications/elicitation/complete of 2025-11-25. It may
// be called on any goroutine, also after the response to the request was sent. It may block while the client does not
// read. It does nothing before the question is sent, when called again, after the client has left, and in other
// revisions: a client of 2026-07-28 repeats its request, and the handler checks whether the visit is over.
func (q *URLQuestion) Complete() {
	q.mu.Lock()
	call, p := q.asked, protocol.ElicitationCompleteNotificationParams{ElicitationID: q.id}
	q.asked = nil
	q.mu.Unlock()
	if call == nil {
		return
	}
	call.SendLater(append(p.AppendJSON(wire.AppendNotification(nil, protocol.MethodNotificationsElicitationComplete),
		call.rev), '}'))
}

// askedBy keeps the call, so that Complete can notify its client.
func (q *URLQuestion) askedBy(c *Call) {
	if c.rev != protocol.Revision20251125 {
		return
	}
	q.mu.Lock()
	q.asked = c
	q.mu.Unlock()
}

func (q *URLQuestion) request(rev protocol.Revision) (protocol.InputRequest, error) {
	if why := notToVisit(q.url); why != "" {
		return nil, fmt.Errorf("mcp: users cannot be asked to visit this URL: it %s", why)
	}
	p := &protocol.ElicitRequestURLParams{Message: q.message, URL: q.url}
	if !era.IsModern(rev) {
		p.ElicitationID = fmt.Sprintf("%016X%016X", rand.Uint64(), rand.Uint64()) //nolint:gosec // nobody shows it as proof
		q.mu.Lock()
		q.id = p.ElicitationID
		q.mu.Unlock()
	}
	return &protocol.ElicitRequest{Params: p}, nil
}

func (q *URLQuestion) take(d *wire.Decoder, rev protocol.Revision) error {
	_, err := elicited(d, rev)
	return err
}

// ModelQuestion is a sampling request.
type ModelQuestion struct {
	question
	params protocol.CreateMessageRequestParams
	answer *protocol.CreateMessageResult
}

// NewModelQuestion returns a question that asks the model for a message. Tools in p need a client with [SamplingTools],
// and IncludeContext needs one with [SamplingContext]. Ask returns an error if results of tools are not in the message
// right after their calls.
func NewModelQuestion(key string, p protocol.CreateMessageRequestParams) *ModelQuestion {
	needs := Sampling
	if p.Tools != nil || p.ToolChoice != nil {
		needs |= SamplingTools
	}
	if p.IncludeContext != "" && p.IncludeContext != protocol.IncludeContextNone {
		needs |= SamplingContext
	}
	return &ModelQuestion{question: question{key, needs, errNotAsked}, params: p}
}

// Answer returns the message of the model. The error is [content.ErrDeclined], an [AnswerError] or a [ClientError].
func (q *ModelQuestion) Answer() (*protocol.CreateMessageResult, error) { return q.answer, q.err }

func (q *ModelQuestion) request(protocol.Revision) (protocol.InputRequest, error) {
	if why := misplacedToolResult(q.params.Messages); why != "" {
		return nil, fmt.Errorf("mcp: the messages for the model are not valid: %s", why)
	}
	return &protocol.CreateMessageRequest{Params: q.params}, nil
}

func (q *ModelQuestion) take(d *wire.Decoder, rev protocol.Revision) error {
	r := new(protocol.CreateMessageResult)
	r.DecodeJSON(d, rev)
	if err := d.Err(); err != nil {
		return err
	}
	q.answer = r
	return nil
}

// RootsQuestion is a request for the roots of the client.
type RootsQuestion struct {
	question
	answer []protocol.Root
}

// NewRootsQuestion returns a question for the roots.
func NewRootsQuestion(key string) *RootsQuestion {
	return &RootsQuestion{question: question{key, Roots, errNotAsked}}
}

// Answer returns the roots. The error is an [AnswerError] or a [ClientError].
func (q *RootsQuestion) Answer() ([]protocol.Root, error) { return q.answer, q.err }

func (q *RootsQuestion) request(rev protocol.Revision) (protocol.InputRequest, error) {
	if !era.IsModern(rev) {
		return &protocol.ListRootsRequest{}, nil
	}
	// The params may be left out, but clients exist that read those of every input request.
	return &protocol.ListRootsRequest{Params: new(protocol.ListRootsRequestParams)}, nil
}

func (q *RootsQuestion) take(d *wire.Decoder, rev protocol.Revision) error {
	var r protocol.ListRootsResult
	r.DecodeJSON(d, rev)
	if err := d.Err(); err != nil {
		return err
	}
	q.answer = r.Roots
	return nil
}

// UserMessage returns a text message with the role user, for sampling.
func UserMessage(text string) protocol.SamplingMessage {
	return protocol.SamplingMessage{Role: protocol.RoleUser,
		Content: []protocol.SamplingMessageContentBlock{&protocol.TextContent{Text: text}}}
}

// MessageText returns the text blocks of a message of the model.
func MessageText(r *protocol.CreateMessageResult) string {
	var text strings.Builder
	for _, block := range r.Content {
		if t, ok := block.(*protocol.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return text.String()
}

// olderForm changes the fields of a form to those of 2025-06-18: titles of choices are in a list of their own. That
// revision has no fields with several choices; they are left out, and their names are returned.
func olderForm(form *protocol.ElicitRequestFormParamsRequestedSchema) (hidden []string) {
	form.Properties = slices.DeleteFunc(form.Properties, func(e wire.Entry[protocol.PrimitiveSchemaDefinition]) bool {
		switch e.Value.(type) {
		case *protocol.UntitledMultiSelectEnumSchema, *protocol.TitledMultiSelectEnumSchema:
			hidden = append(hidden, e.Name)
			return true
		}
		return false
	})
	for i := range form.Properties {
		field := &form.Properties[i].Value
		switch v := (*field).(type) {
		case *protocol.UntitledSingleSelectEnumSchema:
			*field = &protocol.LegacyTitledEnumSchema{Title: v.Title, Description: v.Description, Enum: v.Enum}
		case *protocol.TitledSingleSelectEnumSchema:
			old := &protocol.LegacyTitledEnumSchema{Title: v.Title, Description: v.Description}
			for _, choice := range v.OneOf {
				old.Enum, old.EnumNames = append(old.Enum, choice.Const), append(old.EnumNames, choice.Title)
			}
			*field = old
		}
	}
	return hidden
}

// kindOfQuestion returns the label under which an open question is counted.
func kindOfQuestion(q Question) labels.Question {
	switch needs := q.base().needs; {
	case needs&(Sampling|SamplingTools) != 0:
		return labels.QuestionSampling
	case needs&Roots != 0:
		return labels.QuestionRoots
	}
	return labels.QuestionElicitation
}
