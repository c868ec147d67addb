package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/internal/ir"
)

// File is one generated file.
type File struct {
	Name string // base name
	Data []byte
}

// ProtocolOptions says how the protocol package is written. Both fields are required.
type ProtocolOptions struct {
	Package string // package name
	Header  string // first line without the slashes
}

// artifact is one kind of file of the protocol package. With Groups it is written once for
// each group of types that has any.
type artifact struct {
	name   string
	groups bool
	emit   func(*protocolFile)
}

// artifacts are the files of the protocol package.
var artifacts = []artifact{
	{"doc", false, emitPackageDoc},
	{"revision", false, emitRevisions},
	{"enums", false, emitEnums},
	{"unions", false, emitUnions},
	{"errors", false, emitCodes},
	{"methods", false, emitMethods},
	{"replies", false, emitReplies},
	{"dispatch", false, emitDispatch},
	{"notify", false, emitNotify},
	{"types", true, emitTypes},
	{"codec", true, emitCodecs},
}

// protocolFile is a file of the protocol package while it is emitted.
type protocolFile struct {
	*jen.File
	p     *ir.Protocol
	name  string // of the package
	group string
	empty bool
}

// Protocol writes the protocol package.
func Protocol(p *ir.Protocol, opts ProtocolOptions) ([]File, error) {
	var out []File
	for _, a := range artifacts {
		groups := []string{""}
		if a.groups {
			groups = p.Groups
		}
		for _, g := range groups {
			f := &protocolFile{File: newFile(p, opts), p: p, name: opts.Package, group: g}
			a.emit(f)
			if f.empty {
				continue
			}
			file, err := renderFile(f.File, fileName(a.name, g))
			if err != nil {
				return nil, err
			}
			out = append(out, file)
		}
	}
	return out, nil
}

func fileName(artifact, group string) string {
	if group != "" {
		artifact += "_" + group
	}
	return artifact + "_gen.go"
}
