package main

// wide is a package in which resources, prompts and tools are methods, and templates have all that belongs to them:
// what a package of a third each of the simplest declarations does not show. Of the declarations that stand beside each
// other the first is a template that the next three belong to.
var wide = kind{
	server:  "wide",
	imports: []string{"context", "iter", "time"},
	opening: `// Desk%[1]d has what this file declares.
type Desk%[1]d struct{ wait time.Duration }

`,
	declarations: []string{
		`// Thing%[2]d returns a thing.
//
//mcp:resource uri=wide:///things%[2]d/{name} subscribe
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
//mcp:tool updates=wide:///things%[2]d/{name}
//mcp:arg count min=1 "desc=How far"
func (d *Desk%[1]d) Move%[2]d(ctx context.Context, name string, count int) (string, error) { return name, nil }

`,
		`// Card%[2]d is kept by the program.
//
//mcp:resource uri=wide:///cards%[2]d/{id} list subscribe
type Card%[2]d struct {
	ID    string ` + "`json:\"id\" mcp:\"key\"`" + `
	Title string ` + "`json:\"title\" mcp:\"title\"`" + `
}

`,
		`// Text%[2]d does not change.
//
//mcp:resource uri=wide:///text%[2]d
const Text%[2]d = "text"

`,
	},
}
