package protocol

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/version"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// emitPackageDoc writes the package comment. It does not name the revisions: one more leaves the file as it is.
func emitPackageDoc(f *protocolFile) {
	if f.p.Extension != nil {
		emitExtensionDoc(f)
		return
	}
	text := "Package " + f.name +
		" has the messages of the Model Context Protocol: one Go type for each definition, merged " +
		"over all [Revisions], the newest being [Latest].\n\n" +
		"A type has the fields of all revisions. Its AppendJSON method takes the [Revision] that was negotiated and writes " +
		"what that revision knows: fields, constants and union members that came later are left out or, for content, " +
		"replaced by text. DecodeJSON reads what the revision knows, and asks for what it requires. Other members, of " +
		"later revisions too, stay in Extra, through decoding and encoding. An object of another kind in the place of a " +
		"union or of a result is an [Unknown].\n\n" +
		"An optional string or enumeration that is empty is absent; the few whose empty value has a meaning are pointers, " +
		"and so are optional numbers, booleans and structs. A nil slice or map is absent where the member is " +
		"optional and empty where it is required. Objects whose members are free are kept as JSON text, maps of " +
		"typed values as [wire.Map], which keeps their order.\n\n" +
		"[Dispatch] decodes the params of a request, calls a [ServerHandler] and encodes its reply. For clients, " +
		"[DispatchClient] does so with requests of servers, and [DecodeReply] reads results. Package encoding/json refuses " +
		"messages. [wire.Marshal] writes one, and says what the revision would not accept.\n\n" +
		"Values are not safe for concurrent use while one goroutine changes them; encoding only reads."
	for _, line := range jenutil.Wrap(text, jenutil.DocWidth) {
		f.PackageComment("// " + line)
	}
	f.Type().Id("_").Add(jenutil.Wire(version.Contract))
}

// series joins words as prose does: "a, b and c".
func series(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// emitRevisions declares the ordered revision type.
func emitRevisions(f *protocolFile) {
	p, of := f.p, "protocol"
	if p.Extension != nil {
		of = "extension"
	}
	f.doc("Revision is a dated version of the " + of + ". Later revisions compare greater; the zero value is none.")
	f.Type().Id("Revision").Uint8()
	f.Line()
	f.doc("The revisions that this package knows, oldest first.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for i, r := range p.Revisions {
			c := g.Id(r.Go)
			if i == 0 {
				c.Id("Revision").Op("=").Iota().Op("+").Lit(1)
			}
		}
	})
	f.Line()
	f.doc("Latest is the newest revision that this package knows.")
	f.Const().Id("Latest").Op("=").Id(p.Revisions[len(p.Revisions)-1].Go)
	f.Line()
	emitRevisionText(f)
	f.doc("Revisions returns all revisions, oldest first.")
	f.Func().Id("Revisions").Params().Index().Id("Revision").Block(
		jen.Return(jen.Index().Id("Revision").ValuesFunc(func(g *jen.Group) {
			for _, r := range p.Revisions {
				g.Id(r.Go)
			}
		})),
	)
	if p.Extension != nil {
		emitCore(f)
	}
}

func emitRevisionText(f *protocolFile) {
	f.doc("String returns the date of the revision as messages carry it, or \"\" for a revision that this " +
		"package does not know.")
	f.Func().Params(jen.Id("r").Id("Revision")).Id("String").Params().String().Block(
		jen.Switch(jen.Id("r")).BlockFunc(func(g *jen.Group) {
			for _, r := range f.p.Revisions {
				g.Case(jen.Id(r.Go)).Block(jen.Return(jen.Lit(r.Date)))
			}
		}),
		jen.Return(jen.Lit("")),
	)
	f.Line()
	f.doc("ParseRevision returns the revision with this date. It reports false for a date that this " +
		"package does not know.")
	f.Func().Id("ParseRevision").Params(jen.Id("s").String()).Params(jen.Id("Revision"), jen.Bool()).Block(
		jen.Switch(jen.Id("s")).BlockFunc(func(g *jen.Group) {
			for _, r := range f.p.Revisions {
				g.Case(jen.Lit(r.Date)).Block(jen.Return(jen.Id(r.Go), jen.True()))
			}
		}),
		jen.Return(jen.Lit(0), jen.False()),
	)
	f.Line()
}
