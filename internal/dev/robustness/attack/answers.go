package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// answerQuestion answers the question that a client was asked, and notes what comes of it. A session is answered by a
// request of its own, the response is in the stream of the question; a client of 2026-07-28 sends its request again.
func (r *run) answerQuestion(ctx context.Context, p placed) {
	nonce := fmt.Sprintf("answer %d", nonces.Add(1))
	content := fmt.Sprintf(`{"action":"accept","content":{"text":%q}}`, nonce)
	if p.to.transport != Sessions {
		var m struct {
			Result struct {
				InputRequests map[string]json.RawMessage
				RequestState  string
			}
		}
		_ = json.Unmarshal([]byte(p.answer), &m)
		again := *p.asked
		again.Params = strings.TrimSuffix(again.Params, "}")
		for name := range m.Result.InputRequests {
			again.Params += fmt.Sprintf(`,"inputResponses":{%q:%s},"requestState":%q}`, name, content, m.Result.RequestState)
		}
		kind, _, text := r.exchange(p.conn, &p.to, again, Reply)
		r.noteAnswer(kind, text, nonce)
		return
	}
	var question struct{ ID json.RawMessage }
	if json.Unmarshal([]byte(p.answer), &question) != nil || p.events == nil {
		r.result.note("not asked", p.answer)
		return
	}
	c, err := r.dial(ctx, p.from)
	if err != nil {
		r.result.note("no connection", "")
		return
	}
	defer c.Close()
	m := Message{Body: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, question.ID, content)}
	if kind, _, text := r.exchange(c, &p.to, m, Reply); kind != "202" {
		r.result.note("answer refused: "+kind, text)
		return
	}
	kind, text := p.event(Reply)
	r.noteAnswer("200 "+kind, text, nonce)
}

// noteAnswer notes what an honest client has got for its answer.
func (r *run) noteAnswer(kind, text, nonce string) {
	if !strings.Contains(text, nonce) {
		kind = "not served: " + kind
	}
	r.result.note(kind, text)
}
