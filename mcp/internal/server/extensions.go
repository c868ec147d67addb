package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/feature"
	"github.com/mcpgen/mcpgen/mcp/internal/pipeline"
	"github.com/mcpgen/mcpgen/mcp/internal/relay"
	"github.com/mcpgen/mcpgen/mcp/internal/session"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// extensions implements [extensionServer].
type extensions struct {
	*feature.DeclaredExtensions
	s *Server // the server whose extensions these are; nil until open
}

// NewExtensions returns the [feature.Extensions] with the extensions of list.
func NewExtensions(list ...feature.Extension) feature.Extensions {
	set := feature.NewDeclaredExtensions()
	for i := range list {
		set.Append(&list[i])
	}
	return &extensions{DeclaredExtensions: set}
}

// AddExtension adds an extension to the declarations of f.
func AddExtension(f *feature.Features, e *feature.Extension) {
	x, ok := f.Extensions.(*extensions)
	if !ok {
		x = &extensions{DeclaredExtensions: feature.NewDeclaredExtensions()}
		f.Extensions = x
	}
	x.Append(e)
}

// Add implements [feature.Extensions].
func (x *extensions) Add(other feature.Extensions) (feature.Extensions, error) {
	sum, err := x.With(other.(*extensions).DeclaredExtensions) // there is no other implementation
	if err != nil {
		return nil, err
	}
	return &extensions{DeclaredExtensions: sum}, nil
}

func (x *extensions) open(s *Server) {
	x = &extensions{x.Offered(&s.features), s}
	s.features.Extensions, s.extensions = x, x
	if x.IsEmpty() {
		s.features.Extensions, s.extensions = nil, nil
	} else {
		s.attached = append(s.attached, x)
	}
}

func (x *extensions) attach(s *Server) error {
	c := s.host.NewConn(context.Background())
	h := feature.Host{
		Name: s.features.Info.Name, Events: s.opts.Events, Log: s.host.Log, Audit: s.opts.Audit, Conn: &c.Conn,
		Seal: s.host.Seal, LastingKeys: func() bool { return !s.RandomKeys() }, Stopping: s.host.Stopping(),
		Publish:  func(n wire.Notification) error { return publishHere(s, n) },
		OnlyTags: s.opts.OnlyTags, ExceptTags: s.opts.ExceptTags,
	}
	if s.opts.Bus != nil {
		h.Note = func(text string) { s.linked.Note(relay.Updated, text) }
	}
	if err := x.Attach(h); err != nil {
		return err
	}
	s.host.Counts.CountOwn(x.Names()) // only now, because Attach may add methods
	return nil
}

// signalAttached passes a signal of another replica to the extensions and tasks of s. The text "" means that some
// signals may have been missed.
func signalAttached(s *Server, text string) {
	for _, a := range s.attached {
		a.Signal(text)
	}
}

// tellUpdated tells the extensions of s that the program has published an update of a resource. subject is the subject
// of the caller whose call has caused it; "" for none.
func tellUpdated(s *Server, uri, subject string) {
	if s.extensions == nil || !s.extensions.HearUpdates() {
		return
	}
	if i := s.registry.IndexOf(uri); i >= 0 {
		s.extensions.Updated(s.features.Resources[s.registry.Canonical(i)].URI(), uri, subject)
	}
}

// Request implements [attachment].
func (x *extensions) Request(p *pipeline.Pipeline, params, b []byte) (out []byte, done bool, err error) {
	if !p.Worker.Number.IsOther() {
		return b, false, nil
	}
	out, err = x.request(p, params, b)
	return out, true, err
}

func (x *extensions) request(p *pipeline.Pipeline, params, b []byte) ([]byte, error) {
	w := p.Worker
	m, found := x.Method(w.Method)
	if !found || m.Notification || !m.Revisions.Has(w.Rev) {
		return b, feature.ErrUnknownMethod
	}
	op := x.prepare(w, m, w.Decoder(params))
	next, err := p.Perform(op)
	switch {
	case err != nil:
		return b, err
	case next != nil:
		return b, call.ErrAsksElsewhere
	}
	return appendObject(b, w.Conn.Shared, w.Rev, op)
}

