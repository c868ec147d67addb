// Package embedfile reads //go:embed lines, and finds the files that the go command embeds for them.
//
// Its verdicts are those of the go command, which stops at the first mistake of a package; a test compares them.
package embedfile

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
)

// Pattern is one pattern of a //go:embed line.
type Pattern struct {
	// Text is the pattern without quotes, as in all:static.
	Text string
	// From and To are its place in the source, with quotes.
	From, To token.Pos
	// Wrong says why the line has no patterns; "" if it has. From and To are then those of what is wrong.
	Wrong string
}

// Parse returns the patterns of a comment, nil if it is no //go:embed line. The line is the source of the comment up to
// its end.
func Parse(slash token.Pos, line string) []Pattern {
	d, ok := ast.ParseDirective(slash, line)
	if !ok || d.Tool != "go" || d.Name != "embed" {
		return nil
	}
	args, err := d.ParseArgs()
	if err != nil || len(args) == 0 {
		wrong, from := "it names no file", slash
		if err != nil {
			wrong, from = "a quoted pattern has no end, or no space behind it", d.ArgsPos
		}
		return []Pattern{{From: from, To: slash + token.Pos(len(strings.TrimRight(line, " \t\r"))), Wrong: wrong}}
	}
	var patterns []Pattern
	for _, arg := range args {
		to := arg.Pos + token.Pos(width(line[arg.Pos-slash:]))
		patterns = append(patterns, Pattern{Text: arg.Arg, From: arg.Pos, To: to})
	}
	return patterns
}

// Spaced returns what Parse would of a comment that is no //go:embed line because of a space.
func Spaced(slash token.Pos, line string) []Pattern {
	rest := strings.TrimLeft(line[len("//"):], " \t")
	if Parse(slash, "//"+rest) == nil || len(rest) == len(line)-len("//") {
		return nil
	}
	to := slash + token.Pos(len(strings.TrimRight(line, " \t\r")))
	return []Pattern{{From: slash, To: to, Wrong: "a directive has no space behind //"}}
}

// width is the length of the argument that s begins with.
func width(s string) int {
	if quoted, err := strconv.QuotedPrefix(s); err == nil {
		return len(quoted)
	}
	if i := strings.IndexAny(s, " \t\r"); i >= 0 {
		return i
	}
	return len(s)
}

// Error says why a pattern embeds nothing.
type Error struct {
	// Missing says that there is no such file, which may be written later.
	Missing bool
	// Message names the file, and Fix says what to do.
	Message, Fix string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Dir returns the directory that a pattern names, and whether it is free of wildcards.
func Dir(pattern string) (string, bool) {
	name := strings.TrimPrefix(pattern, "all:")
	return name, !strings.ContainsAny(name, `*?[\`)
}

// Files are the files that the go command embeds for a pattern, in order, below the directory of the package. In
// directories these are the files whose names do not begin with a dot or an underscore, unless the pattern begins with
// all:.
func Files(pkg fs.FS, pattern string) ([]string, *Error) {
	glob, all := strings.CutPrefix(pattern, "all:")
	if _, err := path.Match(glob, ""); err != nil || glob == "." || !fs.ValidPath(glob) {
		return nil, &Error{Message: "`" + pattern + "` is no pattern: a path below the directory of the package, " +
			"with / and without . and ..", Fix: better(glob)}
	}
	matches, _ := fs.Glob(pkg, glob)
	var files []string
	for _, match := range matches {
		found, err := below(pkg, match, all)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, &Error{Missing: true, Message: "no file matches `" + pattern + "`"}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// better is a pattern like one that is none.
func better(glob string) string {
	if _, err := path.Match(glob, ""); err != nil {
		return "close the bracket, or write ? in its place"
	}
	like := path.Clean("/" + glob)[1:]
	if like == "" || strings.Contains(glob, "..") || path.IsAbs(glob) {
		return "move the file below the directory of the package"
	}
	return "//go:embed " + like
}

// below are the files that are embedded for a file or directory that matches.
func below(pkg fs.FS, match string, all bool) ([]string, *Error) {
	info, err := fs.Lstat(pkg, match)
	if err != nil {
		return nil, &Error{Message: err.Error()}
	}
	for dir := match; dir != "."; dir = path.Dir(dir) {
		if above, err := fs.Lstat(pkg, dir); dir != match && err == nil && !above.IsDir() {
			return nil, &Error{Message: "`" + match + "` lies behind the link `" + dir + "`", Fix: "copy the directory"}
		}
		if dir != match || info.IsDir() {
			if _, err := fs.Stat(pkg, path.Join(dir, "go.mod")); err == nil {
				return nil, &Error{Message: "`" + match + "` belongs to the module of " + dir + "/go.mod",
					Fix: "move it into the module of the package"}
			}
		}
		if invalid(path.Base(dir)) {
			return nil, &Error{Message: "`" + match + "` has a name that no module can have", Fix: "rename it"}
		}
	}
	switch {
	case info.Mode().IsRegular():
		return []string{match}, nil
	case !info.IsDir():
		return nil, &Error{Message: "`" + match + "` is no regular file, but a link or a device", Fix: "copy the file"}
	}
	files := inDir(pkg, match, all)
	if len(files) == 0 {
		return nil, &Error{Missing: true, Message: "the directory `" + match + "` has no file that can be embedded"}
	}
	return files, nil
}

// inDir are the files of a directory and those below it.
func inDir(pkg fs.FS, dir string, all bool) []string {
	var files []string
	_ = fs.WalkDir(pkg, dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // the go command says so
		}
		base := path.Base(name)
		hidden := !all && (base[0] == '.' || base[0] == '_') || invalid(base)
		if e.IsDir() {
			_, err := fs.Stat(pkg, path.Join(name, "go.mod"))
			if name != dir && (hidden || err == nil) {
				return fs.SkipDir
			}
		} else if !hidden && e.Type().IsRegular() {
			files = append(files, name)
		}
		return nil
	})
	return files
}

// invalid reports whether the go command embeds no files of a name: those of version control, and those that a module
// cannot have.
func invalid(name string) bool {
	switch name {
	case "", ".bzr", ".hg", ".git", ".svn":
		return true
	}
	return module.CheckFilePath(name) != nil
}
