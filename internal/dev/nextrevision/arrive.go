package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/schema"
)

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

// arrive brings the newest revision back as one that nobody has prepared for, by the steps in the section "A new
// revision arrives" of CONTRIBUTING.md.
func (r *rehearsal) arrive() error {
	older, date := r.older[len(r.older)-1], r.newest
	say("+ arrive", date)
	file := filepath.Join(r.git, date+".json")
	text, err := r.original(facts(date))
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	if err := r.tells("mcpgen schema diff "+older+" "+date, "schema", "import", "-revision", date, file); err != nil {
		return err
	}
	if len(r.late) > 0 { // the extensions that come with it
		if err := r.restore(r.late...); err != nil {
			return err
		}
	}
	r.did("mcpgen schema import -revision "+date+" FILE", "CONTRIBUTING.md", "")
	if err := r.tells("\n", "schema", "diff", older, date); err != nil {
		return err
	}
	r.did("mcpgen schema diff "+older+" "+date, "schema import", "")
	for _, do := range []func() error{r.decide, r.document, r.generate, r.build, r.offer} {
		if err := do(); err != nil {
			return err
		}
	}
	r.did("go test ./..., and what it names: tests that list all revisions", "protocol", "lists in tests")
	r.did("make conformance, then CHANGELOG.md", "protocol", "CHANGELOG.md")
	if r.steps > mostSteps {
		return fmt.Errorf("a new revision takes %d steps; %d are allowed", r.steps, mostSteps)
	}
	return nil
}

// did prints a step, where the tool names it, and what is done by hand.
func (r *rehearsal) did(what, named, hand string) {
	r.steps++
	say(fmt.Sprintf("%d. %s (named by %s; by hand: %s)", r.steps, what, named, cmp.Or(hand, "nothing")))
}

// tells runs the generator, which must say something.
func (r *rehearsal) tells(what string, args ...string) error {
	out, err := r.mcpgen(args...)
	if err == nil && !strings.Contains(out, what) {
		err = fmt.Errorf("mcpgen %s does not say %q but\n%s", strings.Join(args, " "), what, out)
	}
	return err
}

// decide writes the exceptions that the tool names in its errors and notes, and those that only prose can tell.
func (r *rehearsal) decide() error {
	out, err := r.mcpgen("protocol", "-v")
	if err == nil || !strings.Contains(out, "mcpgen protocol -outline") {
		return fmt.Errorf("protocol -v does not ask for sentences: %w\n%s", err, out)
	}
	for _, entry := range r.exception {
		section, name, _ := strings.Cut(entry, " ")
		named := regexp.MustCompile(`(?m)^.*` + regexp.QuoteMeta(name) + `.*"` + section + `"|"` + section + `".*` +
			regexp.QuoteMeta(name))
		switch reason := fromProse[entry]; {
		case reason != "":
			say("  not named:", entry+":", reason)
		case !named.MatchString(out):
			return fmt.Errorf("protocol -v does not name %s in\n%s", entry, out)
		}
	}
	r.did("mcpgen protocol -v", "schema import", fmt.Sprintf("%d entries of exceptions.json", len(r.exception)))
	return r.restore(exceptions)
}

// document lets the tool list what has no sentence, and fills in ours.
func (r *rehearsal) document() error {
	if _, err := r.mcpgen("protocol", "-outline"); err != nil {
		return err
	}
	text, err := r.original(sentences)
	if err != nil {
		return err
	}
	var ours map[string]any
	if err := json.Unmarshal([]byte(text), &ours); err != nil {
		return err
	}
	written := 0
	err = r.editJSON(sentences, func(doc map[string]any) { written = fill(doc, ours) })
	r.did("mcpgen protocol -outline", "protocol -v", fmt.Sprintf("%d sentences in docs.json", written))
	return err
}

// fill replaces empty sentences by ours at their place, and counts them.
func fill(doc, ours map[string]any) int {
	n := 0
	for key, value := range doc {
		switch value := value.(type) {
		case map[string]any:
			if inner, ok := ours[key].(map[string]any); ok {
				n += fill(value, inner)
			}
		case string:
			if text, ok := ours[key].(string); ok && value == "" && text != "" {
				doc[key] = text
				n++
			}
		}
	}
	return n
}

// generate writes the package, compares the record with that of the checkout, and lets the runtime use the names that
// have come out.
func (r *rehearsal) generate() error {
	if err := r.tells("What is left to do", "protocol"); err != nil {
		return err
	}
	r.did("mcpgen protocol; commit generated/protocol and schema", "protocol -v", "")
	text, err := os.ReadFile(r.path(record))
	if err != nil {
		return err
	}
	now, err := schema.ParseAPI(text)
	if err != nil {
		return err
	}
	was, err := schema.EmbeddedAPI()
	if err != nil {
		return err
	}
	lost := slices.Sorted(slices.Values(now.Lost(was)))
	if want := slices.Sorted(maps.Keys(otherwise)); !slices.Equal(lost, want) {
		return fmt.Errorf("in the order of time other names come out:\n%s\nwant\n%s", strings.Join(lost, "\n"),
			strings.Join(want, "\n"))
	}
	for _, words := range otherwise {
		if old, now, ok := strings.Cut(words, " "); ok {
			if err := r.edit(old, now, r.find(old, "*.go", ":!*_gen.go", ":!internal/dev/nextrevision")...); err != nil {
				return err
			}
		}
	}
	return nil
}

// build compiles everything while no server offers the revision. The servers' code is what it was.
func (r *rehearsal) build() error {
	r.did("go test ./...: everything builds, no transcript changes", "protocol", "")
	if err := r.goCommand(builds...); err != nil {
		return err
	}
	return r.goCommand("run", "./cmd/mcpgen", "-check", "./golden/...")
}

// offer names the revision in the era table. The transcripts must be those of the checkout.
func (r *rehearsal) offer() error {
	if err := r.restore(eraTable); err != nil {
		return err
	}
	r.did("the runtime does what the revision asks for; "+eraTable+" names it", "protocol", "one line, and the runtime")
	r.did("go test ./golden/... -update; read the new sections", "protocol", "")
	return r.replay(append(slices.Clone(r.older), r.newest), nil)
}
