package requirement

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown is docs/requirements.md: the rows by subject, and indexes by revision and by page. Proofs are the names of
// the tests that prove a row, by its id.
func (t *Table) Markdown(proofs map[string][]string) string {
	var b strings.Builder
	b.WriteString(intro)
	t.writeQuestions(&b)
	for _, subject := range t.subjects() {
		fmt.Fprintf(&b, "\n## %s\n\n| id | what is asked | how strongly | what becomes of it | proof |\n"+
			"|---|---|---|---|---|\n", strings.ToUpper(subject[:1])+subject[1:])
		for _, r := range t.Rows {
			if r.Subject == subject {
				fmt.Fprintf(&b, "| <a id=%q></a>%s | %s | %s | %s | %s |\n", r.ID, r.ID, cell(r.Asks), t.rules(r), answer(r),
					code(proofs[r.ID]))
			}
		}
	}
	t.writeRevisions(&b)
	t.writePages(&b)
	return b.String()
}

const intro = `# What the specification asks of servers

This page has a row for each thing that a revision of the specification, an extension that is served, or one of the
founding documents asks of a server, in our words. ` + "`mcpgen requirements ./...`" + ` prints the rows that authors of
servers decide, and how the declarations of a package answer them. [conformance.md](conformance.md) has the results of
the official suite.

| decision | meaning |
|---|---|
| met | every server does it |
| author | the author of a server decides, by the directive, option or diagnostic that is named |
| superseded | a later rule replaces it, in all revisions that are served |
| outside | it is about something that these servers are not; the reason is given |
| open | it is not met yet; the reason is given |

A proof is a test that fails if the behaviour goes away. It names the id of the row itself, so that a search for the id
finds it, and ` + "`go test -v`" + ` prints it as an attribute. The page is made from internal/requirement/table and
from these names, by ` + "`go test ./internal/dev/requirements -update`" + `.
`

// writeQuestions writes where people find what they want to know.
func (t *Table) writeQuestions(b *strings.Builder) {
	if len(t.Questions) == 0 {
		return
	}
	b.WriteString("\n## Where to look\n\n| question | rows |\n|---|---|\n")
	for _, q := range t.Questions {
		fmt.Fprintf(b, "| %s | %s |\n", q.Text, links(q.Rows))
	}
	b.WriteString("\nSubjects:")
	for _, s := range t.subjects() {
		fmt.Fprintf(b, " [%s](#%s),", s, anchor(s))
	}
	b.WriteString(" and indexes [by revision](#by-revision) and [by page](#by-page).\n")
}

// anchor is what a heading is called in addresses.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(heading), ",", ""), " ", "-")
}

func links(ids []string) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = fmt.Sprintf("[%s](#%s)", id, id)
	}
	return strings.Join(out, ", ")
}

// subjects are those of the order in which they are read best, and others in the order of the files.
func (t *Table) subjects() []string {
	out := slices.Clone(t.Subjects)
	for _, r := range t.Rows {
		if !slices.Contains(out, r.Subject) {
			out = append(out, r.Subject)
		}
	}
	return out
}

// writeRevisions writes how many rows each source has, by decision, and which it is the first to have.
func (t *Table) writeRevisions(b *strings.Builder) {
	b.WriteString("\n## By revision\n\n" +
		"| source | rows | met | author | superseded | outside | open |\n|---|---|---|---|---|---|---|\n")
	first := map[string][]string{}
	for _, r := range t.Rows {
		key := t.earliest(r)
		first[key] = append(first[key], r.ID)
	}
	for _, s := range t.Sources {
		all, by := 0, map[Decision]int{}
		for _, r := range t.Rows {
			if slices.ContainsFunc(r.Places(), func(p Place) bool { return p.Source == s.Key }) {
				all++
				by[r.Decision]++
			}
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d |\n", s.Name, all, by[Met], by[Author], by[Superseded],
			by[Outside], by[Open])
	}
	fmt.Fprintf(b, "\nThere are %d rows. A row that several revisions ask for counts in each of them. A revision is the "+
		"first to ask for these:\n\n| source | rows that are new |\n|---|---|\n", len(t.Rows))
	for i, s := range t.Sources {
		which := links(first[s.Key])
		if i == 0 {
			which = "all that it has"
		}
		fmt.Fprintf(b, "| %s | %s |\n", s.Name, which)
	}
}

// earliest is the key of the first source that asks for a row.
func (t *Table) earliest(r *Row) string {
	places := r.Places()
	for _, s := range t.Sources {
		if slices.ContainsFunc(places, func(p Place) bool { return p.Source == s.Key }) {
			return s.Key
		}
	}
	return ""
}

// rules is how strongly each source asks.
func (t *Table) rules(r *Row) string {
	var out []string
	for _, rule := range r.Rules {
		out = append(out, strings.ReplaceAll(rule.Level, "-", " ")+" "+t.span(rule.Sources))
	}
	return strings.Join(out, "; ")
}

// span is a range of revisions in words, or a founding document.
func (t *Table) span(keys []string) string {
	from, to := t.source(keys[0]), t.source(keys[len(keys)-1])
	oldest, newest := from == t.Sources[0], to == t.newest()
	switch {
	case from.Founding:
		return "in the " + from.Key
	case oldest && newest:
		return "in all revisions"
	case from == to:
		return "in " + from.Name
	case newest:
		return "since " + from.Name
	case oldest:
		return "up to " + to.Name
	}
	return "from " + from.Name + " to " + to.Name
}

// newest is the newest revision.
func (t *Table) newest() (newest *Source) {
	for _, s := range t.Sources {
		if !s.Founding {
			newest = s
		}
	}
	return newest
}

func answer(r *Row) string {
	says := cell(r.Says)
	if r.Decision == Superseded {
		says = fmt.Sprintf("by [%s](#%s)", r.Later, r.Later)
		if r.Says != "" {
			says += ": " + cell(r.Says)
		}
	}
	if len(r.By) > 0 {
		says += " " + code(r.By)
	}
	return fmt.Sprintf("**%s**: %s", r.Decision, says)
}

func code(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "`" + w + "`"
	}
	return strings.Join(out, ", ")
}

// cell is text inside of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// writePages writes which rows each page has, with the reason of those that have none. A page of several revisions
// stands there once.
func (t *Table) writePages(b *strings.Builder) {
	b.WriteString("\n## By page\n\n| page | of | rows |\n|---|---|---|\n")
	type key struct{ path, document string }
	sources, reasons := map[key][]string{}, map[key]string{}
	var order []key
	for _, s := range t.Sources {
		for _, p := range s.Pages {
			k := key{path: p.Path}
			if s.Founding {
				k.document = s.Key
			}
			if sources[k] == nil {
				order = append(order, k)
			}
			sources[k] = append(sources[k], s.Key)
			reasons[k] = p.Reason
		}
	}
	slices.SortStableFunc(order, func(a, b key) int { return strings.Compare(a.path, b.path) })
	for _, k := range order {
		which := links(t.on(k.path, sources[k]))
		if which == "" {
			which = "none: it " + reasons[k]
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", k.path, t.span(sources[k]), which)
	}
}

// on are the ids of the rows of a page in some sources.
func (t *Table) on(page string, sources []string) (ids []string) {
	for _, r := range t.Rows {
		if slices.ContainsFunc(r.Places(), func(p Place) bool {
			return p.Page == page && slices.Contains(sources, p.Source)
		}) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
