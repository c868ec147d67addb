package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

// step is one of those on the page "A new revision arrives".
type step struct {
	what   string // is done
	named  string // where the tool says so
	manual string // what is written by hand
}

// mostSteps is how many the page may have.
const mostSteps = 10

// fromProse are exceptions that no list can name, and why.
var fromProse = map[string]string{
	"enums ResultType":         "the schema says string; which texts there are stands in prose",
	"keepEmpty *.requestState": "that an empty text is not the same as none stands in prose",
	"defaults InputRequiredResult.resultType": "only this revision has the struct; " +
		"its text differs from that of the other results",
	"types CallToolRequestParams.inputResponses":     answersLater,
	"types GetPromptRequestParams.inputResponses":    answersLater,
	"types ReadResourceRequestParams.inputResponses": answersLater,
}

const answersLater = "that the question says of which kind its answer is stands in prose"

// otherwise has the names and types that come out differently when the revision is merged after the others, instead of
// together with them. The value is what the code of the runtime then replaces. In the committed protocol they were
// merged together, and the newest revision decided.
var otherwise = map[string]string{
	"ElicitResult._meta was Meta *MetaObject and is Meta *ResultMetaObject":    "",
	"ListRootsResult._meta was Meta *MetaObject and is Meta *ResultMetaObject": "",
	"ListRootsRequest.params was Params *RequestParams and is " +
		"Params *ListRootsRequestParams": "protocol.ListRootsRequestParams protocol.RequestParams",
	"roots/list was *RequestParams and is *ListRootsRequestParams": "*ListRootsRequestParams) *RequestParams)",
}

// arrival is one rehearsal of the steps in the section "A new revision arrives" of CONTRIBUTING.md.
type arrival struct {
	*rehearsal
	steps []step
}

// arrive brings the newest revision back as one that nobody has prepared for.
func (r *rehearsal) arrive() error {
	a := &arrival{rehearsal: r}
	older, date := revisionOf(r.older[len(r.older)-1]), revisionOf(r.newest)
	r.say("+ arrive", date)
	out, err := a.mcpgen("schema", "import", "-revision", date, r.original.path(r.newest))
	if next := "mcpgen schema diff " + older + " " + date; err != nil || !strings.Contains(out, next) {
		return fmt.Errorf("schema import does not say %q: %w\n%s", next, err, out)
	}
	for _, file := range a.late { // the extensions that come with it
		var with []string
		for _, f := range a.files {
			if path.Dir(f) == path.Dir(file) {
				with = append(with, f)
			}
		}
		if err := a.copy.take(a.original, with); err != nil {
			return err
		}
	}
	a.did("mcpgen schema import -revision "+date+" FILE", "CONTRIBUTING.md", "")
	if out, err = a.mcpgen("schema", "diff", older, date); err != nil || out == "" {
		return fmt.Errorf("schema diff: %w\n%s", err, out)
	}
	a.did("mcpgen schema diff "+older+" "+date, "schema import", "")
	for _, do := range []func() error{a.decide, a.write, a.generate, a.build, a.serve} {
		if err := do(); err != nil {
			return err
		}
	}
	a.did("go test ./..., and what it names: tests that list all revisions", "protocol", "lists in tests")
	a.did("make conformance, then CHANGELOG.md", "protocol", "CHANGELOG.md")
	return a.print()
}

func (a *arrival) did(what, named, manual string) {
	a.steps = append(a.steps, step{what, named, manual})
}

func (a *arrival) mcpgen(args ...string) (string, error) {
	return a.goOutput(append([]string{"run", "./cmd/mcpgen"}, args...)...)
}

// decide writes the exceptions that the tool names in its errors and notes, and those that only prose can tell.
func (a *arrival) decide() error {
	out, err := a.mcpgen("protocol", "-v")
	if err == nil || !strings.Contains(out, "mcpgen protocol -outline") {
		return fmt.Errorf("protocol -v does not ask for sentences: %w\n%s", err, out)
	}
	var silent []string
	for _, e := range a.gone {
		switch reason, prose := fromProse[e.String()]; {
		case prose:
			a.say("  not named:", e.String()+":", reason)
		case !named(out, e):
			silent = append(silent, e.String())
		}
	}
	if len(silent) > 0 {
		return fmt.Errorf("protocol -v does not name %s in\n%s", strings.Join(silent, ", "), out)
	}
	a.did("mcpgen protocol -v", "schema import", fmt.Sprintf("%d entries of exceptions.json", len(a.gone)))
	return a.copy.take(a.original, []string{exceptions})
}

