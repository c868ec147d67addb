package jsoncheck

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"strings"

	"github.com/mcpgen/mcpgen/internal/serverir/gotype"
	"github.com/mcpgen/mcpgen/internal/serverir/jsontype"
	"github.com/mcpgen/mcpgen/internal/serverir/report"
	"github.com/mcpgen/mcpgen/internal/serverir/source"
)

// embedded refuses a mapped type that is embedded without a name: encoding/json would take its fields apart.
func (w *checker) embedded(t types.Type) {
	s, ok := gotype.Deref(types.Unalias(t)).Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		f := s.Field(i)
		elem, _ := gotype.PointedTo(f.Type())
		name, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		if f.Embedded() && name == "" && w.b.MappingOf(elem) != nil {
			w.unsupported(f, token.NoPos, token.NoPos,
				fmt.Sprintf("the embedded field %s, whose type is mapped and which has no name in JSON,",
					f.Name()), "give it a name in its json tag")
		}
	}
}

// useMapping notes that values of a mapped type are read or written, and reports a function that is not there.
func (w *checker) useMapping(m *jsontype.Mapping, field *types.Var) {
	f, other, verb, form := m.Parse, m.Print, "reads", "func(%[1]s) (%[2]s, error)"
	if !w.in {
		f, other, verb, form = m.Print, m.Parse, "writes", "func(%[2]s) %[1]s"
	}
	if f != nil {
		if !f.Used {
			w.b.RelyOn(f.Decl)
		}
		f.Used = true
		return
	}
	if w.Found++; m.Reported {
		return
	}
	m.Reported = true
	from, to := source.NameOf(other.Decl)
	text := w.b.TypeText(m.Type)
	ufrom, uto := w.From, w.To
	if field != nil && w.b.Res.PackageOf(field) != nil {
		ufrom, uto = source.ParamRange(field)
	}
	w.b.Report("MCP410", from, to, fmt.Sprintf("`%s` has a mapping, and no function %s it", text, verb),
		w.b.Related(ufrom, uto, "needed here"),
		report.Fix(fmt.Sprintf("add a function //mcp:type "+form, m.Base, text)))
}