// prepare returns the operation for a message, and decodes its params. If they are invalid, or if the client has not
// declared the extension, it stores the error in the field Invalid of the spec. The pipeline returns this error only to
// callers that may know of the method.
func (x *extensions) prepare(w *session.Worker, m feature.DeclaredMethod, d *wire.Decoder) *extensionOperation {
	p := new(protocol.RequestParams)
	p.DecodeJSON(d, w.Rev)
	args := p.Extra.AppendJSON(nil)
	w.About(m.AuditTarget(args))
	w.SentBy(p.Meta)
	op := &extensionOperation{method: m.Method, given: p.Extra}
	op.spec = pipeline.Spec{Guard: m.Guard, Target: m.Name, Named: true, Meta: p.Meta, Args: args, Asks: m.Stays}
	if err := d.Err(); err != nil {
		op.spec.Invalid = wire.NewError(wire.CodeInvalidParams, "invalid params: "+err.Error())
	} else if !m.Undeclared && !x.declared(w, m.Of, p.Meta) {
		op.spec.Invalid = feature.MissingExtension(w.Rev, x.ID(m.Of))
	} else {
		op.spec.Invalid = x.Unspoken(&w.Conn.Conn, w.Rev, m, p.Meta)
	}
	return op
}

// declared reports whether the client has declared the i-th extension: in meta, the _meta of the current message, or in
// the handshake of a legacy session.
func (x *extensions) declared(w *session.Worker, i int, meta *protocol.RequestMetaObject) bool {
	if !era.IsModern(w.Rev) {
		return call.ExtensionSet(w.Conn.Extensions.Load()).Has(i)
	}
	if meta == nil || meta.ClientCapabilities == nil {
		return false
	}
	_, found := meta.ClientCapabilities.Extensions.Get(x.ID(i))
	return found
}

// appendObject appends the result of op, a JSON object, with the members that all results have. It returns an error if
// the method has set one of these members to a value that is not valid.
func appendObject(b []byte, s *call.Shared, rev protocol.Revision, op *extensionOperation) ([]byte, error) {
	common, object := protocol.Result{Meta: s.ResultMeta(rev)}, op.result
	if op.method.Whole {
		if err := feature.TakeCommon(&common, &object, rev); err != nil {
			return b, err
		}
	}
	start := len(b)
	b = common.AppendJSON(b, rev)
	if len(object) <= len("{}") {
		return b, nil
	}
	if b = b[:len(b)-1]; len(b) > start+1 {
		b = append(b, ',')
	}
	return append(b, object[1:]...), nil
}

// extensionOperation runs a method of an extension.
type extensionOperation struct {
	spec   pipeline.Spec
	method *feature.Method
	given  wire.Extra // the params
	result json.RawMessage
}

func (op *extensionOperation) Spec() *pipeline.Spec { return &op.spec }

func (op *extensionOperation) Reset() {}

func (op *extensionOperation) Absent() error { return feature.ErrUnknownMethod }

func (op *extensionOperation) Run(call *call.Call) (err error) {
	op.result, err = op.method.Call(call, op.spec.Args)
	return err
}

// Conclude turns the error for a mistake in the params into the error of the response. It also returns an error if the
// result is no JSON object.
func (op *extensionOperation) Conclude(_ *call.Call, err error) error {
	if arguments, ok := errors.AsType[*content.ArgumentsError](err); ok {
		return wire.NewError(wire.CodeInvalidParams, "invalid params: "+arguments.Unwrap().Error())
	}
	if err == nil && wire.KindOf(op.result) != wire.KindObject {
		return errors.New("mcp: the result of " + op.method.Name + " is no object")
	}
	return err
}

// Notification implements [extensionServer].
func (x *extensions) Notification(p *pipeline.Pipeline, method, params []byte) {
	w := p.Worker
	found, ok := x.Method(method)
	if !ok || !found.Notification || !found.Revisions.Has(w.Rev) {
		return
	}
	w.RunNotification(method, params, func(b []byte) ([]byte, error) {
		_, err := p.Perform(x.prepare(w, found, w.Decoder(params)))
		return append(b, "{}"...), err
	})
}

func (op *extensionOperation) Params() call.Params {
	return &protocol.RequestParams{Meta: op.spec.Meta, Extra: slices.Clone(op.given)}
}

func (op *extensionOperation) Replace(_ *call.Call, p call.Params) error {
	q, err := pipeline.ParamsOf(p, func(q *protocol.RequestParams) bool { return q.Meta == op.spec.Meta })
	if err == nil {
		op.spec.Args = q.Extra.AppendJSON(nil)
		err = wire.CheckValue(op.spec.Args)
	}
	return err
}

func (op *extensionOperation) Reply(*call.Call) (protocol.Reply, error) {
	return protocol.Prepared(op.result), nil
}

func (op *extensionOperation) Adopt(_ *call.Call, reply protocol.Reply) error {
	r, ok := reply.(protocol.Prepared)
	if !ok {
		return fmt.Errorf("want %T", r)
	}
	op.result = []byte(r)
	return wire.CheckValue(op.result)
}
