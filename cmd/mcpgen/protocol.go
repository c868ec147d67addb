package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/internal/output"
	"github.com/mcpgen/mcpgen/internal/protocolgen"
	"github.com/mcpgen/mcpgen/internal/requirement"
	"github.com/mcpgen/mcpgen/schema"
)

// protocolTask is the command mcpgen protocol.
type protocolTask struct {
	protocolgen.Options
	check, diff, strict, verbose, outline, accept bool
}

func protocolCommand(s *streams) *cobra.Command {
	var p protocolTask
	cmd := &cobra.Command{
		Use: "protocol [-schema [REV=]FILE...]", Short: "generate the protocol package from schemas",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := p.take(args); err != nil {
				return usageError{err}
			}
			return p.run(s)
		},
	}
	fs := cmd.Flags()
	fs.Func("schema", "a schema `[REV=]FILE`, official or facts; more may follow (default: the committed ones)",
		p.addSchema)
	fs.Func("extension", "the schema `ID=[VERSION=]FILE` of an extension; more may follow "+
		"(default: the committed ones, with the committed core)", p.addExtension)
	fs.StringVar(&p.Import, "import", "",
		"the import `path` of the package, for the packages of extensions (default: its folder in the module around it)")
	fs.StringVarP(&p.Dir, "output", "o", "generated/protocol", "the `folder` of the package")
	fs.StringVar(&p.Package, "package", "protocol", "the `name` of the package")
	fs.BoolVar(&p.check, "check", false, "write nothing; list stale files and exit with 1 if there are any")
	fs.BoolVar(&p.diff, "diff", false, "write nothing; print what would change")
	fs.StringVar(&p.API, "api", "schema/api.json",
		"the `file` that records the names and types of the package; only for the committed schemas")
	fs.BoolVarP(&p.verbose, "verbose", "v", false,
		"print what was decided for later revisions, and what is new")
	fs.BoolVar(&p.outline, "outline", false, "only add empty sentences to schema/docs.json for what has none")
	fs.BoolVar(&p.accept, "accept", false,
		"record what the codecs make of the messages in schema/messages; read first what differs without this flag")
	fs.BoolVar(&p.strict, "strict", false, "treat warnings as errors")
	return exits(cmd, "0; 1 if schemas have mistakes, or -check or -diff find stale files;\n"+
		"2 for wrong usage and trouble with files.")
}

// take reads the arguments that follow -schema.
func (p *protocolTask) take(args []string) error {
	if len(args) > 0 && len(p.Schemas) == 0 {
		return fmt.Errorf("unexpected argument %q; schema files follow -schema", args[0])
	}
	for _, arg := range args {
		if err := p.addSchema(arg); err != nil {
			return err
		}
	}
	if !isPackageName(p.Package) {
		return fmt.Errorf("-package %q is not a Go package name", p.Package)
	}
	return nil
}

// addSchema reads [REV=]FILE.
func (p *protocolTask) addSchema(arg string) error {
	file, err := fileOf(arg)
	p.Schemas = append(p.Schemas, file)
	return err
}

// fileOf reads [REV=]FILE.
func fileOf(arg string) (protocolgen.SchemaFile, error) {
	file := protocolgen.SchemaFile{Path: arg}
	if rev, path, ok := strings.Cut(arg, "="); ok && schema.IsRevision(rev) {
		file = protocolgen.SchemaFile{Path: path, Revision: rev}
	}
	if file.Path == "" {
		return file, fmt.Errorf("no file name given")
	}
	return file, nil
}

// addExtension reads ID=[VERSION=]FILE.
func (p *protocolTask) addExtension(arg string) error {
	id, rest, ok := strings.Cut(arg, "=")
	if !ok {
		return fmt.Errorf("%q is not of the form ID=FILE", arg)
	}
	if err := schema.CheckIdentifier(id); err != nil {
		return err
	}
	file, err := fileOf(rest)
	p.Extensions = append(p.Extensions, protocolgen.ExtensionFile{ID: id, SchemaFile: file})
	return err
}

