// Package repair applies the edits that diagnostics propose.
//
// Vet removes edits whose result is not the proposed one. Apply makes the remaining edits that do not overlap. Mistakes
// that appear after a repair are for the next run.
package repair

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/directive/check"
)

// Vet takes the edits away from diagnostics whose edits do not leave what they promise, so that neither -fix nor
// an editor applies them. The texts of the fixes stay.
func Vet(all *diag.List, source func(file string) ([]byte, error)) *diag.List {
	out := new(diag.List)
	for _, d := range all.Sorted() {
		if len(d.Edits) > 0 && !sound(d, source) {
			d.Edits, d.Becomes = nil, nil
		}
		out.Add(d)
	}
	return out
}

// sound makes the edits of one diagnostic in memory, and reads the files again. The directives that are new must be
// those that the diagnostic promises, written without mistakes that they did not have before, and none may be gone
// otherwise. The file must be no worse Go than it was.
func sound(d diag.Diagnostic, source func(file string) ([]byte, error)) bool {
	var added, removed []*directive.Directive
	for file, edits := range chosen([]diag.Diagnostic{d}) {
		before, err := source(file)
		if err != nil || !within(edits, len(before)) {
			return false
		}
		after := edited(before, edits)
		old, fresh := directivesOf(before), directivesOf(after)
		added = append(added, without(fresh, old)...)
		removed = append(removed, without(old, fresh)...)
		if mistakes(after) > mistakes(before) || !untouched(before, removed, added, edits) {
			return false
		}
	}
	promised := slices.Sorted(slices.Values(d.Becomes))
	return slices.Equal(slices.Compact(promised), slices.Compact(slices.Sorted(slices.Values(texts(added))))) &&
		len(removed) <= len(added) && noWorse(removed, added)
}

func within(edits []diag.Edit, size int) bool {
	return !slices.ContainsFunc(edits, func(e diag.Edit) bool { return e.Start < 0 || e.End < e.Start || size < e.End })
}

// directivesOf lexes all directives in a file. Their positions are offsets from 1.
func directivesOf(src []byte) []*directive.Directive {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", 1, len(src))
	s.Init(file, src, nil, scanner.ScanComments)
	var out []*directive.Directive
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return out
		}
		if tok != token.COMMENT {
			continue
		}
		if dir, ok := directive.Parse(pos, text); ok {
			out = append(out, dir)
		}
	}
}

// without are the directives of list for which other has none that reads the same.
func without(list, other []*directive.Directive) []*directive.Directive {
	left := texts(other)
	return slices.DeleteFunc(slices.Clone(list), func(d *directive.Directive) bool {
		i := slices.Index(left, d.String())
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
		}
		return i >= 0
	})
}

func texts(list []*directive.Directive) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.String())
	}
	return out
}

// mistakes counts the syntax errors of a Go file.
func mistakes(src []byte) int {
	_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.AllErrors|parser.SkipObjectResolution)
	if list, ok := errors.AsType[scanner.ErrorList](err); ok {
		return len(list)
	}
	return 0
}

// untouched reports whether every argument that no edit touches is still there.
func untouched(src []byte, removed, added []*directive.Directive, edits []diag.Edit) bool {
	for i, d := range removed {
		if i >= len(added) {
			return false
		}
		var left []string
		for _, a := range added[i].Args {
			left = append(left, a.Text())
		}
		for _, a := range d.Args {
			from, to := int(a.Pos)-1, int(a.End)-1
			hit := slices.ContainsFunc(edits, func(e diag.Edit) bool { return e.Start <= to && from <= e.End })
			if to <= len(src) && !hit && !slices.Contains(left, a.Text()) {
				return false
			}
		}
	}
	return true
}

// noWorse reports whether the new directives have known names and lexical mistakes of the old ones only, and whether
// those that replace a directive have fewer mistakes than it had.
func noWorse(removed, added []*directive.Directive) bool {
	said := mistakesOf(removed)
	for _, d := range added {
		if directive.Lookup(d.Name) == nil {
			return false
		}
	}
	if slices.ContainsFunc(removed, func(d *directive.Directive) bool { return directive.Lookup(d.Name) == nil }) {
		return true // its arguments could not be checked
	}
	if len(removed) == 0 {
		return !slices.ContainsFunc(added, func(d *directive.Directive) bool { return len(d.Faults) > 0 })
	}
	for _, m := range mistakesOf(added) {
		i := slices.Index(said, m)
		if i < 0 {
			return false
		}
		said = slices.Delete(said, i, i+1)
	}
	return true
}

// mistakesOf checks directives by themselves, wherever they may stand.
func mistakesOf(list []*directive.Directive) []string {
	var out []string
	for _, d := range list {
		var l diag.List
		fset := token.NewFileSet()
		line := d.Source()
		file := fset.AddFile("", 1, len(line)+1)
		again, ok := directive.Parse(file.Pos(0), line)
		if !ok {
			continue
		}
		check.Directive(fset, again, ^directive.Target(0), &l)
		for _, g := range l.Sorted() {
			out = append(out, g.Code+" "+g.Message)
		}
	}
	return out
}
