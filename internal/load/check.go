package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/types"
	"go/version"
	"io"
	"os"
	"path"
	"runtime"
	"strings"

	"github.com/mcpgen/mcpgen/internal/diag"
)

// checkTypes type-checks the packages that are read from source, dependencies first,
// and completes the declarations.
func (l *loader) checkTypes() error {
	l.sort()
	gc := importer.ForCompiler(l.fset, "gc", l.openExport)
	for _, p := range l.order {
		if !p.fromSource {
			continue
		}
		broken := p.Target && l.syntaxErrors(p)
		l.checkPackage(p, gc)
		if broken {
			p.errs = nil
		}
		if p.Target && p.annotated() {
			if err := l.takenIn(p); err != nil {
				return err
			}
		}
		for _, d := range p.Decls {
			l.complete(p, d)
		}
	}
	l.relevantErrors()
	return nil
}

func (l *loader) openExport(path string) (io.ReadCloser, error) {
	file := l.exports[path]
	if file == "" {
		return nil, fmt.Errorf("no export data for %s", path)
	}
	return os.Open(file)
}

func (l *loader) checkPackage(p *node, gc types.Importer) {
	p.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Instances: map[*ast.Ident]types.Instance{},
	}
	conf := types.Config{
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Importer:         &packageImporter{l: l, p: p, gc: gc},
		Sizes:            types.SizesFor("gc", l.command.Arch()),
		GoVersion:        p.goVersion(),
		Error: func(err error) {
			var te types.Error
			if errors.As(err, &te) && !te.Soft && !strings.HasPrefix(te.Msg, "\t") {
				p.errs = append(p.errs, te)
			}
		},
	}
	// The result is complete even after errors, and those were collected above.
	p.Types, _ = conf.Check(p.Path, l.fset, p.trees(), p.Info)
}

// goVersion returns the language version of p. It is "", which stands for the newest one that we know, if we were built
// with an older Go than the module asks for.
func (p *node) goVersion() string {
	if p.listed.Module == nil || p.listed.Module.GoVersion == "" {
		return ""
	}
	v := "go" + p.listed.Module.GoVersion
	if version.Compare(v, runtime.Version()) > 0 {
		return ""
	}
	return v
}

// packageImporter resolves the imports of one package.
type packageImporter struct {
	l  *loader
	p  *node
	gc types.Importer
}

// Import returns a checked package, one from export data, or, for imports that
// only function bodies mention, an empty one.
func (m *packageImporter) Import(importPath string) (*types.Package, error) {
	to := m.p.resolve(importPath)
	if to == "unsafe" {
		return types.Unsafe, nil
	}
	if !m.p.needs[to] {
		return m.placeholder(to), nil
	}
	if q := m.l.pkgs[to]; q != nil && q.Types != nil {
		return q.Types, nil
	}
	if m.l.exports[to] == "" {
		if text := m.l.missing[to]; text != "" {
			line, _, _ := strings.Cut(text, "\n")
			return nil, errors.New(strings.TrimRight(line, ":; "))
		}
		return nil, fmt.Errorf("package %s does not compile", to)
	}
	return m.gc.Import(to)
}

func (m *packageImporter) placeholder(to string) *types.Package {
	name := path.Base(to)
	if q := m.l.pkgs[to]; q != nil {
		name = q.Name
	}
	pkg := types.NewPackage(to, name)
	pkg.MarkComplete()
	return pkg
}

// complete sets the fields of a declaration that need types.
func (l *loader) complete(p *node, d *Decl) {
	if d.Ident == nil {
		return
	}
	d.Obj = p.Info.Defs[d.Ident]
	if spec, ok := d.Node.(*ast.ValueSpec); ok {
		d.Text, d.HasText = initialText(p.Info, spec)
	}
	if d.Primary != nil && d.Primary.Name == "enum" && !d.Primary.Bad && p.Target {
		l.enumType(d)
	}
}

// initialText evaluates the first value of a spec: a constant string, or a
// conversion of one to []byte.
func initialText(info *types.Info, spec *ast.ValueSpec) (string, bool) {
	if len(spec.Values) != 1 {
		return "", false
	}
	e := ast.Unparen(spec.Values[0])
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && info.Types[call.Fun].IsType() {
		if s, ok := info.TypeOf(call).Underlying().(*types.Slice); ok && types.Identical(s.Elem(), types.Typ[types.Byte]) {
			e = call.Args[0]
		}
	}
	v := info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// enumType reports an enum on a type that is not a string or an integer.
func (l *loader) enumType(d *Decl) {
	tn, ok := d.Obj.(*types.TypeName)
	if !ok || tn.Type().Underlying() == types.Typ[types.Invalid] {
		return
	}
	if b, ok := tn.Type().Underlying().(*types.Basic); ok && !tn.IsAlias() &&
		b.Info()&(types.IsString|types.IsInteger) != 0 {
		return
	}
	what := tn.Type().Underlying().String()
	if tn.IsAlias() {
		what = "an alias"
	}
	d.Primary.Bad = true
	g := diag.New("MCP108", diag.PosOf(l.fset, d.Primary.Pos, d.Primary.End),
		"`enum` cannot stand on `%s`, which is %s; it goes on a named string or integer type", d, what)
	g.Fix = fmt.Sprintf("declare `type %s string` and constants of it", d.Name)
	l.diags.Add(g)
}
