package engine

import (
	"slices"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Revision is a revision of the protocol. A later revision has a greater value; zero means none.
type Revision interface {
	~uint8
	// String returns the date of the revision.
	String() string
}

// Era is what a server knows of the revisions. [Eras] has the rules that follow from it.
type Era[R Revision] struct {
	// Served are the revisions that clients may use, oldest first.
	Served []R
	// Modern is the oldest revision whose requests carry their context. The older ones are legacy: their sessions begin
	// with a handshake.
	Modern R
	// Batches is the revision that has JSON-RPC batches.
	Batches R
	// OmitsUnknownIDs is the oldest revision in which the response to a message without a readable id has no id. In older
	// ones its id is null.
	OmitsUnknownIDs R
	// UnsupportedVersion is the code of the error about a declared version that the server does not serve.
	UnsupportedVersion int
}

// Eras decides what each message is: modern or legacy, in which revision, or why it is refused. Make one with
// [NewEras]. It is never changed, and safe for concurrent use.
type Eras[R Revision] struct {
	Era[R]
	dates  []string // of Served
	newest []string // dates of the modern ones, newest first
	legacy R        // the newest with a handshake
}

// NewEras returns the rules of an era. At least one of the revisions must be legacy.
func NewEras[R Revision](era Era[R]) *Eras[R] {
	e := &Eras[R]{Era: era}
	for _, rev := range era.Served {
		e.dates = append(e.dates, rev.String())
		if e.IsModern(rev) {
			e.newest = append(e.newest, rev.String())
		} else {
			e.legacy = rev
		}
	}
	slices.Reverse(e.newest)
	return e
}

// IsModern reports whether requests of rev carry their context and need no handshake.
func (e *Eras[R]) IsModern(rev R) bool { return rev >= e.Modern }

// Parse returns the revision with a date. It reports false if the server serves no such revision.
func (e *Eras[R]) Parse(date string) (rev R, served bool) {
	if i := slices.Index(e.dates, date); i >= 0 {
		return e.Served[i], true
	}
	return rev, false
}

// Versions returns the dates of all served revisions, newest first.
func (e *Eras[R]) Versions() []string {
	list := slices.Clone(e.dates)
	slices.Reverse(list)
	return list
}

// Negotiate returns the revision for the version that a client asks for in its handshake: the revision of that version
// if it is a legacy revision that is served, else the newest legacy revision.
func (e *Eras[R]) Negotiate(version string) R {
	if rev, served := e.Parse(version); served && !e.IsModern(rev) {
		return rev
	}
	return e.legacy
}

// NullID reports whether the response to a message without a readable id has the id null. session is the revision of
// the session, 0 without one; modern says that the message declares a version.
func (e *Eras[R]) NullID(session R, modern bool) bool { return !modern && session < e.OmitsUnknownIDs }

// Batch returns why a session may not send a batch; nil if it may.
func (e *Eras[R]) Batch(session R) *wire.Error {
	if session == e.Batches {
		return nil
	}
	return wire.NewError(wire.CodeInvalidRequest, "invalid request: the revision of this session has no batches")
}

// Notification returns the revision of a notification. For a faulty notification the result does not matter, because
// there is no response.
func (e *Eras[R]) Notification(meta *RequestMeta, session R) R {
	switch {
	case meta.Declared:
		rev, _ := e.Modernize(meta)
		return rev
	case session != 0:
		return session
	}
	return e.legacy
}

// Modernize returns the revision of a message that declares a version. If the message cannot be served, it returns
// e.Modern and the reason. An error in the _meta is reported before one in the version.
func (e *Eras[R]) Modernize(meta *RequestMeta) (R, *wire.Error) {
	if fault := meta.Fault(); fault != nil {
		return e.Modern, fault
	}
	if rev, served := e.Parse(meta.Version); served && e.IsModern(rev) {
		return rev, nil
	}
	data := append([]byte(`{"supported":`), wire.AppendStrings(nil, e.newest)...)
	data = wire.AppendString(append(data, `,"requested":`...), meta.Version)
	return e.Modern, &wire.Error{
		Code: e.UnsupportedVersion, Message: "unsupported protocol version", Data: append(data, '}'),
	}
}

// Methods with a place of their own in legacy sessions.
const (
	methodInitialize = "initialize" // begins the session
	methodPing       = "ping"       // may come before initialize
)

// Admit decides in which revision a request is answered, or why it is not. session is the revision that the legacy
// session of the connection has negotiated, 0 before. Modern requests and the session do not affect each other. With an
// error, the revision is that of the response.
func (e *Eras[R]) Admit(m *wire.Message, meta *RequestMeta, session R, inBatch bool) (R, *wire.Error) {
	switch {
	case meta.Declared && inBatch:
		return e.Modern, wire.NewError(wire.CodeInvalidRequest, "invalid request: the declared version has no batches")
	case meta.Declared:
		return e.Modernize(meta)
	case string(m.Method) == methodInitialize:
		return e.initialize(m, session, inBatch)
	case session != 0:
		return session, nil
	case string(m.Method) == methodPing:
		return e.legacy, nil
	}
	// The code is that of a modern request without its _meta; the older revisions do not name one.
	return e.legacy, wire.NewError(wire.CodeInvalidParams,
		"invalid params: not initialized: send initialize first, or name the revision in params._meta")
}

// initialize returns the revision that an initialize request negotiates, or why the request is refused.
func (e *Eras[R]) initialize(m *wire.Message, session R, inBatch bool) (R, *wire.Error) {
	switch {
	case inBatch:
		return session, wire.NewError(wire.CodeInvalidRequest, "invalid request: initialize must not be part of a batch")
	case session != 0:
		return session, wire.NewError(wire.CodeInvalidRequest, "invalid request: already initialized")
	}
	raw, _ := wire.Lookup(m.Params, "protocolVersion")
	d := wire.NewDecoder(raw)
	return e.Negotiate(d.String()), nil
}
