package mcprt

import (
	"cmp"
	"encoding"

	"github.com/mcpgen/mcpgen/mcp/internal/server"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Vars are the variables that the router found in a URI, or the arguments of a prompt.
type Vars = server.Vars

// VarEnum decodes variable i, which must be one of values.
func VarEnum[T ~string](v *Vars, i int, name string, values ...T) T {
	return server.VarEnum[T](v, i, name, values...)
}

// VarFloat decodes variable i as a decimal number that T can hold.
func VarFloat[T ~float32 | ~float64](v *Vars, i int, name string) T {
	return server.VarFloat[T](v, i, name)
}

// VarInt decodes variable i as a decimal number that T can hold.
func VarInt[T wire.Integer](v *Vars, i int, name string) T { return server.VarInt[T](v, i, name) }

// VarOf decodes variable i with its UnmarshalText method. Clients get the text of its error if it is public.
func VarOf[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](v *Vars, i int, name string) T {
	return server.VarOf[T, P](v, i, name)
}

// VarEnumText is [VarOf] for a text that must be one of values.
func VarEnumText[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](v *Vars, i int, name string, values ...string) T {
	return server.VarEnumText[T, P](v, i, name, values...)
}

// VarMin refuses a value less than least.
func VarMin[T cmp.Ordered](v *Vars, name string, x, least T) { server.VarMin[T](v, name, x, least) }

// VarMax refuses a value greater than most.
func VarMax[T cmp.Ordered](v *Vars, name string, x, most T) { server.VarMax[T](v, name, x, most) }

// VarOneOf refuses a value that is none of values.
func VarOneOf[T comparable](v *Vars, name string, x T, values ...T) {
	server.VarOneOf[T](v, name, x, values...)
}

// TextOf returns the text of m for a URI; "" if MarshalText fails, so that no URI names m.
func TextOf(m encoding.TextMarshaler) string { return server.TextOf(m) }

// TextsOf returns the texts of values for completions, without those whose MarshalText fails.
func TextsOf[T any, P interface {
	*T
	encoding.TextMarshaler
}](values ...T) []string {
	var texts []string
	for i := range values {
		if text := server.TextOf(P(&values[i])); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
