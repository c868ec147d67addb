package server

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

// hasty is a port that otherwise sends an answer only when the message was handled, as net/http does with small ones.
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

// Waiter is a [Port] that is told when the handler of its request waits for the answer to a question, which may take
// a person minutes. A transport can then count the request apart from those that use the processor.
type Waiter interface {
	// Wait is called before a question is sent. The returned channel is closed once the client has left and nobody
	// will answer; nil means that this is never known. resume is called once when the wait is over, which may be
	// after the message was handled. If err is not nil, the question is not sent and the handler gets err.
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
