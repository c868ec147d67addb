package server

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// withSkills adds the skills of a server to its features, if it has any.
//
//	mcpskill.Add(features, nil,
//		mcpskill.Skills{ // skills.go: Skills
//			Files: Skills,
//			Dirs: []mcpskill.Dir{
//				{Path: "skills/refunds", URI: "skill://refunds"},
//			},
//		},
//	)
func withSkills(s *ir.Server, features jen.Code) jen.Code {
	if len(s.Skills) == 0 {
		return features
	}
	guard := rulesCode(s.SkillRules)
	if guard == nil {
		guard = jen.Nil()
	}
	list := []jen.Code{features, guard}
	for _, k := range s.Skills {
		list = append(list, jen.Line().Add(skillsLit(k)))
	}
	return jen.Qual(jenutil.SkillPath, "Add").Call(append(list, jen.Line())...)
}

// skillsLit is one declaration of skills.
func skillsLit(k *ir.Skills) jen.Code {
	var m jenutil.Members
	var dirs jenutil.Elements
	for _, d := range k.Dirs {
		var dir jenutil.Members
		dir.Text("Path", d.Path)
		dir.Text("URI", d.URI)
		dirs.Add(dir.Inline())
	}
	m.Add("Files", jenutil.Ident(k.Var))
	m.Add("Dirs", jen.Index().Qual(jenutil.SkillPath, "Dir").Add(dirs.Lines()))
	if len(k.Files) > 0 {
		f := k.Files[0]
		m.Add("Guard", rulesCode(f.Rules))
		m.Add("Revisions", protoCode(f.Proto))
		m.Add("Tags", textsCode(f.Tags))
		if f.Cache != (ir.CachePolicy{}) {
			m.Add("Cache", jenutil.RT("Cache").Add(cacheLit(f.Cache)))
		}
		m.Add("Annotations", annotationsCode(f))
	}
	return jen.Qual(jenutil.SkillPath, "Skills").Add(m.Lines(k.Decl))
}
