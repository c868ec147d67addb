package protocolgen

import (
	"errors"
	"path/filepath"

	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/schema"
	"github.com/mcpgen/mcpgen/templates"
)

// extensionFolder is the folder of the packages of extensions in that of the core.
const extensionFolder = "ext"

// extensions generates the packages of extensions and adds them to the result, and to the record of the core.
func (r *Result) extensions(opts Options, core *protocolir.Core, api *schema.API) error {
	committed := len(opts.Schemas) == 0 && len(opts.Extensions) == 0
	list, err := schema.EmbeddedExtensions()
	if !committed {
		list, err = readExtensions(opts.Extensions, list)
	}
	if err != nil || len(list) == 0 {
		return err
	}
	if core.Path, err = importPath(opts); err != nil {
		return err
	}
	var problems []error
	for _, ext := range list {
		p, record, err := r.extension(opts, ext, core, committed)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		r.Extensions = append(r.Extensions, *p)
		if api.Extensions == nil {
			api.Extensions = map[string]*schema.API{}
		}
		api.Extensions[ext.ID] = record
	}
	return errors.Join(problems...)
}

func (r *Result) extension(opts Options, ext *schema.Extension, core *protocolir.Core, committed bool) (
	*ExtensionPackage, *schema.API, error,
) {
	merged, err := protocolir.Extension(ext, core)
	if merged != nil {
		r.Warnings = append(r.Warnings, merged.Warnings...)
	}
	if err == nil && committed {
		err = checkTables(extensionTables(ext.Short()), ext.Exceptions, ext.Docs, merged.Warnings)
	}
	if err != nil {
		return nil, nil, err
	}
	emitted, err := templates.Protocol(merged.Protocol, templates.ProtocolOptions{Package: ext.Short(),
		Header: protocolHeader})
	if err != nil {
		return nil, nil, err
	}
	out := &ExtensionPackage{ID: ext.ID}
	for _, f := range emitted {
		out.Files = append(out.Files, output.File{Path: filepath.Join(opts.Dir, extensionFolder, ext.Short(), f.Name),
			Data: f.Data})
	}
	for _, n := range merged.Notes {
		out.Notes = append(out.Notes, n.String())
	}
	return out, merged.API, nil
}
