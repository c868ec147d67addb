package engine

import "github.com/mcpgen/mcpgen/mcp/wire"

// Limits leaves the size of messages to the transport, which has bounded it already.
var Limits = wire.Limits{Bytes: 1 << 30}

// Envelope is a message of which enough was read for the transport to decide whether it accepts the message. It keeps
// the text that it was made of.
type Envelope struct {
	// Message is the message; of a batch it is empty.
	Message wire.Message
	// Fault is why the text is no message; nil if it is one. With a fault, Message has at most the id that could be read.
	Fault *wire.Error
	// Batch reports that the text is an array. What it holds was not looked at.
	Batch bool
	// Text is what the envelope was made of.
	Text []byte
	// Meta is what a request or notification says of its era.
	Meta RequestMeta
}

// Open reads text, one message or batch within the limits of the transport.
func (e *Eras[R]) Open(text []byte) Envelope {
	if wire.IsBatch(text) {
		return Envelope{Text: text, Batch: true}
	}
	m, bad := wire.ParseMessage(text, Limits)
	env := Envelope{Message: m, Fault: bad, Text: text}
	if bad == nil && m.Method != nil {
		env.Meta = e.ReadMeta(m.Params)
	}
	return env
}

// DeclaredVersion returns the revision that the message itself names, in its _meta; ok is false if it names none. A
// request that names a revision is modern, whatever else is said about it. For a version that is no string, revision is
// "" and ok is true.
func (e *Envelope) DeclaredVersion() (revision string, ok bool) {
	return e.Meta.Version, e.Meta.Declared
}

// MetaFault returns what is wrong with the _meta of a modern request; nil if nothing is.
func (e *Envelope) MetaFault() *wire.Error { return e.Meta.Fault() }

// ReadMeta reads the _meta of params. It allocates only for a version that is not served.
func (e *Eras[R]) ReadMeta(params []byte) RequestMeta {
	if meta := metaOf(params); meta != nil {
		return readMeta(meta, e.dates)
	}
	return RequestMeta{}
}

// MetaReader is [Eras.ReadMeta] for the messages of one client. It remembers the last _meta, because clients send the
// same one with each request; only the progressToken differs, which [RequestMeta] does not have. A MetaReader belongs
// to one goroutine.
type MetaReader[R Revision] struct {
	last   wire.LastObject
	parsed RequestMeta
}

// Read reads the _meta of params.
func (r *MetaReader[R]) Read(e *Eras[R], params []byte) RequestMeta {
	meta := metaOf(params)
	if meta == nil {
		return RequestMeta{}
	}
	if _, ok := r.last.Same(meta); ok {
		return r.parsed
	}
	m := readMeta(meta, e.dates)
	if r.last.Keep(meta, metaProgressToken) {
		r.parsed = m
	}
	return m
}