// named reports whether a line names an entry and the section that it belongs into.
func named(out string, e entry) bool {
	for line := range strings.Lines(out) {
		if strings.Contains(line, e.name) && strings.Contains(line, `"`+e.section+`"`) {
			return true
		}
	}
	return false
}

// write lets the tool list what has no sentence, and fills in ours.
func (a *arrival) write() error {
	if out, err := a.mcpgen("protocol", "-outline"); err != nil {
		return fmt.Errorf("protocol -outline: %w\n%s", err, out)
	}
	text, err := a.original.read(sentences)
	if err != nil {
		return err
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return err
	}
	var written int
	err = a.copy.edit(sentences, func(doc map[string]any) { written = fill(doc, all) })
	a.did("mcpgen protocol -outline", "protocol -v", fmt.Sprintf("%d sentences in docs.json", written))
	return err
}

// fill replaces empty sentences by those that all has at their place, and counts them.
func fill(doc, all map[string]any) int {
	n := 0
	for key, value := range doc {
		switch value := value.(type) {
		case map[string]any:
			n += fill(value, at(all, key))
		case string:
			if text, ok := all[key].(string); ok && value == "" && text != "" {
				doc[key] = text
				n++
			}
		}
	}
	return n
}

// generate writes the package, and compares the record with that of the checkout.
func (a *arrival) generate() error {
	if err := os.Remove(a.copy.path(protocolDir + "/" + namesFile)); err != nil {
		return err
	}
	out, err := a.mcpgen("protocol")
	if err != nil || !strings.Contains(out, "What is left to do") {
		return fmt.Errorf("protocol does not say what is left to do: %w\n%s", err, out)
	}
	a.did("mcpgen protocol; commit generated/protocol and schema", "protocol -v", "")
	var records []*schema.API
	for _, t := range []*tree{a.copy, a.original} {
		text, err := t.read(record)
		if err != nil {
			return err
		}
		api, err := schema.ParseAPI([]byte(text))
		if err != nil {
			return err
		}
		records = append(records, api)
	}
	lost := records[0].Lost(records[1])
	if want := slices.Sorted(maps.Keys(otherwise)); !slices.Equal(slices.Sorted(slices.Values(lost)), want) {
		return fmt.Errorf("in the order of time other names come out:\n%s\nwant\n%s", strings.Join(lost, "\n"),
			strings.Join(want, "\n"))
	}
	return a.rewrite()
}

// rewrite lets the runtime use the names that have come out.
func (a *arrival) rewrite() error {
	for _, words := range otherwise {
		old, now, ok := strings.Cut(words, " ")
		if !ok {
			continue
		}
		for _, file := range a.files {
			text, err := a.copy.read(file)
			if err != nil || !strings.HasSuffix(file, ".go") || !strings.Contains(text, old) ||
				strings.HasPrefix(file, "internal/dev/nextrevision/") {
				continue
			}
			if err := a.copy.write(file, strings.ReplaceAll(text, old, now)); err != nil {
				return err
			}
		}
	}
	return nil
}

// build compiles everything while no server offers the revision. The servers' code is what it was.
func (a *arrival) build() error {
	a.did("go test ./...: everything builds, no transcript changes", "protocol", "")
	if err := a.goCommand(builds...); err != nil {
		return err
	}
	return a.goCommand("run", "./cmd/mcpgen", "-check", "./golden/...")
}

// serve names the revision in the era table. The transcripts must be those of the checkout.
func (a *arrival) serve() error {
	if err := a.copy.take(a.original, []string{eraTable}); err != nil {
		return err
	}
	a.did("the runtime does what the revision asks for; "+eraTable+" names it", "protocol", "one line, and the runtime")
	a.did("go test ./golden/... -update; read the new sections", "protocol", "")
	return a.replay(append(slices.Clone(a.older), a.newest), "")
}

func (a *arrival) print() error {
	hands := 0
	a.say("\n| step | named by | by hand |\n|---|---|---|")
	for i, s := range a.steps {
		a.say(fmt.Sprintf("| %d. %s | %s | %s |", i+1, s.what, s.named, s.manual))
		if s.manual != "" {
			hands++
		}
	}
	a.say(fmt.Sprintf("\n%d steps, %d of them by hand", len(a.steps), hands))
	if len(a.steps) > mostSteps {
		return fmt.Errorf("a new revision takes %d steps; %d are allowed", len(a.steps), mostSteps)
	}
	return nil
}
