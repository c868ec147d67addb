package mcphttp

import (
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// primedSince is the revision from which on streams begin with an event that can be resumed from.
const primedSince = protocol.Revision20251125

// legacy handles a message of a session, or the one that opens it.
func (h *handler) legacy(w http.ResponseWriter, r *http.Request, e *mcp.Envelope, who mcp.Caller) {
	if e.Fault != nil {
		writeJSON(w, http.StatusBadRequest, wire.AppendError(nil, e.Message.ID, false, e.Fault))
		return
	}
	if string(e.Message.Method) == protocol.MethodInitialize && e.Message.IsRequest() && r.Header.Get(sessionHeader) == "" {
		h.initialize(w, r, e, who)
		return
	}
	x, why := h.session(r, who)
	if why != nil {
		if e.Message.IsRequest() {
			fault := wire.NewError(wire.CodeInvalidRequest, why.text)
			writeJSON(w, why.status, wire.AppendError(nil, e.Message.ID, false, fault))
			return
		}
		refuse(w, why)
		return
	}
	defer x.done()
	if e.Batch && x.mcp.Revision() != protocol.Revision20250326 {
		refuse(w, &refusal{http.StatusBadRequest, "the revision of this session has no batches"})
		return
	}
	h.exchange(w, r, x, e, who)
}

// initialize opens a session.
func (h *handler) initialize(w http.ResponseWriter, r *http.Request, e *mcp.Envelope, who mcp.Caller) {
	x, why := h.newSession(client(r, who), who)
	if why != nil {
		refuse(w, why)
		return
	}
	defer x.done()
	w.Header().Set(sessionHeader, x.id)
	h.exchange(w, r, x, e, who)
	if x.mcp.Revision() == 0 {
		h.forget(x) // it was refused
	}
}

// session returns the session that the headers name, in use until done.
func (h *handler) session(r *http.Request, who mcp.Caller) (*session, *refusal) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		return nil, &refusal{http.StatusBadRequest, "Mcp-Session-Id is missing: send initialize first, or name the revision in params._meta"}
	}
	x := h.find(id, who)
	if x == nil {
		return nil, noSession
	}
	// Revisions before 2025-06-18 do not know the header; if it is there it must be one that has sessions.
	if version := r.Header.Get(versionHeader); version != "" && mcp.ModernVersion(version) {
		x.done()
		return nil, &refusal{http.StatusBadRequest, "MCP-Protocol-Version does not name a revision with sessions"}
	}
	return x, nil
}

// exchange handles a message of x and answers it.
func (h *handler) exchange(w http.ResponseWriter, r *http.Request, x *session, e *mcp.Envelope, who mcp.Caller) {
	p := &port{w: w, opts: &h.opts}
	if e.Message.IsRequest() || e.Batch {
		p.log = x.newReply()
		p.prime = x.mcp.Revision() >= primedSince
		p.began = func() { x.keep(p.log) }
	}
	defer p.close()
	x.mcp.Handle(r.Context(), e, who, p)
	switch {
	case p.answered:
	case p.stream != nil:
		p.log.finish() // cancelled: nothing follows
	case e.Message.IsRequest() && x.over():
		fault := wire.NewError(wire.CodeInvalidRequest, noSession.text)
		writeJSON(w, noSession.status, wire.AppendError(nil, e.Message.ID, false, fault))
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// noSession is the answer to a request of a session that has ended, before it or meanwhile.
var noSession = &refusal{http.StatusNotFound, "the session does not exist: send initialize again"}

// news handles GET: the stream for what belongs to no request, or the rest of one that broke.
func (h *handler) news(w http.ResponseWriter, r *http.Request, who mcp.Caller) {
	if r.Header.Get(sessionHeader) == "" {
		w.Header().Set("Allow", "POST")
		explain(w, r, &refusal{http.StatusMethodNotAllowed, "GET needs the Mcp-Session-Id of a session: only revisions before 2026-07-28 have them"})
		return
	}
	if !accepts(r, "text", "event-stream") {
		refuse(w, &refusal{http.StatusNotAcceptable, "Accept must list text/event-stream"})
		return
	}
	x, why := h.session(r, who)
	if why != nil {
		refuse(w, why)
		return
	}
	defer x.done()
	name := client(r, who)
	if !h.useStream(name) {
		refuse(w, tooMany("streams"))
		return
	}
	defer h.endStream(name)
	log, after, why := x.resume(r.Header[lastEvent])
	if why != nil {
		refuse(w, why)
		return
	}
	h.follow(w, r, x, log, after, who)
}

// resume returns the stream that a GET continues, and the last event of it that the client has.
func (x *session) resume(ids []string) (log *eventLog, after uint64, why *refusal) {
	if len(ids) == 0 {
		if x.news.heard() {
			return nil, 0, &refusal{http.StatusConflict, "the session has a stream already"}
		}
		return x.news, x.news.last(), nil
	}
	name, number, ok := parseEventID(ids[0])
	if log = x.log(name); !ok || log == nil || number > log.last() {
		return nil, 0, &refusal{http.StatusBadRequest, "Last-Event-ID names no event of this session"}
	}
	return log, number, nil
}

// follow writes the events of a log until the client has gone, who expires or nothing follows.
func (h *handler) follow(w http.ResponseWriter, r *http.Request, x *session, log *eventLog, after uint64, who mcp.Caller) {
	s := openStream(w, &h.opts)
	defer s.close()
	isNews := log == x.news
	known := log.attach(s, after)
	switch {
	case known:
	case isNews:
		log.attach(s, log.last()) // what was forgotten cannot be told again, and all is reminded of below
	default:
		for !log.attach(s, log.forgotten()) { // what is left, the answer above all; more may be forgotten meanwhile
		}
	}
	defer log.detach(s)
	if isNews {
		if x.mcp.Revision() >= primedSince && after == log.last() {
			log.add(nil)
		}
		if !known || after == log.last() && after > 0 {
			x.mcp.Remind()
		}
		x.hear()
		defer func() {
			log.detach(s)
			x.hear()
		}()
	}
	var expired <-chan time.Time
	if end := who.Expires; !end.IsZero() {
		t := time.NewTimer(time.Until(end))
		defer t.Stop()
		expired = t.C
	}
	select {
	case <-r.Context().Done():
	case <-s.gone:
	case <-expired:
	case <-x.ended:
	case <-log.over:
	case <-h.srv.Stopping():
	}
}

// endSession handles DELETE.
func (h *handler) endSession(w http.ResponseWriter, r *http.Request, who mcp.Caller) {
	if r.Header.Get(sessionHeader) == "" {
		w.Header().Set("Allow", "POST")
		explain(w, r, &refusal{http.StatusMethodNotAllowed, "DELETE needs the Mcp-Session-Id of a session"})
		return
	}
	x, why := h.session(r, who)
	if why != nil {
		refuse(w, why)
		return
	}
	defer x.done()
	h.forget(x)
	w.WriteHeader(http.StatusNoContent)
}
