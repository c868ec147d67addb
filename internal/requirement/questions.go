package requirement

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

const questionsFile = "table/questions.txt"

// Question is something that people want to know, and the ids of the rows that answer it.
type Question struct {
	Text string
	Rows []string
}

// readQuestions reads the questions, and the order of the subjects. The file may be missing.
func (t *Table) readQuestions(dir fs.FS, rows map[string]bool) error {
	data, err := fs.ReadFile(dir, questionsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		text = strings.TrimSpace(text)
		if list, ok := strings.CutPrefix(text, "subjects "); ok {
			t.Subjects = subjectsIn(list, t.Rows)
			continue
		}
		if text == "" || text[0] == '#' {
			continue
		}
		question, list, _ := strings.Cut(text, "? ")
		q := Question{question + "?", split(list)}
		for _, id := range q.Rows {
			if !rows[id] {
				return fmt.Errorf("%s:%d: %q is no row", questionsFile, line, id)
			}
		}
		t.Questions = append(t.Questions, q)
	}
	return err
}

// subjectsIn are the subjects of rows, those first that a list begins with. A subject may have a comma in it.
func subjectsIn(list string, rows []*Row) (out []string) {
	for list != "" {
		at := slices.IndexFunc(rows, func(r *Row) bool {
			return list == r.Subject || strings.HasPrefix(list, r.Subject+", ")
		})
		if at < 0 {
			break
		}
		out = append(out, rows[at].Subject)
		list = strings.TrimPrefix(strings.TrimPrefix(list, rows[at].Subject), ", ")
	}
	return out
}
