package session

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// safeFault is Fault for errors whose methods may panic. It is called where no other code recovers: a panic becomes the
// error of the response.
func (w *Worker) safeFault(err error) (e *wire.Error) {
	defer func() {
		if v := recover(); v != nil {
			w.panicked(labels.PanicHandler)
			e = w.Fault(&content.PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	return w.Fault(err)
}

// Fault converts the error of a handler to the error of the response. If the client must not see the text of err, Fault
// logs err.
func (w *Worker) Fault(err error) *wire.Error {
	if lacking := call.MissingCapability(err, w.Rev); lacking != nil {
		return lacking
	}
	e := w.faultCode(err)
	text, public := content.PublicText(err)
	switch {
	case !public && e.Message == "":
		e.Message = w.Mask(err)
		return e
	case public && text != e.Message:
		e = &wire.Error{Code: e.Code, Message: text, Data: e.Data}
	}
	w.Withheld(err)
	return e
}

// Withheld logs err at the level debug if clients get only a part of its text.
func (w *Worker) Withheld(err error) {
	if content.Withholds(err) {
		w.host.Log.Debug("mcp: the client gets a part of an error only", "method", string(w.Method), "err", err)
	}
}

// faultCode returns the error of the protocol for err. Its message is empty if the caller has to use the text of err.
func (w *Worker) faultCode(err error) *wire.Error {
	if coded, ok := errors.AsType[*wire.Error](err); ok {
		return coded
	}
	e := &wire.Error{Code: wire.CodeInternal}
	if w.uri != "" {
		e.Data = uriData(w.uri)
	}
	_, variable := errors.AsType[*uri.VarError](err)
	switch {
	case w.uri != "" && content.IsNotFound(err):
		return NotFound(w.Rev, w.uri)
	case variable:
		e.Code = wire.CodeInvalidParams
	case content.IsNotFound(err) && w.Call != nil && w.Call.Named():
		e.Code, e.Message = wire.CodeInvalidParams, MissingText
	}
	return e
}

// MissingText is the error text when something that the arguments of a tool or a prompt refer to does not exist. It
// takes the place of the text of the original error, which might contain paths of the system.
const MissingText = "not found: what the arguments name does not exist"

// Mask logs err and returns the text for the client: a reference to the log record, or the text of err if
// Host.ShowErrors is set.
func (w *Worker) Mask(err error) string {
	ref := fmt.Sprintf("%04x", rand.N(1<<16)) //nolint:gosec // no secret
	attrs := []any{"ref", ref, "method", string(w.Method), "err", err}
	if panicked, ok := errors.AsType[*content.PanicError](err); ok {
		attrs = append(attrs, "stack", string(panicked.Stack))
	}
	w.host.Log.ErrorContext(w.Values(), "mcp: request failed", attrs...)
	if w.host.ShowErrors {
		return err.Error()
	}
	return "internal error (ref " + ref + ")"
}

// NotFound returns the error of the response for a resource that does not exist.
func NotFound(rev protocol.Revision, uri string) *wire.Error {
	code := content.CodeResourceMissing
	if era.IsModern(rev) {
		code = wire.CodeInvalidParams
	}
	return &wire.Error{Code: code, Message: "resource not found", Data: uriData(uri)}
}

// uriData returns the data of an error about a resource: an object with its URI, as JSON.
func uriData(uri string) []byte {
	return append(wire.AppendString([]byte(`{"uri":`), uri), '}')
}
