package uri

import (
	"strings"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// MaxVars is the most variables that a template may have.
const MaxVars = uritemplate.MaxVars

// Vars are the variables that a router found in a URI, percent-encoded as they are there. The typed methods decode one
// variable each. Once one of them fails, Err returns its error, and all further calls return zero values. A Vars
// belongs to one goroutine.
type Vars struct {
	wire.Path
	raw   [MaxVars]string
	has   uint32 // bit i: the URI has variable i; bit MaxVars+i: it is a list from the query
	given bool   // raw holds plain text: arguments of a prompt, not parts of a URI
	err   error
}

// Reset makes v ready for another URI.
func (v *Vars) Reset() { v.has, v.given, v.err = 0, false, nil }

// ResetPlain makes v ready for texts that are no parts of a URI, and so not percent-encoded: the arguments of a prompt.
func (v *Vars) ResetPlain() {
	v.Reset()
	v.given = true
}

// Mask returns a number that has bit i set if the URI has variable i.
func (v *Vars) Mask() uint64 { return uint64(v.has & (1<<MaxVars - 1)) }

// Decoded returns the text of variable i of a URI; false if the URI does not have it, or it is not percent-encoded
// UTF-8.
func (v *Vars) Decoded(i int) (string, bool) {
	if !v.Has(i) {
		return "", false
	}
	return wire.Unescape(v.raw[i])
}

// Take records raw as variable i, and reports whether raw is not empty and has no slash.
func (v *Vars) Take(i int, raw string) bool {
	v.Set(i, raw)
	return raw != "" && strings.IndexByte(raw, '/') < 0
}

// TakeParam records the query parameter called name as variable i, if the URI has it.
func (v *Vars) TakeParam(i int, name string) {
	v.drop(i)
	if raw, ok := v.Param(name); ok {
		v.Set(i, raw)
	}
}

// Has reports whether the URI has variable i. Only query variables can be missing.
func (v *Vars) Has(i int) bool { return v.has&(1<<i) != 0 }

// Err returns what was wrong with the first variable that could not be decoded.
func (v *Vars) Err() error { return v.err }

// Fail records the error that the variable called name is wrong, unless there is an error already. reason is a text
// such as "want one of a, b".
func (v *Vars) Fail(name, reason string) {
	if v.err == nil {
		v.err = &VarError{Var: name, Reason: reason}
	}
}

// Must calls Fail unless ok is true.
func (v *Vars) Must(name string, ok bool, reason string) {
	if !ok {
		v.Fail(name, reason)
	}
}

// VarError says which variable of a URI has a value that its type does not allow. Clients get it
// as -32602 with the URI in data.uri.
type VarError struct {
	// Var is the name of the variable in the template.
	Var string
	// Reason says what is wrong, or what would have been right.
	Reason string
}

// Error implements error.
func (e *VarError) Error() string { return "variable " + e.Var + ": " + e.Reason }

// Text decodes variable i. It refuses values that, used as a path, could lead out of a directory: see [wire.Unsafe].
func (v *Vars) Text(i int, name string) string { return v.screened(i, name, false) }

// PathText is Text for a variable that spans segments, or for an element of one: drive letters are refused too.
func (v *Vars) PathText(i int, name string) string { return v.screened(i, name, true) }

func (v *Vars) screened(i int, name string, path bool) string {
	s := v.RawText(i, name)
	if v.err != nil || !v.Has(i) {
		return s
	}
	if reason := wire.Unsafe(s, path); reason != "" {
		v.Fail(name, reason)
		return ""
	}
	return s
}

// RawText decodes variable i without screening it for paths; for variables declared raw.
func (v *Vars) RawText(i int, name string) string {
	switch {
	case v.err != nil || !v.Has(i):
		return ""
	case v.given:
		return v.raw[i]
	}
	s, ok := wire.Unescape(v.raw[i])
	if !ok {
		v.Fail(name, "must be percent-encoded UTF-8")
		return ""
	}
	return s
}
