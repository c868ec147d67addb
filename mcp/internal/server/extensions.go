package server

import (
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

func (x *extensions) notifies(method []byte) bool {
	m, found := x.methods[string(method)]
	return found && m.Notification
}

func (x *extensions) request(w *worker, b []byte) ([]byte, error) {
	m, found := x.methods[string(w.method)]
	if !found || m.Notification || !m.Revisions.has(w.rev) {
		return b, errUnknownMethod
	}
	op := x.prepare(w, m)
	next, err := w.perform(op)
	switch {
	case err != nil:
		return b, err
	case next != nil:
		return b, call.ErrAsksElsewhere
	}
	return appendObject(b, w.c.s, w.rev, op)
}

// prepare reads the params of a message. That they are invalid, or that the client has not declared the extension, is
// an error for those only who may know of the method.
func (x *extensions) prepare(w *worker, m extensionMethod) *extensionOperation {
	p := new(protocol.RequestParams)
	p.DecodeJSON(&w.params, w.rev)
	w.target, w.clientMeta = m.Name, p.Meta
	op := &extensionOperation{method: m.Method, given: p.Extra}
	op.common = use{guard: m.Guard, target: m.Name, named: true, meta: p.Meta, args: p.Extra.AppendJSON(nil)}
	if err := w.params.Err(); err != nil {
		op.common.invalid = wire.NewError(wire.CodeInvalidParams, "invalid params: "+err.Error())
	} else if !m.Undeclared && !x.declared(w, m.of, p.Meta) {
		op.common.invalid = missingExtension(w.rev, x.list[m.of].id)
	} else {
		op.common.invalid = x.unspoken(w, m, p.Meta)
	}
	return op
}

// declared reports whether the client of the message at hand has declared the i-th extension: in the message itself, or
// in the handshake of its session.
func (x *extensions) declared(w *worker, i int, meta *protocol.RequestMetaObject) bool {
	if !era.IsModern(w.rev) {
		return call.ExtensionSet(w.c.Extensions.Load()).Has(i)
	}
	if meta == nil || meta.ClientCapabilities == nil {
		return false
	}
	_, found := meta.ClientCapabilities.Extensions.Get(x.list[i].id)
	return found
}

// missingExtension is the error for a client that has not declared an extension. Revisions without a code for that say
// what they say of methods that they do not know.
func missingExtension(rev protocol.Revision, id string) *wire.Error {
	text := "the client has not declared the extension " + id
	if !era.IsModern(rev) {
		return wire.NewError(wire.CodeMethodNotFound, "method not found: "+text)
	}
	var required protocol.ClientCapabilities
	required.Extensions.Set(id, content.EmptyObject)
	data := required.AppendJSON([]byte(`{"requiredCapabilities":`), rev)
	return &wire.Error{Code: protocol.CodeMissingRequiredClientCapability, Message: text, Data: append(data, '}')}
}

// appendObject appends the result of a method, a JSON object, with the members that all results have.
func appendObject(b []byte, s *Server, rev protocol.Revision, op *extensionOperation) ([]byte, error) {
	common, object := protocol.Result{Meta: s.shared.ResultMeta(rev)}, op.result
	if op.method.whole {
		if err := takeCommon(&common, &object, rev); err != nil {
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
	common use
	method *Method
	given  wire.Extra // the params
	result json.RawMessage
}

func (op *extensionOperation) use() *use { return &op.common }

func (op *extensionOperation) reset() {}

func (op *extensionOperation) absent() error { return errUnknownMethod }

func (op *extensionOperation) Run(call *call.Call) (err error) {
	op.result, err = op.method.Call(call, op.common.args)
	return err
}

// conclude makes mistakes in the params the error that the protocol has for them.
func (op *extensionOperation) conclude(_ *call.Call, err error) error {
	if arguments, ok := errors.AsType[*content.ArgumentsError](err); ok {
		return wire.NewError(wire.CodeInvalidParams, "invalid params: "+arguments.Unwrap().Error())
	}
	if err == nil && wire.KindOf(op.result) != wire.KindObject {
		return errors.New("mcp: the result of " + op.method.Name + " is no object")
	}
	return err
}

// notificationIDs number notifications that are handled like requests, among which an id tells them apart.
var notificationIDs atomic.Int64

// notification handles a notification as a request whose response is not sent: within the same limits, and off the
// goroutine that reads if it takes long.
func (x *extensions) notification(w *worker, method, params []byte) {
	found, ok := x.methods[string(method)]
	if !ok || !found.Notification || !found.Revisions.has(w.rev) {
		return
	}
	to := w.responder
	w.responder = call.NoResponse{Responder: to}
	defer func() { w.responder = to }()
	w.id = wire.LocalID(notificationIDs.Add(1))
	w.method, w.number = method, w.c.s.shared.Counts.NumberOf(method)
	w.run(params, func(b []byte) ([]byte, error) {
		_, err := w.perform(x.prepare(w, found))
		return append(b, "{}"...), err
	})
}

// keyOfExtension is the name of an extension among those of a server, for other processes.
func keyOfExtension(id string) uint32 {
	key := uint32(2166136261) // FNV-1a
	for i := range len(id) {
		key = (key ^ uint32(id[i])) * 16777619
	}
	return key
}

func (x *extensions) stateOf(set call.ExtensionSet, settings *call.ClientSettings) (state []DeclaredExtension) {
	for i, d := range x.list {
		if set.Has(i) {
			state = append(state, DeclaredExtension{keyOfExtension(d.id), settings.Of(i)})
		}
	}
	return state
}

func (x *extensions) ofState(state []DeclaredExtension) (set call.ExtensionSet, settings *call.ClientSettings) {
	for i, d := range x.list {
		key := keyOfExtension(d.id)
		at := slices.IndexFunc(state, func(e DeclaredExtension) bool { return e.Key == key })
		if at < 0 {
			continue
		}
		set |= 1 << i
		settings = settings.With(i, state[at].Settings, len(x.list))
	}
	return set, settings
}
