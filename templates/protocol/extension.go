package protocol

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/version"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitExtensionDoc writes the package comment of an extension and declares its identifier.
//
//	// ID is the identifier of the extension, under which both sides declare it.
//	const ID = "io.modelcontextprotocol/tasks"
func emitExtensionDoc(f *protocolFile) {
	x := f.p.Extension
	text := "Package " + f.name + " has the messages of the extension " + x.ID +
		" of the Model Context Protocol: one Go type for each " +
		"definition that the extension adds, merged over its versions " + dates(f.p) +
		". What it has from the core is in package " + x.Name + ".\n\n" +
		"Codecs take the revision of the core that was negotiated, and work as those of the core do. A version of the " +
		"extension is in force from the revision that it extends until the next version is."
	if len(f.p.Revisions) == 1 {
		text = "Package " + f.name + " has the messages of version " + dates(f.p) + " of the extension " + x.ID +
			" of the Model Context Protocol: " +
			"one Go type for each definition that the extension adds. What it has from the core is in package " + x.Name +
			".\n\n" +
			"Codecs take the revision of the core that was negotiated, and work as those of the core do."
	}
	for _, line := range jenutil.Wrap(text, jenutil.DocWidth) {
		f.PackageComment("// " + line)
	}
	f.Type().Id("_").Add(jenutil.Wire(version.Contract))
	f.Line()
	f.doc("ID is the identifier of the extension, under which both sides declare it.")
	f.Const().Id("ID").Op("=").Lit(x.ID)
}

// dates lists the versions.
func dates(p *ir.Protocol) string {
	list := make([]string, len(p.Revisions))
	for i, r := range p.Revisions {
		list[i] = r.Date
	}
	return series(list)
}