func isPackageName(s string) bool {
	for i, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && s != "_"
}

// run writes what the schemas give. The committed ones are those of the specification, whose pages must be decided
// about: that is told last, since the package does not depend on it.
func (p *protocolTask) run(s *streams) error {
	err := p.generate(s)
	if err != nil && !errors.Is(err, errStale) || p.outline || len(p.Schemas) > 0 || len(p.Extensions) > 0 {
		return err
	}
	committed, broken := schema.Embedded()
	if broken != nil {
		return broken
	}
	var dates []string
	for _, c := range committed {
		dates = append(dates, c.Revision)
	}
	return cmp.Or(s.undecided(dates), err)
}

// undecided prints what of the pages of some revisions of the specification nobody has decided about.
func (s *streams) undecided(revisions []string) error {
	table, err := requirement.Read()
	if err != nil {
		return err
	}
	problems := table.Check(revisions)
	for _, p := range problems {
		fmt.Fprintln(s.stderr, p)
	}
	if len(problems) > 0 {
		return errReported
	}
	return nil
}

func (p *protocolTask) generate(s *streams) error {
	r, err := protocolgen.Generate(p.Options)
	if r != nil {
		for _, w := range r.Warnings {
			fmt.Fprintln(s.stderr, w)
		}
	}
	if r != nil && p.verbose {
		for _, n := range r.Notes {
			fmt.Fprintln(s.stderr, n)
		}
	}
	if p.outline && r != nil && r.Outline != nil {
		return place(s, output.Disk{}, []output.File{{Path: docsFile, Data: r.Outline, Plain: true}}, "", false, p.diff)
	}
	if err != nil || p.outline {
		return err
	}
	if p.verbose {
		for _, line := range r.Gained {
			fmt.Fprintln(s.stderr, "new:", line)
		}
		for _, x := range r.Extensions {
			for _, n := range x.Notes {
				fmt.Fprintln(s.stderr, n)
			}
		}
	}
	if p.strict && len(r.Warnings) > 0 {
		return errReported
	}
	files := r.Files
	for _, x := range r.Extensions {
		files = append(files, x.Files...)
	}
	if err := p.compare(s, files); err != nil {
		return err
	}
	err = place(s, output.Disk{}, files, "*_gen.go", p.check, p.diff)
	if r.Record == nil || err != nil && !errors.Is(err, errStale) {
		return err
	}
	err = cmp.Or(place(s, output.Disk{}, []output.File{*r.Record}, "", p.check, p.diff), err)
	if err == nil && len(r.Arrived) > 0 {
		fmt.Fprintf(s.stderr, whatIsLeft, p.API, strings.Join(r.Arrived, ", "), p.Dir)
	}
	return err
}

// docsFile has the sentences of the committed schemas.
const docsFile = "schema/docs.json"

// whatIsLeft is said when a revision has come into the record. CONTRIBUTING.md has more words for it.
const whatIsLeft = `%s has revision %s now: commit it with %s. What is left to do:
	go test ./...                  everything builds, and no transcript changes
	mcp/internal/era/era.go        NewestServed names the revision once the runtime does what it asks for
	go test ./golden/... -update   adds its sections to the transcripts: read them
	go test ./...                  names the tests that list all revisions
	make conformance, CHANGELOG.md
`

// place writes files, or compares them with the disk: -check lists what differs, -diff
// shows it. Both give errStale.
func place(s *streams, disk output.FileSystem, files []output.File, prune string, check, diff bool) error {
	if !check && !diff {
		_, err := output.Write(disk, files, prune)
		return err
	}
	changes, err := output.Compare(disk, files, prune)
	if err != nil || len(changes) == 0 {
		return err
	}
	if check {
		for _, c := range changes {
			fmt.Fprintf(s.stdout, "%s: %s\n", c.Path, c.What())
		}
	}
	if diff {
		fmt.Fprint(s.stdout, output.Diff(changes))
	}
	return errStale
}
