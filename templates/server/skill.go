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
//				{
//					Path: "skills/refunds",
//					URI:  "skill://refunds",
//					Manifests: []mcpskill.Manifest{
//						{
//							Path:        "SKILL.md",
//							Frontmatter: `{"name": "refunds", "description": "How money is given back."}`,
//							Digest:      "5f0c…",
//						},
//					},
//				},
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
		dirs.Add(skillDirLit(d))
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

// skillDirLit is a directory with a skill, and what was read in it.
func skillDirLit(d ir.SkillDir) jen.Code {
	var manifests jenutil.Elements
	for _, k := range d.Manifests {
		var m jenutil.Members
		m.Text("Path", k.Path)
		m.Add("Frontmatter", jenutil.JSON(k.Frontmatter, 7))
		m.Text("Digest", k.Digest)
		manifests.Add(m.Lines(""))
	}
	var m jenutil.Members
	m.Text("Path", d.Path)
	m.Text("URI", d.URI)
	m.Add("Manifests", jen.Index().Qual(jenutil.SkillPath, "Manifest").Add(manifests.Lines()))
	return m.Lines("")
}
