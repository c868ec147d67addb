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

type jsonDiagnostic struct {
	jsonPos
	Severity string        `json:"severity"`
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	Hint     string        `json:"hint,omitempty"`
	Fix      string        `json:"fix,omitempty"`
	Edits    []jsonEdit    `json:"edits,omitempty"`
	Related  []jsonRelated `json:"related,omitempty"`
}

// WriteJSON writes the sorted list as one JSON array, for editors and other
// tools. Columns and offsets count bytes; paths are relative to Dir.
func (p *Printer) WriteJSON(w io.Writer, l *List) error {
	out := make([]jsonDiagnostic, 0, l.Len())
	for _, d := range l.Sorted() {
		j := jsonDiagnostic{
			jsonPos: jsonPos(p.rel(d.Pos)), Severity: d.Severity.String(),
			Code: d.Code, Message: d.Message, Hint: d.Hint, Fix: d.Fix,
		}
		for _, e := range d.Edits {
			j.Edits = append(j.Edits, jsonEdit{RelPath(p.Dir, e.File), e.Start, e.End, e.New})
		}
		for _, r := range d.Related {
			j.Related = append(j.Related, jsonRelated{jsonPos(p.rel(r.Pos)), r.Message})
		}
		out = append(out, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
