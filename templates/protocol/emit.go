package protocol

import (
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/templates/jenutil"
)

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
	{"client", false, emitClient},
	{"results", false, emitDecodeReplies},
	{"types", true, emitTypes},
	{"codec", true, emitCodecs},
	{"core", false, emitCoreMessage},
}

// Emit writes the protocol package. The error is a bug of mcpgen: an emitter wrote what is not Go.
func Emit(p *ir.Protocol, opts Options) ([]jenutil.File, error) {
	var out []jenutil.File
	for _, a := range artifacts {
		groups := []string{""}
		if a.groups {
			groups = p.Groups
		}
		for _, g := range groups {
			f := newFile(p, opts, g)
			a.emit(f)
			if f.empty {
				continue
			}
			file, err := jenutil.Render(f.File, fileName(a.name, g))
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
