package jsoncheck

import (
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
	"github.com/mcpgen/mcpgen/internal/serverir/tagrule"
)

// checker looks for what JSON, or this version of mcpgen, cannot hold in the input or the result of a
// tool. Problems are reported at the type in the signature, or at the field where it helps.
type checker struct {
	b *jsontype.Types
	// TagMistakes counts all problems, not only those of tags.
	tagrule.Mistakes
	// root is the type in the signature.
	root types.Type
	// in says that values are read, not written.
	in   bool
	seen map[string]bool
	// described says that clients get a schema of what is written.
	described bool
	// closed says that a tag limits the values at hand.
	closed bool
}

func newChecker(b *jsontype.Types, t types.Type, from, to token.Pos) *checker {
	return &checker{b: b, root: t, seen: map[string]bool{},
		Mistakes: tagrule.Mistakes{From: from, To: to, Headers: map[string]tagrule.Word{}}}
}

// unsupported reports something that the grammar may allow one day. Without a place of its own it is
// reported at the type in the signature.
func (w *checker) unsupported(field *types.Var, from, to token.Pos, what, better string) {
	w.Found++
	options := []func(*diag.Diagnostic){report.Fix(better)}
	if !from.IsValid() {
		from, to = w.From, w.To
		options = append(options, w.at(field)...)
	}
	w.b.Report("MCP804", from, to, what+" is not supported by this version of mcpgen yet", options...)
}

// at points to a field whose source is known.
func (w *checker) at(field *types.Var) []func(*diag.Diagnostic) {
	if field == nil || w.b.Res.PackageOf(field) == nil {
		return nil
	}
	from, to := source.ParamRange(field)
	return []func(*diag.Diagnostic){w.b.Related(from, to, "the field")}
}
