package protocol

import (
	"path"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// typeName returns a declared name, which is qualified with an import path if it is of another package.
func typeName(name string) *jen.Statement { return funcName("", name) }

// funcName returns the name of the function for a type, which stands in the type's package.
//
//	protocol.DecodeInputRequest
func funcName(prefix, name string) *jen.Statement {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return jen.Qual(name[:i], prefix+name[i+1:])
	}
	return jen.Id(prefix + name)
}

// shortName returns a name as source has it.
func shortName(name string) string { return path.Base(name) }

// revision returns the type of revisions, which is the core's.
func revision(p *ir.Protocol) *jen.Statement { return core(p, "Revision") }

// core returns something that the package of the core declares.
func core(p *ir.Protocol, name string) *jen.Statement {
	if p.Extension != nil {
		return typeName(p.Extension.Core(name))
	}
	return jen.Id(name)
}

// before returns from a function with results in the revisions that do not have the extension.
//
//	if rev < protocol.Revision20250618 {
//		return false
//	}
func before(p *ir.Protocol, results ...jen.Code) jen.Code {
	if p.Extension == nil || p.Extension.Since == "" {
		return jen.Null()
	}
	return jen.If(revCompare("<", p.Extension.Since)).Block(jen.Return(results...))
}
