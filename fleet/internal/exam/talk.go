package exam

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
)

// key returns a name for something that is done once.
func (p *paper) key(what string) string {
	return fmt.Sprintf("%s %s %d", what, p.user, p.series.Add(1))
}

// ranOnce checks that something was done once.
func (p *paper) ranOnce(key string) {
	began, _, err := p.State.JobRuns(p.ctx, key)
	p.mustf(err, "runs of %s", key)
	if len(began) != 1 {
		p.wrongf(verdict.TaskTwice, key, "%d runs, want 1: %v", len(began), began)
	}
}

// questions answers a question of a session through another replica than the one that asks.
func questions(p *paper) {
	for _, asks := range p.perm() {
		for range 2 {
			answers := p.perm()[0]
			s := p.session(p.conn(-1, "2025-11-25"))
			key := p.key("ask")
			inbox, err := p.at(s.c, asks).Begin(p.ctx, s.id, "ask", map[string]any{"key": key}, 7)
			p.mustf(err, "call at replica %d", asks)
			question, err := inbox.Await(p.ctx, p.bound(), client.Is("elicitation/create"))
			p.mustf(err, "the question of replica %d", asks)
			other := p.session(p.conn(-1, "2025-11-25"))
			_ = p.at(other.c, answers).Reply(p.ctx, other.id, question.ID, map[string]any{"action": "decline"})
			p.mustf(p.at(s.c, answers).Reply(p.ctx, s.id, question.ID, client.Yes()), "answer to replica %d at replica %d", asks,
				answers)
			p.done(inbox, key, fmt.Sprintf("asked by replica %d, answered at replica %d", asks, answers))
			p.ranOnce(key)
		}
	}
}

// done waits for the response of a call, of which there is one.
func (p *paper) done(inbox *client.Inbox, key, what string) {
	m, err := inbox.Await(p.ctx, p.bound(), client.Is(""))
	if err != nil {
		p.wrongf(verdict.Lost, key, "%s: %v", what, err)
		return
	}
	if text := resultText(m.Result); m.Err != nil || text != verdict.Result(key) {
		p.wrongf(verdict.Wrong, key, "%s: %v", what, m)
	}
	time.Sleep(50 * time.Millisecond)
	if got, _ := inbox.Got(client.Is("")); len(got) > 1 {
		p.wrongf(verdict.Wrong, key, "%s: %d responses", what, len(got))
	}
}

func resultText(result json.RawMessage) string {
	var out struct {
		Content []struct{ Text string }
	}
	if json.Unmarshal(result, &out) != nil || len(out.Content) == 0 {
		return ""
	}
	return out.Content[0].Text
}

// states answers the question of a stateless call through another replica; the answer is good once.
func states(p *paper) {
	for _, asks := range p.perm() {
		key := p.key("ask")
		call := func(at int, more map[string]any) (text, state string, err error) {
			c := p.conn(at, client.Modern)
			c.Capabilities = map[string]any{"elicitation": map[string]any{"form": map[string]any{}}}
			params := map[string]any{"name": "ask", "arguments": map[string]any{"key": key}}
			maps.Copy(params, more)
			var raw json.RawMessage
			if err := c.Call(p.ctx, "", "tools/call", params, &raw); err != nil {
				return "", "", err
			}
			var out struct{ RequestState string }
			_ = json.Unmarshal(raw, &out)
			return resultText(raw), out.RequestState, nil
		}
		_, state, err := call(asks, nil)
		p.mustf(err, "call at replica %d", asks)
		more := map[string]any{"requestState": state, "inputResponses": map[string]any{"go": client.Yes()}}
		forged := map[string]any{"requestState": state + "A", "inputResponses": more["inputResponses"]}
		if text, _, err := call(asks, forged); err == nil {
			p.wrongf(verdict.Wrong, key, "a forged request state was taken: %s", text)
		}
		var mu sync.Mutex
		var wg sync.WaitGroup
		good := 0
		for _, at := range p.perm()[:2] {
			wg.Go(func() {
				text, _, err := call(at, more)
				mu.Lock()
				defer mu.Unlock()
				if err == nil && text == verdict.Result(key) {
					good++
				} else if rpc, ok := errors.AsType[*client.RPCError](err); !refused(err) || ok && rpc.Code != -32602 {
					p.wrongf(verdict.Wrong, key, "replica %d takes a state of replica %d: %q, %v", at, asks, text, err)
				}
			})
		}
		wg.Wait()
		for at := range p.Replicas {
			if text, _, err := call(at, more); err == nil {
				p.wrongf(verdict.Twice, key, "replica %d took a request state that was used: %s", at, text)
			}
		}
		if good != 1 {
			p.wrongf(verdict.Wrong, key, "%d of 2 answers at the same time were taken, want 1", good)
		}
		p.ranOnce(key)
	}
}

// refused reports whether an error is an answer of the server.
func refused(err error) bool {
	_, rpc := errors.AsType[*client.RPCError](err)
	_, status := errors.AsType[*client.StatusError](err)
	return rpc || status
}

// resumed breaks the stream of a response and comes back for the rest.
func resumed(p *paper) {
	for _, at := range p.perm() {
		s := p.session(p.conn(-1, "2025-11-25"))
		key := p.key("slow")
		inbox, err := p.at(s.c, at).Begin(p.ctx, s.id, "slow", map[string]any{"key": key, "millis": 700}, 8)
		p.mustf(err, "call at replica %d", at)
		m, err := inbox.Await(p.ctx, p.bound(), client.Is("notifications/progress"))
		p.mustf(err, "progress of replica %d", at)
		inbox.Close()
		p.pause(time.Second)
		rest, err := p.at(s.c, at).Stream(p.ctx, s.id, m.Event)
		p.mustf(err, "resume at replica %d", at)
		p.done(rest, key, fmt.Sprintf("resumed at replica %d", at))
		if got, _ := rest.Got(client.Is("notifications/progress")); len(got) > 0 {
			p.wrongf(verdict.Twice, key, "an event before Last-Event-ID was sent again")
		}
		if got, _ := rest.Got(client.Is("notifications/resources/updated")); len(got) > 0 {
			p.wrongf(verdict.Foreign, key, "the stream of a response has %v", got[0])
		}
		rest.Close()
		p.ranOnce(key)
	}
}
