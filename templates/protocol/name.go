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

// revision returns the type of revisions. An extension has one of its own: its versions do not depend on the core's.
func revision() *jen.Statement { return jen.Id("Revision") }

// revFor returns the revision that the codec of a declared type takes. What an extension has from the core is written
// as in the revision that the version extends.
func revFor(name string) *jen.Statement {
	if isForeign(name) {
		return jen.Id("rev").Dot(coreType).Call()
	}
	return jen.Id("rev")
}

// isForeign reports whether a declared name is of another package: the core's, in that of an extension.
func isForeign(name string) bool { return strings.Contains(name, ".") }

// core returns something that the package of the core declares.
func core(p *ir.Protocol, name string) *jen.Statement {
	if p.Extension != nil {
		return typeName(p.Extension.Core(name))
	}
	return jen.Id(name)
}
