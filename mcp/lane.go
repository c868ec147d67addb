package mcp

import "sync"

// Port is the way back to a client for one message of it, where messages do not share a connection.
// Its methods are never called at the same time, and not after the message was handled.
type Port interface {
	// Tell writes a message that comes before the answer: progress, a log message, a question.
	// frame must not be kept.
	Tell(frame []byte) error
	// Answer writes the response; nothing follows. code is that of an error of JSON-RPC, 0 for a
	// result and for the answers to a batch. frame must not be kept.
	Answer(frame []byte, code int) error
}

// lane is a port in use. Requests of a connection that has its own order have none.
type lane struct {
	caller Caller

	mu       sync.Mutex
	port     Port // nil once the message was handled
	answered bool
}

// tell writes a message before the answer, unless live, called right before, says that it comes too late.
func (l *lane) tell(frame []byte, live func() bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.port == nil || l.answered || !live() {
		return errCallEnded
	}
	return l.port.Tell(frame)
}

// answer writes the response. A client that has gone does not read it, and needs no other end.
func (l *lane) answer(frame []byte, code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.port == nil || l.answered {
		return
	}
	l.answered = true
	_ = l.port.Answer(frame, code)
}

// hasty is a port that would send an answer only when the message was handled, unless told that this may take long.
type hasty interface {
	AnswerNow(frame []byte, code int) error
}

// answerNow is answer while code of the user goes on for nobody knows how long.
func (l *lane) answerNow(frame []byte, code int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.port == nil || l.answered {
		return
	}
	l.answered = true
	if p, ok := l.port.(hasty); ok {
		_ = p.AnswerNow(frame, code)
		return
	}
	_ = l.port.Answer(frame, code)
}

// Waiter is a [Port] that wants to know of requests that wait for the answer of a person: they take long, and cost
// little meanwhile.
type Waiter interface {
	// Wait counts one. The error, which the handler gets, refuses it. gone is closed when the client has left; resume
	// ends the wait, also after the message was handled.
	Wait() (gone <-chan struct{}, resume func(), err error)
}

// wait tells the port that the request waits for a person.
func (l *lane) wait() (gone <-chan struct{}, resume func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, ok := l.port.(Waiter); ok {
		return p.Wait()
	}
	return nil, func() {}, nil
}

// close parts from the port.
func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.port = nil
}
