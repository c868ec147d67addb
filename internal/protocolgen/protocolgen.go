// Package protocolgen makes the protocol package from schemas, with the packages of extensions, and compares schemas.
//
// Generate is the pipeline on one screen: read the schemas, merge them, emit. It writes nothing.
package protocolgen

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"

	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/schema"
	"github.com/mcpgen/mcpgen/templates"
)

// Generate makes the protocol package. Warnings do not stop it. For the committed
// schemas an exception or a doc sentence that is missing or applies to nothing is an error.
//
// For the committed schemas, the files include the record of what the package gives.
func Generate(opts Options) (*Result, error) {
	committed := len(opts.Schemas) == 0
	schemas, err := readSchemas(opts.Schemas)
	if err != nil {
		return nil, err
	}
	t, err := readTables()
	if err != nil {
		return nil, err
	}
	out := &Result{}
	committedExtensions := committed && len(opts.Extensions) == 0
	if committed {
		if err := checkRecord(t.API, schemas, committedExtensions); err != nil {
			return out, err
		}
	}
	merged, err := protocolir.Protocol(schemas, t)
	if merged != nil {
		out.Warnings = merged.Warnings
		for _, n := range merged.Notes {
			out.Notes = append(out.Notes, n.String())
		}
	}
	if err == nil && committed {
		out.Outline, err = outlineOf(t.Docs, merged.Warnings)
		err = errors.Join(checkTables(coreFolder, t.Exceptions, t.Docs, merged.Warnings), err)
		out.Warnings = slices.DeleteFunc(out.Warnings, isFault)
	}
	if err != nil {
		return out, err
	}
	emitted, err := templates.Protocol(merged.Protocol, templates.ProtocolOptions{Package: opts.Package,
		Header: protocolHeader})
	if err != nil {
		return out, err
	}
	for _, f := range emitted {
		out.Files = append(out.Files, output.File{Path: filepath.Join(opts.Dir, f.Name), Data: f.Data})
	}
	core := &protocolir.Core{Schemas: schema.OldestFirst(schemas), Protocol: merged.Protocol, Exceptions: t.Exceptions,
		Docs: t.Docs, API: t.API, Package: opts.Package}
	if err := out.extensions(opts, core, merged.API); err != nil {
		return out, err
	}
	if committedExtensions && opts.API != "" {
		old, errOld := t.API.Format()
		data, err := merged.API.Format()
		if err := errors.Join(errOld, err); err != nil || bytes.Equal(old, data) {
			return out, err
		}
		out.Record = &output.File{Path: opts.API, Data: data, Plain: true}
		if len(t.API.Founding) > 0 {
			out.Gained = t.API.Gained(merged.API)
			out.Arrived = slices.DeleteFunc(slices.Clone(merged.API.Added),
				func(date string) bool { return slices.Contains(t.API.Added, date) })
		}
	}
	return out, nil
}
