package server

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/internal/labels"
	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// faultWriter is a worker that turns errors of handlers into what clients may know of them.
type faultWriter struct{ *worker }

// Errors of the runtime itself. A *wire.Error goes to the client as it is.
var (
	errNoMethod = wire.NewError(wire.CodeMethodNotFound, "method not found: the server does not have this capability")
)

// safeFault is fault for errors whose methods may panic: nothing is left to catch that where answers are made.
func (w faultWriter) safeFault(err error) (e *wire.Error) {
	defer func() {
		if v := recover(); v != nil {
			w.panicked(labels.PanicHandler)
			e = w.fault(&content.PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	return w.fault(err)
}

// fault converts the error of a handler to the error of the response.
func (w faultWriter) fault(err error) *wire.Error {
	if lacking := call.MissingCapability(err, w.rev); lacking != nil {
		return lacking
	}
	e := w.faultCode(err)
	text, public := content.PublicText(err)
	switch {
	case !public && e.Message == "":
		e.Message = w.mask(err)
		return e
	case public && text != e.Message:
		e = &wire.Error{Code: e.Code, Message: text, Data: e.Data}
	}
	w.withheld(err)
	return e
}

// withheld logs err if clients get a part of its text only.
func (w faultWriter) withheld(err error) {
	if content.Withholds(err) {
		w.c.s.log.Debug("mcp: the client gets a part of an error only", "method", string(w.method), "err", err)
	}
}

// faultCode is the error of the protocol for err. Its message is empty if there is no fixed one.
func (w faultWriter) faultCode(err error) *wire.Error {
	var (
		coded    *wire.Error
		variable *uri.VarError
		e        = &wire.Error{Code: wire.CodeInternal}
	)
	if w.uri != "" {
		e.Data = uriData(w.uri)
	}
	switch {
	case errors.As(err, &coded):
		return coded
	case w.uri != "" && content.IsNotFound(err):
		return notFound(w.rev, w.uri)
	case errors.As(err, &variable):
		e.Code = wire.CodeInvalidParams
	case content.IsNotFound(err) && w.call != nil && w.call.Named():
		e.Code, e.Message = wire.CodeInvalidParams, missingText
	}
	return e
}

// missingText is the text for something that the arguments of a tool or a prompt name and that does not exist. The text
// of the error may hold paths of the system.
const missingText = "not found: what the arguments name does not exist"

// mask logs err and returns the error for the client, which refers to the record in the log.
func (w faultWriter) mask(err error) string {
	var random [2]byte
	_, _ = rand.Read(random[:])
	ref := hex.EncodeToString(random[:])
	attrs := []any{"ref", ref, "method", string(w.method), "err", err}
	if panicked, ok := errors.AsType[*content.PanicError](err); ok {
		attrs = append(attrs, "stack", string(panicked.Stack))
	}
	w.c.s.log.ErrorContext(w.values(), "mcp: request failed", attrs...)
	if w.c.s.opts.ShowErrors {
		return err.Error()
	}
	return "internal error (ref " + ref + ")"
}

// notFound is the answer about a resource that does not exist.
func notFound(rev protocol.Revision, uri string) *wire.Error {
	code := content.CodeResourceMissing
	if era.IsModern(rev) {
		code = wire.CodeInvalidParams
	}
	return &wire.Error{Code: code, Message: "resource not found", Data: uriData(uri)}
}

// uriData is the data member of errors about a resource.
func uriData(uri string) []byte {
	return append(wire.AppendString([]byte(`{"uri":`), uri), '}')
}
