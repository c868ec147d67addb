package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// needsNewest are folders whose servers need the newest revision to serve older ones, and why.
var needsNewest = map[string]string{
	"golden/jobs":  "a run of a task is a tools/call of the newest revision, which the server sends itself",
	"golden/suite": "as golden/jobs, which it mounts",
}

// noise is what tests print that do not fail.
var noise = regexp.MustCompile(`(?m)^(=== .*|\s*--- (PASS|SKIP): .*)\n`)

// compared is what go test prints of the comparison of one transcript in one revision.
var compared = regexp.MustCompile(`--- PASS: \S+_(\d{4}-\d\d-\d\d) `)

// replay runs the tests that transcripts come from, which compare what servers say in each revision that they offer,
// and insists that these are the given ones. Transcripts in the folders of without are left out.
func (r *rehearsal) replay(revisions []string, without map[string]string, flags ...string) error {
	const by = "Messages of " // begins the comment of a transcript, which has the name of its test
	out, err := r.ask("grep", "-oE", "^"+by+"\\w+", "--", "golden/*/testdata/*.txtar")
	if err != nil {
		return err
	}
	tests, folders := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(out) {
		file, test, _ := strings.Cut(strings.TrimSpace(line), ":"+by)
		folder := path.Dir(path.Dir(file))
		if reason := without[folder]; reason != "" {
			say("  not compared:", file+":", reason)
			continue
		}
		tests[test], folders[folder] = true, true
	}
	names := strings.Join(slices.Sorted(maps.Keys(tests)), "|")
	run := append([]string{"-vet=off", "-v", "-run=^(" + names + ")$"}, flags...)
	commands := [][]string{append([]string{"test"}, run...)}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		if _, err := os.Stat(r.path(folder + "/go.mod")); err == nil { // which the root module does not have
			commands = append(commands, slices.Concat([]string{"test", "-C", folder}, run))
		} else {
			commands[0] = append(commands[0], "./"+folder)
		}
	}
	same := map[string]int{}
	for _, command := range commands {
		out, err := r.goOutput(command...)
		if err != nil {
			return errors.New(noise.ReplaceAllString(err.Error(), ""))
		}
		for _, m := range compared.FindAllStringSubmatch(out, -1) {
			same[m[1]]++
		}
	}
	say(fmt.Sprintf("  transcripts that are as they were, by revision: %v", same))
	if !slices.Equal(slices.Sorted(maps.Keys(same)), revisions) {
		return fmt.Errorf("the servers do not offer %q", revisions)
	}
	return nil
}
