package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// skillsCode declares the extension of the skills of a server, nil if it has none.
//
//	mcpskill.Extension(nil,
//		mcpskill.Dir{Files: Skills, Dir: "skills/refunds", URI: "skill://refunds"},
//	)
func skillsCode(s *ir.Server) jen.Code {
	if len(s.Skills) == 0 {
		return nil
	}
	guard := jen.Code(jen.Nil())
	if rules := rulesCode(s.Skills[0].Rules); rules != nil {
		guard = rules
	}
	list := []jen.Code{guard}
	for _, k := range s.Skills {
		list = append(list, jen.Line().Qual(jenutil.SkillPath, "Dir").Values(
			jen.Id("Files").Op(":").Add(jenutil.Ident(k.Var)), jen.Id("Dir").Op(":").Lit(k.Dir),
			jen.Id("URI").Op(":").Lit(k.URI)))
	}
	return jen.Qual(jenutil.SkillPath, "Extension").Call(append(list, jen.Line())...)
}
