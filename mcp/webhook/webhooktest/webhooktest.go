// Package webhooktest has a callback for tests of servers with events:
//
//	hook := webhooktest.New(t)
//	srv := newServer(t, webhook.Options{AllowPrivate: true, AllowHTTP: true})
//	… subscribe with hook.URL and hook.Secret, have something happen …
//	if m := hook.Next(); m.Name != "incident.opened" { … }
package webhooktest

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/webhook/sign"
)

// patience is how long Next waits.
const patience = time.Minute

// maxBody bounds the body of a message, in bytes.
const maxBody = 1 << 20

// Receiver is a callback on 127.0.0.1 over plain HTTP, for servers that allow both. It checks signatures, answers
// challenges, and accepts every message with a valid signature. It is safe for concurrent use, but Rotate sets Secret:
// nobody may read the field meanwhile.
type Receiver struct {
	// URL and Secret are for events/subscribe.
	URL, Secret string

	t    testing.TB
	came chan Message

	mu      sync.Mutex
	secrets []sign.Secret
	skew    time.Duration
	answer  func(Message) int
	mute    bool
}

// Message is what has come: an event, or a message about the subscription.
type Message struct {
	// ID is the header webhook-id, Subscription the id of the subscription, and Status the HTTP status that the receiver
	// has sent.
	ID, Subscription string
	Status           int
	// Type is "" for an event; otherwise "gap" or "terminated". Challenges are never returned as a Message.
	Type string
	// EventID, Name, Timestamp and Data are set for an event, and Error for "terminated".
	EventID, Name, Timestamp string
	Data, Error              json.RawMessage
	// Cursor is the member cursor of the body: the subscription needs no event up to there any more. It is nil if there is
	// none.
	Cursor *string
	// Body is the whole body.
	Body []byte
}

// New starts a receiver, which stops when the test ends.
func New(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{t: t, came: make(chan Message, 100_000)}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.URL = s.URL + "/hook"
	r.Rotate()
	return r
}

// Rotate sets Secret to a new secret, for another events/subscribe. The secrets before it are still accepted until
// [Receiver.Forget].
func (r *Receiver) Rotate() {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = append(r.secrets, secret)
	r.Secret = sign.Secret(secret).String()
}

// Forget stops accepting all secrets but the newest.
func (r *Receiver) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = r.secrets[len(r.secrets)-1:]
}

// Skew sets how far the clock of the receiver is ahead of the clock of the server. The receiver refuses messages that
// were signed more than five minutes before or after its own time.
func (r *Receiver) Skew(ahead time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.skew = ahead
}

// Answer sets the function that returns the HTTP status for a message with a valid signature. It runs on the goroutine
// of the message, and may block. Next returns only messages whose status is below 300. Nil accepts all messages.
func (r *Receiver) Answer(f func(Message) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

// Mute sets whether the receiver ignores challenges.
func (r *Receiver) Mute(mute bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mute = mute
}

// Next returns the next accepted message that is not a challenge. It fails the test if none comes within a minute.
func (r *Receiver) Next() Message {
	r.t.Helper()
	select {
	case m := <-r.came:
		return m
	case <-time.After(patience):
		r.t.Fatal("webhooktest: no message has come")
		return Message{}
	}
}

// None waits for d, and fails the test if a message is accepted meanwhile that is not a challenge.
func (r *Receiver) None(d time.Duration) {
	r.t.Helper()
	select {
	case m := <-r.came:
		r.t.Fatalf("webhooktest: an unexpected message: %s", m.Body)
	case <-time.After(d):
	}
}

// ServeHTTP implements [http.Handler].
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	if err != nil {
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	r.mu.Lock()
	secrets, now, answer, mute := r.secrets, time.Now().Add(r.skew), r.answer, r.mute
	r.mu.Unlock()
	if !signed(req.Header, now, body, secrets) {
		http.Error(w, "the signature is wrong", http.StatusUnauthorized)
		return
	}
	m, members := read(body)
	m.ID, m.Subscription = req.Header.Get(sign.HeaderID), req.Header.Get(sign.HeaderSubscription)
	m.Status = http.StatusNoContent
	switch {
	case m.Type == "verification" && mute:
		w.WriteHeader(m.Status)
		return
	case m.Type == "verification":
		fmt.Fprintf(w, "{%q:%s}", "challenge", members["challenge"])
		return
	case answer != nil:
		m.Status = answer(m)
	}
	w.WriteHeader(m.Status)
	if m.Status < http.StatusMultipleChoices {
		r.came <- m
	}
}

func signed(h http.Header, now time.Time, body []byte, secrets []sign.Secret) bool {
	for _, s := range secrets {
		if sign.Check(h, now, body, s) == nil {
			return true
		}
	}
	return false
}

func read(body []byte) (m Message, members map[string]json.RawMessage) {
	m.Body = body
	if json.Unmarshal(body, &members) != nil {
		return m, nil
	}
	for name, to := range map[string]any{
		"type": &m.Type, "eventId": &m.EventID, "name": &m.Name, "timestamp": &m.Timestamp, "data": &m.Data,
		"error": &m.Error, "cursor": &m.Cursor,
	} {
		if raw, found := members[name]; found {
			_ = json.Unmarshal(raw, to) // a member of another type is no such member
		}
	}
	return m, members
}
