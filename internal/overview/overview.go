// Package overview prints what annotated packages serve, for people.
package overview

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/mcpgen/mcpgen/internal/diag"
	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
	"github.com/mcpgen/mcpgen/schema"
)

// Write prints the capabilities of each server, and a line for each feature. Source files are shown relative to dir.
func Write(w io.Writer, packages []*ir.GoPackage, dir string) error {
	revisions, err := schema.Embedded()
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, p := range packages {
		writePackage(t, p, dir, revisions)
	}
	return t.Flush()
}

// writePackage writes the capabilities of each server, and a line for each feature: its kind, its address or name, its
// extras and its source.
func writePackage(w *tabwriter.Writer, p *ir.GoPackage, dir string, revisions []*schema.Schema) {
	for _, srv := range p.Servers {
		fmt.Fprintf(w, "%s: server %s %s\n", p.Path, srv.Name, srv.Version)
		writeCapabilities(w, srv, revisions)
		for _, m := range srv.Mounts {
			what := m.Server.Name
			if m.Prefix != "" {
				what += ", names begin with " + m.Prefix
			}
			fmt.Fprintf(w, "  mount\t%s\tserver %s\t%s\n", m.Path, what, sourceLine(m.Server.Pos, dir))
		}
		for _, r := range srv.Resources {
			kind := "resource"
			switch {
			case r.App != nil:
				kind = "app"
			case r.Template != nil:
				kind = "template"
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", kind, r.URI, resourceExtras(r), sourceLine(r.Pos, dir))
		}
		for _, k := range srv.Skills {
			for _, f := range k.Files {
				fmt.Fprintf(w, "  skill\t%s\t%s\t%s\n", f.URI, resourceExtras(f), sourceLine(f.Pos, dir))
			}
		}
		for _, t := range srv.Tools {
			fmt.Fprintf(w, "  tool\t%s\t%s\t%s\n", t.Name, toolExtras(t), sourceLine(t.Pos, dir))
		}
		for _, p := range srv.Prompts {
			fmt.Fprintf(w, "  prompt\t%s\t%s\t%s\n", p.Name, promptExtras(p), sourceLine(p.Pos, dir))
		}
		for _, e := range srv.Events {
			fmt.Fprintf(w, "  event\t%s\t%s\t%s\n", e.Name, eventExtras(e), sourceLine(e.Pos, dir))
		}
		for _, r := range srv.Resources {
			if e := r.Event; e != nil {
				fmt.Fprintf(w, "  event\t%s\t[uri] hint modes=%s\t%s\n", e.Name, strings.Join(e.Modes, ","), sourceLine(r.Pos, dir))
			}
		}
		writeExtensions(w, srv, dir)
	}
}

func resourceExtras(r *ir.Resource) string {
	words := []string{r.MIME}
	for _, e := range []struct {
		on   bool
		word string
	}{{r.List != nil, "listed"}, {r.Subscribe, "subscribe"}, {r.Watch != nil, "watched"}, {len(r.Completers) > 0,
		"completes"}} {
		if e.on {
			words = append(words, e.word)
		}
	}
	return strings.TrimSpace(strings.Join(append(words, tagWords(r.Tags)...), " "))
}

// tagWords is tags=read,public.
func tagWords(tags []string) []string {
	if tags == nil {
		return nil
	}
	return []string{"tags=" + strings.Join(tags, ",")}
}

func toolExtras(t *ir.Tool) string {
	var words []string
	if t.Reads != nil {
		words = append(words, "reads "+t.Reads.URI)
	}
	for _, touch := range t.Touches {
		words = append(words, "updates="+touch.Resource.URI)
	}
	if t.Task != "" {
		words = append(words, "task="+t.Task)
	}
	if t.TaskRequired {
		words = append(words, "task-required")
	}
	if t.App != "" {
		words = append(words, "ui="+t.App)
	}
	if t.OnlyApps {
		words = append(words, "visibility=app")
	}
	return strings.Join(append(words, tagWords(t.Tags)...), " ")
}

// promptExtras are the arguments, those in brackets optional.
func promptExtras(p *ir.Prompt) string {
	var words []string
	for _, a := range p.Args {
		word := a.Name
		if a.Op == uritemplate.OpQuery {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	if len(p.Completers) > 0 {
		words = append(words, "completes")
	}
	return strings.Join(append(words, tagWords(p.Tags)...), " ")
}

// eventExtras are the arguments, those in brackets optional, and the ways in which clients get the event.
func eventExtras(e *ir.Event) string {
	var words []string
	if e.Args != nil {
		for _, a := range e.Args.Fields {
			word := a.JSONName
			if !a.Required {
				word = "[" + word + "]"
			}
			words = append(words, word)
		}
	}
	if e.Replay != nil {
		words = append(words, "replay")
	}
	words = append(words, "modes="+strings.Join(e.Modes, ","))
	return strings.Join(append(words, tagWords(e.Tags)...), " ")
}

func sourceLine(p diag.Pos, dir string) string {
	return fmt.Sprintf("%s:%d", diag.RelPath(dir, p.File), p.Line)
}
