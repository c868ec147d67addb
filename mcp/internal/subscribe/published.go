package subscribe

import (
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/pubsub"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Limits of topics. They bound what a server keeps for one listen whose client does not read: the newest notification
// of each topic.
const (
	// MaxTopics is how many topics one member of a filter may follow.
	MaxTopics = 256
	// MaxTopic is how many bytes the name of a topic may have.
	MaxTopic = 512
	// MaxPublished is how many bytes the params of a notification may have that is published on a topic.
	MaxPublished = 4096
)

// Publication is a notification that an extension has published on one of its topics.
type Publication struct {
	Extension, Topic string
	Method           string
	Since            string // the first version of the extension with the notification; "" for all
	Params           json.RawMessage
	At               int64 // time in nanoseconds since 1970; clients get the newest publication of a topic
}

// PublishedOn returns the topic of an extension with that name.
func PublishedOn(extension, name string) pubsub.Topic {
	return pubsub.Topic{Kind: pubsub.Published, URI: extension + " " + name}
}

// Publish gives p to all listens of hub to its topic. It never waits for a connection.
func Publish(hub *pubsub.Hub, p *Publication) {
	of := PublishedOn(p.Extension, p.Topic)
	for _, source := range hub.Sources(of) {
		if l, ok := source.Authorizer.(*Listener); ok {
			l.put(of.URI, p)
		}
	}
	hub.PublishNamed(of)
}

// noted begins the text of a publication, for other replicas. No URI and no id of an extension begins with a space.
const noted = " published\x00"

// Text returns p as a text for other replicas. [PublicationOf] is the reverse. Only Params may contain a NUL.
func (p *Publication) Text() string {
	return noted + strings.Join([]string{
		p.Extension, p.Topic, p.Method, p.Since, strconv.FormatInt(p.At, 10), string(p.Params),
	}, "\x00")
}

// PublicationOf returns the publication that [Publication.Text] has encoded; nil if text is something else.
func PublicationOf(text string) *Publication {
	rest, ok := strings.CutPrefix(text, noted)
	fields := strings.SplitN(rest, "\x00", 6)
	if !ok || len(fields) < 6 {
		return nil
	}
	at, _ := strconv.ParseInt(fields[4], 10, 64) // 0 is older than all others
	return &Publication{
		Extension: fields[0], Topic: fields[1], Method: fields[2], Since: fields[3], At: at,
		Params: json.RawMessage(fields[5]),
	}
}

// Listener receives the publications of one extension for one listen. It keeps the newest publication of each topic
// until it is written. It implements [pubsub.Authorizer].
type Listener struct {
	Listen wire.ID // the id of the listen
	Rev    protocol.Revision
	// Speaks is the version of the extension that the client speaks; "" for an extension without versions.
	Speaks string
	// Permits reports, before each notification, whether the client may still have it. It may run code of the program.
	// Nil means that it may.
	Permits func() bool

	mu   sync.Mutex
	next map[string]*Publication // by the name of the topic, what is still to be written
	last map[string]int64        // by the name of the topic, the newest At
}

// Source returns what the subscriptions of the listen have in common.
func (l *Listener) Source() *pubsub.Source {
	return &pubsub.Source{Authorizer: l, Append: l.appendNext}
}

// put keeps p for the topic with that name, unless p is older than a publication that came before it, or the client
// speaks a version of the extension without p.
func (l *Listener) put(name string, p *Publication) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Speaks < p.Since || p.At < l.last[name] { // replicas are not heard in order
		return
	}
	if l.next == nil {
		l.next, l.last = make(map[string]*Publication), make(map[string]int64)
	}
	l.next[name], l.last[name] = p, p.At
}

// take returns what is kept for the topic with that name, and forgets it.
func (l *Listener) take(name string) *Publication {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.next[name]
	delete(l.next, name)
	return p
}

// Authorize implements [pubsub.Authorizer].
func (l *Listener) Authorize(name string) pubsub.Decision {
	l.mu.Lock()
	_, waits := l.next[name]
	l.mu.Unlock()
	switch {
	case !waits:
		return pubsub.Postpone
	case l.Permits != nil && !l.Permits():
		l.take(name)
		return pubsub.Postpone
	}
	return pubsub.Deliver
}

// appendNext implements [pubsub.Source].Append.
func (l *Listener) appendNext(b []byte, name string) (frame []byte, rest *pubsub.Rest) {
	p := l.take(name)
	if p == nil {
		return nil, nil
	}
	meta := protocol.NotificationMetaObject{SubscriptionID: l.Listen}
	b = meta.AppendJSON(append(wire.AppendNotification(b, p.Method), `{"_meta":`...), l.Rev)
	if len(p.Params) > len("{}") {
		b = append(append(b, ','), p.Params[1:]...)
	} else {
		b = append(b, '}')
	}
	return append(b, "}\n"...), nil
}
