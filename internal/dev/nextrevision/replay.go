package main

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

func isTranscript(file string) bool {
	return strings.HasPrefix(file, "golden/") && strings.Contains(file, "/testdata/") && strings.HasSuffix(file, ".txtar")
}

// writtenBy finds the test that a transcript comes from in its comment.
var writtenBy = regexp.MustCompile(`^Messages of (\w+)[;/]`)

// replay records the transcripts again in the copy, and insists that the sections of the given facts' revisions are
// those of the checkout. trace is what a revision that was added leaves in them: server/discover lists it.
func (r *rehearsal) replay(facts []string, trace string) error {
	var tests, packages, modules []string
	files := slices.DeleteFunc(slices.Clone(r.files), func(file string) bool { return !isTranscript(file) })
	for _, file := range files {
		archive, err := r.archive(r.original, file)
		if err != nil {
			return err
		}
		if name := writtenBy.FindSubmatch(archive.Comment); name != nil {
			tests = append(tests, string(name[1]))
			dir := path.Dir(path.Dir(file))
			if _, err := r.original.read(dir + "/go.mod"); err == nil {
				modules = append(modules, dir)
			} else {
				packages = append(packages, "./"+dir)
			}
		}
	}
	if len(tests) == 0 {
		return errors.New("golden has no transcripts")
	}
	run := "-run=^(" + strings.Join(distinct(tests), "|") + ")$"
	args := append([]string{"test", "-vet=off", run}, distinct(packages)...)
	if err := r.goCommand(append(args, "-update")...); err != nil {
		return err
	}
	for _, dir := range distinct(modules) { // which the root module does not have
		if err := r.goCommand("test", "-C", dir, "-vet=off", run, ".", "-update"); err != nil {
			return err
		}
	}
	return r.compare(files, facts, trace)
}

// distinct sorts a list and leaves out what it has twice.
func distinct(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func (r *rehearsal) archive(t *tree, file string) (*txtar.Archive, error) {
	text, err := t.read(file)
	return txtar.Parse([]byte(text)), err
}

// needsNewest are folders whose servers need the newest revision to serve older ones, and why.
var needsNewest = map[string]string{
	"golden/jobs":  "a run of a task is a tools/call of the newest revision, which the server sends itself",
	"golden/suite": "as golden/jobs, which it mounts",
}

func (r *rehearsal) compare(files, facts []string, trace string) error {
	same := 0
	for _, file := range files {
		if reason := needsNewest[path.Dir(path.Dir(file))]; reason != "" && r.hidden {
			r.say("  not compared:", file+":", reason)
			continue
		}
		want, err := r.archive(r.original, file)
		if err != nil {
			return err
		}
		got, err := r.archive(r.copy, file)
		if err != nil {
			return err
		}
		for _, f := range facts {
			section := revisionOf(f) + ".wire"
			a, b := find(want, section), find(got, section)
			if trace != "" {
				b = strings.ReplaceAll(b, trace, "")
			}
			if a != b {
				return fmt.Errorf("%s: section %s differs:\n%s", file, section, firstDifference(a, b))
			}
			if a != "" {
				same++
			}
		}
	}
	r.say(fmt.Sprintf("  %d transcripts of %d revisions are as they were", same, len(facts)))
	if same == 0 {
		return errors.New("no transcript was compared")
	}
	return nil
}

// firstDifference returns the first line that is not equal.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "want " + w[i] + "\ngot  " + g[i]
		}
	}
	return fmt.Sprintf("want %d lines, got %d", len(w), len(g))
}

func find(a *txtar.Archive, section string) string {
	for _, f := range a.Files {
		if f.Name == section {
			return string(f.Data)
		}
	}
	return ""
}
