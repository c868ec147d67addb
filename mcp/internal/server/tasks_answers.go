package server

import (
	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/internal/dev/failpoint"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/task"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// mergeAnswers moves the questions of a record that an object answers from Asked to Answers. What answers no open
// question, or is no answer to one of its kind, is left out.
func mergeAnswers(r *task.Record, object []byte) (changed bool) {
	open, answers := asked(r), decodeAnswers(r.Answers)
	if failpoint.On("task-answers-partial-lost") {
		answers = nil
	}
	left := make(wire.Map[protocol.InputRequest], 0, len(open))
	for _, question := range open {
		raw, ok := wire.Lookup(object, question.Name)
		d := wire.NewDecoder(raw)
		if ok {
			answer := protocol.DecodeInputResponse(&d, era.OldestModern)
			if ok = d.Err() == nil && answersKind(question.Value, answer); ok {
				answers.Set(question.Name, answer)
				changed = true
				continue
			}
		}
		left = append(left, question)
	}
	if !changed {
		return false
	}
	r.Asked = nil
	if len(left) > 0 {
		r.Asked = wire.AppendUnionMap(nil, era.OldestModern, left, protocol.AppendInputRequest)
	}
	r.Answers = wire.AppendUnionMap(nil, era.OldestModern, answers, protocol.AppendInputResponse)
	return len(r.Answers) <= call.MaxState
}

// answersKind reports whether an answer is one of the kind that a question asks for.
func answersKind(question protocol.InputRequest, answer protocol.InputResponse) bool {
	var ok bool
	switch question.(type) {
	case *protocol.ElicitRequest:
		_, ok = answer.(*protocol.ElicitResult)
	case *protocol.CreateMessageRequest:
		_, ok = answer.(*protocol.CreateMessageResult)
	case *protocol.ListRootsRequest:
		_, ok = answer.(*protocol.ListRootsResult)
	}
	return ok
}
