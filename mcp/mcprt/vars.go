package mcprt

import (
	"cmp"
	"encoding"

	"github.com/mcpgen/mcpgen/mcp/internal/uri"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Vars are the variables that the router found in a URI, or the arguments of a prompt. The functions below decode one
// of them each. After the first error, which v.Err returns, they return zero values. name is the name of the variable
// for the error.
type Vars = uri.Vars

// VarEnum decodes variable i, which must be one of values.
func VarEnum[T ~string](v *Vars, i int, name string, values ...T) T {
	return uri.Enum[T](v, i, name, values...)
}

// VarFloat decodes variable i as a decimal number that T can hold.
func VarFloat[T ~float32 | ~float64](v *Vars, i int, name string) T {
	return uri.Float[T](v, i, name)
}

// VarInt decodes variable i as a decimal number that T can hold.
func VarInt[T wire.Integer](v *Vars, i int, name string) T { return uri.Int[T](v, i, name) }

// VarOf decodes variable i with the UnmarshalText method of T. Clients get the text of its error if it is public.
func VarOf[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](v *Vars, i int, name string) T {
	return uri.Of[T, P](v, i, name)
}

// VarEnumText is [VarOf] for a text that must be one of values.
func VarEnumText[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](v *Vars, i int, name string, values ...string) T {
	return uri.EnumText[T, P](v, i, name, values...)
}

// VarMin notes an error in v if x < least.
func VarMin[T cmp.Ordered](v *Vars, name string, x, least T) { uri.Min[T](v, name, x, least) }

// VarMax notes an error in v if x > most.
func VarMax[T cmp.Ordered](v *Vars, name string, x, most T) { uri.Max[T](v, name, x, most) }

// VarOneOf notes an error in v if x is not one of values.
func VarOneOf[T comparable](v *Vars, name string, x T, values ...T) {
	uri.OneOf[T](v, name, x, values...)
}

// TextOf returns the text of m for a URI; "" if MarshalText fails, so that no URI names m.
func TextOf(m encoding.TextMarshaler) string { return uri.TextOf(m) }

// TextsOf returns the texts of values for completions, without those whose MarshalText fails.
func TextsOf[T any, P interface {
	*T
	encoding.TextMarshaler
}](values ...T) []string {
	var texts []string
	for i := range values {
		if text := uri.TextOf(P(&values[i])); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}
