package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// perFile is about how many declarations stand in one source file.
const perFile = 300

// writeMix writes a package of n declarations, or of a few more so that none lacks what belongs to it.
func writeMix(dir, name string, n int) error {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o750)); err != nil { // nothing of an earlier run
		return err
	}
	size := len(declarations)
	for first, file := 0, 0; first < n; file++ {
		var b strings.Builder
		if first == 0 {
			fmt.Fprintf(&b, "// Package %s is large.\n//\n//mcp:server name=%s version=1.0.0\n", name, name)
		}
		fmt.Fprintf(&b, "package %s\n\n", name)
		fmt.Fprintf(&b, opening, file)
		for end := first + perFile; first < min(end, n); first += size {
			for _, text := range declarations {
				fmt.Fprintf(&b, text, file, first/size)
			}
		}
		path := filepath.Join(dir, fmt.Sprintf("part%d.go", file))
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// opening stands at the top of each file, whose number it takes.
const opening = `import (
	"context"
	"iter"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
)

// Desk%[1]d has what this file declares.
type Desk%[1]d struct{ wait time.Duration }

`

// declarations are of all kinds: functions, methods, structs, constants, guards and forms. Of those that stand beside
// each other some belong together. They take the number of the file and a number that they share.
var declarations = []string{
	`// Page%[2]d returns a page.
//
//mcp:resource uri=mix:///page/%[2]d
func Page%[2]d(ctx context.Context) (string, error) { return "page", nil }

`,
	`// Item%[2]d returns an item of a group.
//
//mcp:resource uri=mix:///item%[2]d/{group}/{number} list=none
func Item%[2]d(ctx context.Context, group string, number int) (string, error) { return group, nil }

`,
	`// Args%[2]d are the arguments of Work%[2]d.
type Args%[2]d struct {
	// Name of the thing.
	Name  string   ` + "`json:\"name\"`" + `
	Count int      ` + "`json:\"count,omitempty\" jsonschema:\"minimum=1,maximum=100\"`" + `
	Tags  []string ` + "`json:\"tags,omitempty\"`" + `
}

// Done%[2]d is the result of Work%[2]d.
type Done%[2]d struct {
	// ID of the thing.
	ID    string  ` + "`json:\"id\"`" + `
	Score float64 ` + "`json:\"score\"`" + `
	Ready bool    ` + "`json:\"ready\"`" + `
}

// Work%[2]d works.
//
//mcp:tool
func Work%[2]d(ctx context.Context, in Args%[2]d) (Done%[2]d, error) { return Done%[2]d{ID: in.Name}, nil }

`,
	`// Thing%[2]d returns a thing.
//
//mcp:resource uri=mix:///things%[2]d/{name} subscribe
//mcp:var name minlen=2 maxlen=40
func (d *Desk%[1]d) Thing%[2]d(ctx context.Context, name string) (string, error) { return name, nil }

`,
	`// ListThing%[2]d lists the things.
//
//mcp:list of=Thing%[2]d changes
func (d *Desk%[1]d) ListThing%[2]d(ctx context.Context) iter.Seq2[Thing%[2]dRef, error] { return nil }

`,
	`// CompleteThing%[2]d proposes names.
//
//mcp:complete of=Thing%[2]d var=name
func (d *Desk%[1]d) CompleteThing%[2]d(ctx context.Context, prefix string) ([]string, error) { return nil, nil }

`,
	`// WatchThing%[2]d reports changes.
//
//mcp:watch of=Thing%[2]d
func (d *Desk%[1]d) WatchThing%[2]d(ctx context.Context, name string) iter.Seq2[time.Time, error] { return nil }

`,
	`// Review%[2]d asks for a review.
//
//mcp:prompt
//mcp:arg project "desc=Key of the project" pattern=[A-Z]+
func (d *Desk%[1]d) Review%[2]d(ctx context.Context, project string, no int) (string, error) { return project, nil }

`,
	`// Move%[2]d moves a thing.
//
//mcp:tool updates=mix:///things%[2]d/{name}
//mcp:arg count min=1 "desc=How far"
func (d *Desk%[1]d) Move%[2]d(ctx context.Context, name string, count int) (string, error) { return name, nil }

`,
	`// Card%[2]d is kept by the program.
//
//mcp:resource uri=mix:///cards%[2]d/{id} list subscribe
type Card%[2]d struct {
	ID    string ` + "`json:\"id\" mcp:\"key\"`" + `
	Title string ` + "`json:\"title\" mcp:\"title\"`" + `
}

`,
	`// Text%[2]d does not change.
//
//mcp:resource uri=mix:///text%[2]d
const Text%[2]d = "text"

`,
	`// Sum%[2]d is guarded, and asks who wants to know.
//
//mcp:tool readonly
//mcp:access scopes=sums.read anyscope=a,b
//mcp:limit timeout=5s rate=60/m concurrency=4
//mcp:use Trace
func (d *Desk%[1]d) Sum%[2]d(ctx context.Context, c mcp.Peer, unit Unit%[2]d) (int, error) {
	who, err := mcp.AskForm[Who%[2]d](ctx, c, "who", "Who?")
	return who.Age, err
}

`,
	`// Who%[2]d is a form.
//
//mcp:form
type Who%[2]d struct {
	Name string ` + "`json:\"name\"`" + `
	Age  int    ` + "`json:\"age,omitempty\" jsonschema:\"minimum=0\"`" + `
}

`,
	`// Unit%[2]d is a unit.
//
//mcp:enum
type Unit%[2]d string

// The units.
const (
	Metre%[2]d Unit%[2]d = "m"
	Mile%[2]d  Unit%[2]d = "mi"
)

`,
}
