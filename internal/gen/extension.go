package gen

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/protocolir"
	"github.com/mcpgen/mcpgen/schema"
	"github.com/mcpgen/mcpgen/templates"
)

// ExtensionFile is the schema file of one version of an extension, official or facts.
type ExtensionFile struct {
	ID string // such as io.modelcontextprotocol/tasks
	SchemaFile
}

// ExtensionPackage is the package of an extension.
type ExtensionPackage struct {
	ID    string
	Files []output.File
	Notes []string // what was taken from the core, with positions
}

// extensionFolder is the folder of the packages of extensions in that of the core.
const extensionFolder = "ext"

// extensions generates the packages of extensions and adds them to the result, and to the record of the core.
func (r *ProtocolResult) extensions(opts ProtocolOptions, core *protocolir.Core, api *schema.API) error {
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

func (r *ProtocolResult) extension(opts ProtocolOptions, ext *schema.Extension, core *protocolir.Core, committed bool) (
	*ExtensionPackage, *schema.API, error,
) {
	var record *schema.API
	if core.Tables.API != nil {
		record = core.Tables.API.Extensions[ext.ID]
	}
	merged, err := protocolir.Extension(ext, core, record)
	if merged != nil {
		r.Warnings = append(r.Warnings, merged.Warnings...)
	}
	if err == nil && committed {
		err = checkTables("schema/ext/"+ext.Short()+"/", ext.Exceptions, ext.Docs, merged.Warnings)
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

// readExtensions reads files. Those of a committed extension have its tables.
func readExtensions(files []ExtensionFile, committed []*schema.Extension) ([]*schema.Extension, error) {
	var out []*schema.Extension
	var problems []error
	for _, f := range files {
		s, err := readExtension(f)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		i := slices.IndexFunc(out, func(e *schema.Extension) bool { return e.ID == f.ID })
		if i < 0 {
			e, err := tablesOf(f.ID, committed)
			if err != nil {
				return nil, err
			}
			if j := slices.IndexFunc(out, func(o *schema.Extension) bool { return o.Short() == e.Short() }); j >= 0 {
				problems = append(problems, fmt.Errorf("the extensions %s and %s would both be package %s", out[j].ID, e.ID,
					e.Short()))
			}
			i, out = len(out), append(out, e)
		}
		if slices.ContainsFunc(out[i].Versions, func(v *schema.Schema) bool { return v.Revision == s.Revision }) {
			problems = append(problems, fmt.Errorf("%s: version %s of %s is given twice", f.Path, s.Revision, f.ID))
		}
		out[i].Versions = append(out[i].Versions, s)
	}
	slices.SortFunc(out, func(a, b *schema.Extension) int { return cmp.Compare(a.ID, b.ID) })
	return out, errors.Join(problems...)
}

func tablesOf(id string, committed []*schema.Extension) (*schema.Extension, error) {
	for _, e := range committed {
		if e.ID == id {
			return &schema.Extension{ID: id, Exceptions: e.Exceptions, Docs: e.Docs}, nil
		}
	}
	ex, err := schema.ParseExceptions([]byte("{}"))
	if err != nil {
		return nil, err
	}
	docs, err := schema.ParseDocs(nil)
	return &schema.Extension{ID: id, Exceptions: ex, Docs: docs}, err
}

func readExtension(f ExtensionFile) (*schema.Schema, error) {
	if err := schema.CheckIdentifier(f.ID); err != nil {
		return nil, err
	}
	version := f.Revision
	if version == "" {
		var err error
		if version, err = schema.RevisionOf(f.Path); err != nil {
			return nil, fmt.Errorf("%w; write -extension %s=YYYY-MM-DD=%s", err, f.ID, f.Path)
		}
	}
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, err
	}
	return schema.ParseExtension(f.Path, f.ID, version, data)
}

func sorted(list []*schema.Schema) []*schema.Schema {
	return slices.SortedFunc(slices.Values(list), func(a, b *schema.Schema) int {
		return cmp.Compare(a.Revision,
			b.Revision)
	})
}

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)

// importPath returns the import path of the package: what the options say, else its folder in the module around it. The
// committed schemas outside of any module give the package that everybody imports.
func importPath(opts ProtocolOptions) (string, error) {
	if opts.Import != "" {
		return opts.Import, nil
	}
	dir, err := filepath.Abs(opts.Dir)
	if err != nil {
		return "", err
	}
	for root := dir; ; root = filepath.Dir(root) {
		if data, err := os.ReadFile(filepath.Join(root, "go.mod")); err == nil {
			m := moduleLine.FindSubmatch(data)
			rel, errRel := filepath.Rel(root, dir)
			if m == nil || errRel != nil {
				return "", fmt.Errorf("%s has no module line", filepath.Join(root, "go.mod"))
			}
			return path.Join(string(m[1]), filepath.ToSlash(rel)), nil
		}
		if root == filepath.Dir(root) {
			break
		}
	}
	if len(opts.Schemas) == 0 {
		return runtimePackage, nil
	}
	return "", fmt.Errorf("packages of extensions import the package of the core, whose import path is unknown: %s is in no module; write -import PATH", dir)
}
