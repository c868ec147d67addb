package protocol

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

// Options says how the protocol package is written. Both fields are required.
type Options struct {
	Package string // package name
	Header  string // first line without the slashes
}

// protocolFile is a file of the protocol package while it is emitted.
type protocolFile struct {
	*jen.File
	p     *ir.Protocol
	name  string // of the package
	group string
	empty bool
}

// newFile returns a file with its first line and the names of its imports. An artifact that is written once has no
// group.
func newFile(p *ir.Protocol, opts Options, group string) *protocolFile {
	f := jen.NewFile(opts.Package)
	f.NoFormat = true
	f.HeaderComment("// " + opts.Header)
	f.ImportName(jenutil.WirePath, "wire")
	if x := p.Extension; x != nil {
		f.ImportName(x.Path, x.Name)
	}
	return &protocolFile{File: f, p: p, name: opts.Package, group: group}
}

// doc adds a doc comment for the declaration that follows.
func (f *protocolFile) doc(text string) { f.Add(jenutil.Doc(text, 0)) }

// revIn returns a condition on rev that holds for the revisions in set, given that rev is
// one of owner. It returns nil if it always holds.
//
//	rev >= Revision20250618
func revIn(p *ir.Protocol, set, owner ir.Revs) *jen.Statement {
	set &= owner
	if set == owner || set == 0 {
		return nil
	}
	var cond *jen.Statement
	for _, run := range runs(set, owner) {
		one := runCond(p, run, owner)
		if cond == nil {
			cond = one
			continue
		}
		cond = cond.Op("||").Add(one)
	}
	return cond
}

// revAmong is revIn, true where that has no condition.
func revAmong(p *ir.Protocol, set, owner ir.Revs) *jen.Statement {
	if cond := revIn(p, set, owner); cond != nil {
		return cond
	}
	return jen.True()
}

// runs splits a set where the owner has a revision that the set lacks.
func runs(set, owner ir.Revs) []ir.Revs {
	var out []ir.Revs
	var run ir.Revs
	for i := 0; i <= owner.Last(); i++ {
		switch {
		case set.Has(i):
			run |= 1 << i
		case owner.Has(i) && run != 0:
			out, run = append(out, run), 0
		}
	}
	if run != 0 {
		out = append(out, run)
	}
	return out
}

func runCond(p *ir.Protocol, run, owner ir.Revs) *jen.Statement {
	first, last := run.First(), run.Last()
	low := owner.First() < first
	high := owner.Last() > last
	switch {
	case low && high && first == last:
		return revCompare("==", p.Revisions[first].Go)
	case low && high:
		return revCompare(">=", p.Revisions[first].Go).Op("&&").Add(revCompare("<=", p.Revisions[last].Go))
	case low:
		return revCompare(">=", p.Revisions[first].Go)
	default:
		return revCompare("<=", p.Revisions[last].Go)
	}
}

func revCompare(op, name string) *jen.Statement { return jen.Id("rev").Op(op).Id(name) }

// and joins conditions; nil ones are left out.
func and(conds ...*jen.Statement) *jen.Statement {
	var out *jen.Statement
	for _, c := range conds {
		switch {
		case c == nil:
		case out == nil:
			out = c
		default:
			out = out.Op("&&").Add(c)
		}
	}
	return out
}
