package main

import "testing"

// A package is loaded with what it imports: its generated file compiles as it is, and not with a mistake.
func TestCompile(t *testing.T) {
	p, err := openPackage(t.Context(), "../../../golden/plain")
	if err != nil {
		t.Fatal(err)
	}
	if complaint := p.compile(&mutant{}); complaint != "" || len(p.mutate()) == 0 {
		t.Errorf("the package as it is: %q", complaint)
	}
	end := len(p.src)
	wrong := &mutant{edits: []edit{{end, end, "\nvar _ int = \"text\"\n"}}}
	if p.compile(wrong) == "" {
		t.Error("a text compiles as a number")
	}
}
