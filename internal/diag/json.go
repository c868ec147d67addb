package diag

import (
	"encoding/json"
	"io"
)

type jsonPos struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Col    int    `json:"col,omitempty"`
	EndCol int    `json:"endCol,omitempty"`
}

type jsonRelated struct {
	jsonPos
	Message string `json:"message"`
}

type jsonEdit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

type jsonFix struct {
	Text  string     `json:"text"`
	Edits []jsonEdit `json:"edits,omitempty"`
}

type jsonDiagnostic struct {
	ID       string        `json:"id"`
	Severity string        `json:"severity"`
	Message  string        `json:"message"`
	Position *jsonPos      `json:"position,omitempty"`
	Hint     string        `json:"hint,omitempty"`
	Fix      *jsonFix      `json:"fix,omitempty"`
	Related  []jsonRelated `json:"related,omitempty"`
}

// jsonReport is what WriteJSON writes.
type jsonReport struct {
	Version     int              `json:"version"`
	Diagnostics []jsonDiagnostic `json:"diagnostics"`
	Error       string           `json:"error,omitempty"`
}

// jsonVersion is the version of the form. It grows when a member changes its meaning or goes; members may come.
const jsonVersion = 1

// WriteJSON writes the sorted list as one JSON object, for editors, agents and other tools. Columns and offsets count
// bytes; paths are relative to Dir. trouble is what kept the run from its end; nil if nothing has.
func (p *Printer) WriteJSON(w io.Writer, l *List, trouble error) error {
	out := jsonReport{Version: jsonVersion, Diagnostics: make([]jsonDiagnostic, 0, l.Len())}
	if trouble != nil {
		out.Error = trouble.Error()
	}
	for _, d := range l.Sorted() {
		out.Diagnostics = append(out.Diagnostics, p.json(d))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func (p *Printer) json(d Diagnostic) jsonDiagnostic {
	j := jsonDiagnostic{ID: d.Code, Severity: d.Severity.String(), Message: d.Message, Hint: d.Hint}
	if d.Pos.File != "" {
		j.Position = new(jsonPos(p.rel(d.Pos)))
	}
	if d.Fix != "" {
		j.Fix = &jsonFix{Text: d.Fix}
		for _, e := range d.Edits {
			j.Fix.Edits = append(j.Fix.Edits, jsonEdit{RelPath(p.Dir, e.File), e.Start, e.End, e.New})
		}
	}
	for _, r := range d.Related {
		j.Related = append(j.Related, jsonRelated{jsonPos(p.rel(r.Pos)), r.Message})
	}
	return j
}
