package mcp

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Errors of the runtime itself. A *wire.Error goes to the client as it is.
var (
	errBusy      = wire.NewError(wire.CodeInternal, "too many requests in flight")
	errDuplicate = wire.NewError(wire.CodeInvalidRequest, "invalid request: a request with this id is still being answered")
	errShutdown  = wire.NewError(wire.CodeInternal, "the server ended before the request was answered")
	errNoMethod  = wire.NewError(wire.CodeMethodNotFound, "method not found: the server does not have this capability")
)

// panicError is what a handler panicked with.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// invalid returns an error for params that are of the right shape and still wrong.
func invalid(format string, args ...any) *wire.Error {
	return wire.NewError(wire.CodeInvalidParams, "invalid params: "+fmt.Sprintf(format, args...))
}

// safeFault is fault for errors whose methods may panic: nothing is left to catch that where answers are made.
func (w *worker) safeFault(err error) (e *wire.Error) {
	defer func() {
		if v := recover(); v != nil {
			e = w.fault(&panicError{value: v, stack: debug.Stack()})
		}
	}()
	return w.fault(err)
}

// fault turns the error of a handler into what the client is told. Errors that are meant for
// nobody else's eyes go to the log, and the client gets a reference to that place.
func (w *worker) fault(err error) *wire.Error {
	s := w.c.s
	var (
		coded    *wire.Error
		variable *VarError
		seen     *publicError
		missing  *MissingAbilityError
		e        = &wire.Error{Code: wire.CodeInternal}
	)
	if w.uri != "" {
		e.Data = uriData(w.uri)
	}
	if lacking := missingAbility(err, w.rev); lacking != nil {
		return lacking
	}
	switch {
	case errors.As(err, &coded):
		return coded
	case errors.As(err, &missing):
		e.Message = missing.Error()
	case w.uri != "" && (errors.Is(err, ErrNotFound) || errors.Is(err, fs.ErrNotExist)):
		e = notFound(w.rev, w.uri)
		if errors.As(err, &seen) {
			e.Message = err.Error()
		}
	case errors.As(err, &variable):
		e.Code, e.Message = wire.CodeInvalidParams, variable.Error()
	case errors.As(err, &seen):
		e.Message = err.Error()
	default:
		e.Message = s.mask(err, string(w.method))
	}
	return e
}

// mask logs err and returns what the client is told instead of its text.
func (s *Server) mask(err error, method string) string {
	var random [2]byte
	_, _ = rand.Read(random[:])
	ref := hex.EncodeToString(random[:])
	attrs := []any{"ref", ref, "method", method, "err", err}
	if panicked, ok := errors.AsType[*panicError](err); ok {
		attrs = append(attrs, "stack", string(panicked.stack))
	}
	s.log.Error("mcp: request failed", attrs...)
	if s.opts.ShowErrors {
		return err.Error()
	}
	return "internal error (ref " + ref + ")"
}

// codeResourceMissing is the code of a resource that does not exist, in legacy revisions.
const codeResourceMissing = -32002

// notFound is the answer about a resource that does not exist.
func notFound(rev protocol.Revision, uri string) *wire.Error {
	code := codeResourceMissing
	if isModern(rev) {
		code = wire.CodeInvalidParams
	}
	return &wire.Error{Code: code, Message: "resource not found", Data: uriData(uri)}
}

// uriData is the data member of errors about a resource.
func uriData(uri string) []byte {
	return append(wire.AppendString([]byte(`{"uri":`), uri), '}')
}

// missingAbility is the answer to a request whose client would have to declare a capability; nil if err
// is no such matter, or the revision has no code for it.
func missingAbility(err error, rev protocol.Revision) *wire.Error {
	missing, ok := errors.AsType[*MissingAbilityError](err)
	if !ok || !isModern(rev) {
		return nil
	}
	var required protocol.ClientCapabilities
	if missing.Missing&(Elicitation|ElicitationURL) != 0 {
		required.Elicitation = new(protocol.ClientCapabilitiesElicitation)
	}
	if missing.Missing&Elicitation != 0 {
		required.Elicitation.Form = new(protocol.ClientCapabilitiesElicitationForm)
	}
	if missing.Missing&ElicitationURL != 0 {
		required.Elicitation.URL = new(protocol.ClientCapabilitiesElicitationURL)
	}
	if missing.Missing&(Sampling|SamplingTools) != 0 {
		required.Sampling = new(protocol.ClientCapabilitiesSampling)
	}
	if missing.Missing&SamplingTools != 0 {
		required.Sampling.Tools = new(protocol.ClientCapabilitiesSamplingTools)
	}
	if missing.Missing&Roots != 0 {
		required.Roots = new(protocol.ClientCapabilitiesRoots)
	}
	data := required.AppendJSON([]byte(`{"requiredCapabilities":`), rev)
	return &wire.Error{Code: protocol.CodeMissingRequiredClientCapability, Message: missing.Error(), Data: append(data, '}')}
}
