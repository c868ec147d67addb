package pack

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/output"
)

// options are what a command line says.
type options struct {
	outputs             list
	server, version     string
	description, author string
	name                string // in a registry
	download, image     string // where users get the bundle and the image
	remotes             list
	platforms           list
	inputs              []input
	program             string // the package
	args                []string
	// bundled, imaged and registering say what outputs has.
	bundled, imaged, registering bool
}

// list is a flag that may be repeated.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

// Set implements flag.Value.
func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

// format is a kind of file. Its make gets the files that were made before it.
type format struct {
	ending string // of the names of its files
	make   func(o *options, f *facts, programs []program, before []output.File) ([]byte, error)
}

// formats are in the order in which they are made.
var formats = []format{
	{bundleEnding, (*options).bundle}, {imageEnding, (*options).imageArchive}, {registryFile, (*options).registry},
}

const (
	bundleEnding = ".mcpb"
	imageEnding  = ".tar"
	registryFile = "server.json"
)

// place is the place of the format of a file in formats, -1 for none.
func place(path string) int {
	base := filepath.Base(path)
	return slices.IndexFunc(formats, func(f format) bool {
		return base == f.ending || f.ending != registryFile && strings.HasSuffix(base, f.ending)
	})
}

func formatOf(path string) format { return formats[place(path)] }

const usage = `Usage: mcpgen pack -o FILE [flags] PROGRAM [-- ARGUMENTS]

Makes what people install of the program of a server, such as ./cmd/notes. The name of FILE says what it is:
NAME.mcpb is a bundle that clients open, NAME.tar an image of a container (OCI layout), and server.json what a
registry lists. ARGUMENTS are those that the program always gets. The lists and texts are those of the source.

`

// parse reads a command line. Its error is flag.ErrHelp if the help was asked for, and printed to stdout.
func parse(args []string, stdout io.Writer) (*options, error) {
	o := new(options)
	fs := o.flags()
	words, err := words(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("name the package of a program, such as ./cmd/notes")
	}
	o.program, o.args = words[0], words[1:]
	return o, o.check()
}

// words parses flags before and behind the first argument, and returns the arguments. Behind "--" there are no flags.
func words(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	if end := slices.Index(args, "--"); end >= 0 {
		args, rest = args[:end], args[end+1:]
	}
	var words []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		if fs.NArg() == 0 {
			break
		}
		words, args = append(words, fs.Arg(0)), fs.Args()[1:]
	}
	if len(words) > 1 {
		return nil, fmt.Errorf("%s is one program too many; arguments of the program stand behind --", words[1])
	}
	return append(words, rest...), nil
}

func (o *options) flags() *flag.FlagSet {
	fs := flag.NewFlagSet("mcpgen pack", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Var(&o.outputs, "o", "a `FILE` to write; may be repeated")
	fs.StringVar(&o.server, "server", "", "the `name` of the server, if the program has several")
	fs.StringVar(&o.version, "version", "", "the `version`, such as 1.2.0; that of the server directive without it")
	fs.StringVar(&o.description, "description", "", "one `sentence`; that of the server directive without it")
	fs.StringVar(&o.author, "author", "", "the `name` of who makes the bundle")
	fs.Var(&o.platforms, "platform", "a `SYSTEM/PROCESSOR` to build for, such as linux/arm64; may be repeated.\n"+
		"A bundle has one processor for each system. Default: this machine, and linux for an image")
	o.inputFlags(fs)
	fs.StringVar(&o.name, "name", "", "the `name` in the registry, such as io.github.ada/notes")
	fs.StringVar(&o.download, "download", "", "the `URL` from which server.json lets clients get the bundle")
	fs.StringVar(&o.image, "image", "", "the `reference` by which they get the image, such as ghcr.io/ada/notes:1.2.0")
	fs.Var(&o.remotes, "remote", "a `URL` at which the server runs already; may be repeated")
	return fs
}

var (
	platformForm = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+$`)
	nameForm     = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)
)

// check finds what cannot be right whatever the program is.
func (o *options) check() error {
	if len(o.outputs) == 0 {
		return errors.New("name a file to write: -o notes.mcpb, -o notes.tar or -o server.json")
	}
	for _, path := range o.outputs {
		if place(path) < 0 {
			return fmt.Errorf("-o %s: the name says what to make: NAME.mcpb, NAME.tar or server.json", path)
		}
		switch formatOf(path).ending {
		case bundleEnding:
			o.bundled = true
		case imageEnding:
			o.imaged = true
		case registryFile:
			o.registering = true
		}
	}
	slices.SortStableFunc(o.outputs, func(a, b string) int { return place(a) - place(b) })
	for i, p := range o.platforms {
		if !platformForm.MatchString(p) || slices.Contains(o.platforms[:i], p) {
			return fmt.Errorf("-platform %s: want each SYSTEM/PROCESSOR once, such as linux/amd64", p)
		}
	}
	if err := o.checkUse(); err != nil {
		return err
	}
	if len(o.platforms) == 0 {
		o.platforms = o.usualPlatforms()
	}
	linux := slices.ContainsFunc(o.platforms, func(p string) bool { return strings.HasPrefix(p, "linux/") })
	if o.imaged && !linux {
		return errors.New("images are for Linux: write -platform linux/amd64")
	}
	if o.bundled {
		if err := o.checkBundle(); err != nil {
			return err
		}
	}
	if o.name != "" && (!nameForm.MatchString(o.name) || len(o.name) > 200) {
		return fmt.Errorf("-name %s: want a domain backwards, a slash and a name, such as io.github.ada/notes", o.name)
	}
	return o.checkRegistry()
}

// checkUse reports flags and arguments that say nothing about any of the files.
func (o *options) checkUse() error {
	for _, f := range []struct {
		given, used bool
		text        string
	}{
		{o.author != "", o.bundled, "-author is for a bundle"},
		{o.name != "", o.imaged || o.registering, "-name is for an image and server.json"},
		{o.inputs != nil, o.bundled || o.image != "", "-flag and -env are for a bundle, and for server.json with -image"},
		{len(o.args) > 0, o.bundled || o.imaged || o.image != "",
			"arguments of the program are for a bundle, an image, and for server.json with -image"},
		{len(o.platforms) > 0, o.bundled || o.imaged, "-platform is for a bundle and an image"},
		{o.download+o.image != "" || o.remotes != nil, o.registering, "-download, -image and -remote are for server.json"},
	} {
		if f.given && !f.used {
			return errors.New(f.text)
		}
	}
	return nil
}

// usualPlatforms are this machine, and its processor with Linux if there is an image.
func (o *options) usualPlatforms() list {
	here, linux := runtime.GOOS+"/"+runtime.GOARCH, "linux/"+runtime.GOARCH
	switch {
	case !o.imaged || here == linux:
		return list{here}
	case !o.bundled:
		return list{linux}
	}
	return list{here, linux}
}
