package requirement

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown is docs/requirements.md: the rows by subject, and indexes by revision and by page.
func (t *Table) Markdown() string {
	var b strings.Builder
	b.WriteString(intro)
	t.writeQuestions(&b)
	t.writeCounts(&b)
	for _, subject := range t.subjects() {
		fmt.Fprintf(&b, "\n## %s\n\n| id | what is asked | how strongly, since when | what becomes of it | proof |\n"+
			"|---|---|---|---|---|\n", strings.ToUpper(subject[:1])+subject[1:])
		for _, r := range t.Rows {
			if r.Subject == subject {
				fmt.Fprintf(&b, "| <a id=%q></a>%s | %s | %s | %s | %s |\n", r.ID, r.ID, cell(r.Asks), t.rules(r), answer(r),
					code(r.Tests))
			}
		}
	}
	t.writePages(&b)
	return b.String()
}

const intro = `# What the specification asks of servers

This page is generated from internal/requirement/table: ` + "`go test ./internal/dev/requirements -update`" + `. It has
a row for each thing that a revision of the specification, an extension that is served, or one of the founding documents
asks of a server. The words are ours. A test checks that every row has a decision, and that the tests that it names
exist. [conformance.md](conformance.md) has the results of the official suite.

Each row is decided in one of these ways:

| decision | meaning |
|---|---|
| met | every server does it |
| author | the author of a server decides, by the directive, option or diagnostic that is named |
| superseded | a later rule replaces it, in all revisions that are served |
| outside | it is about something that these servers are not; the reason is given |
| open | it is not met yet; the reason is given |

` + "`mcpgen requirements ./...`" + ` prints the rows that authors decide, and how the declarations of a package
answer them.
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
	for i, s := range t.subjects() {
		fmt.Fprintf(b, "%s [%s](#%s)", strings.Repeat(",", min(i, 1)), s, anchor(s))
	}
	b.WriteString(".\n")
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

// writeCounts writes how many rows each source has, by decision.
func (t *Table) writeCounts(b *strings.Builder) {
	b.WriteString("\n## By revision\n\n" +
		"| source | rows | first asked here | met | author | superseded | outside | open |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	for _, s := range t.Sources {
		var all, first int
		by := map[Decision]int{}
		for _, r := range t.Rows {
			places := r.Places()
			if !slices.ContainsFunc(places, func(p Place) bool { return p.Source == s.Key }) {
				continue
			}
			all++
			by[r.Decision]++
			if t.earliest(r) == s.Key {
				first++
			}
		}
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d | %d |\n", s.Name, all, first, by[Met], by[Author],
			by[Superseded], by[Outside], by[Open])
	}
	fmt.Fprintf(b, "\nThere are %d rows. A row that several revisions ask for counts in each of them.\n", len(t.Rows))
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
		from, to := t.source(rule.Sources[0]), t.source(rule.Sources[len(rule.Sources)-1])
		span := short(from)
		if to != from {
			span += " to " + short(to)
		}
		out = append(out, strings.ReplaceAll(rule.Level, "-", " ")+": "+span)
	}
	return strings.Join(out, "; ")
}

// short is a revision, or the key of a founding document.
func short(s *Source) string {
	if s.Founding {
		return s.Key
	}
	return s.Name
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

// writePages writes which rows each page has, with the reason of those that have none.
func (t *Table) writePages(b *strings.Builder) {
	for _, s := range t.Sources {
		title := "Pages of " + s.Name
		if s.Founding {
			title = "The " + s.Key + ": " + s.Name
		}
		fmt.Fprintf(b, "\n## %s\n\n| page | rows |\n|---|---|\n", title)
		for _, p := range s.Pages {
			var ids []string
			for _, r := range t.Rows {
				if slices.Contains(r.Places(), Place{s.Key, p.Path}) {
					ids = append(ids, r.ID)
				}
			}
			which := links(ids)
			if p.Reason != "" {
				which = "none: it " + p.Reason
			}
			fmt.Fprintf(b, "| %s | %s |\n", p.Path, which)
		}
	}
}
