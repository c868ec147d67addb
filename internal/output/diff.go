package output

import (
	"fmt"
	"slices"
	"strings"
)

// Diff returns the changes in unified form, "" for none.
func Diff(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		old, now := "a/"+c.Path, "b/"+c.Path
		if c.Old == nil {
			old = "/dev/null"
		}
		if c.New == nil {
			now = "/dev/null"
		}
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", old, now)
		writeHunks(&b, edits(splitLines(c.Old), splitLines(c.New)))
	}
	return b.String()
}

// splitLines keeps line ends, so that a missing one at the end of the file is a difference.
func splitLines(data []byte) []string {
	lines := strings.SplitAfter(string(data), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// edit is one line of a diff: ' ' for kept, '-' for removed, '+' for added.
type edit struct {
	op   byte
	line string
}

// maxEdits bounds the work of the search for the shortest diff. Files that differ more are
// shown as replaced.
const maxEdits = 1000

// edits returns the shortest sequence of edits from a to b (the algorithm of Myers).
func edits(a, b []string) []edit {
	limit := min(len(a)+len(b), maxEdits)
	reach := make([]int, 2*limit+3) // reach[k+limit+1] is the furthest x on diagonal k
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), reach...))
		for k := -d; k <= d; k += 2 {
			x := furthest(reach, k, d, limit)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[k+limit+1] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(trace, a, b, limit)
			}
		}
	}
	return replaced(a, b)
}

func furthest(reach []int, k, d, limit int) int {
	i := k + limit + 1
	if k == -d || k != d && reach[i-1] < reach[i+1] {
		return reach[i+1]
	}
	return reach[i-1] + 1
}

func replaced(a, b []string) []edit {
	var out []edit
	for _, line := range a {
		out = append(out, edit{'-', line})
	}
	for _, line := range b {
		out = append(out, edit{'+', line})
	}
	return out
}

// backtrack walks from the end to the beginning along the furthest points of each round.
func backtrack(trace [][]int, a, b []string, limit int) []edit {
	var out []edit
	x, y := len(a), len(b)
	for d, reach := range slices.Backward(trace) {
		k := x - y
		prevK := k - 1
		if k == -d || k != d && reach[k+limit] < reach[k+limit+2] {
			prevK = k + 1
		}
		prevX := reach[prevK+limit+1]
		prevY := prevX - prevK
		for x > prevX && y > prevY && x > 0 && y > 0 {
			x, y = x-1, y-1
			out = append(out, edit{' ', a[x]})
		}
		switch {
		case d == 0:
		case x == prevX:
			y--
			out = append(out, edit{'+', b[y]})
		default:
			x--
			out = append(out, edit{'-', a[x]})
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

const context = 3

// writeHunks prints the edits with three lines of context around each group.
func writeHunks(b *strings.Builder, list []edit) {
	for i := 0; i < len(list); {
		if list[i].op == ' ' {
			i++
			continue
		}
		start, end := max(i-context, 0), i+1
		for gap := 0; end < len(list) && gap <= 2*context; end++ {
			gap++
			if list[end].op != ' ' {
				gap = 0
			}
		}
		for end > i && list[end-1].op == ' ' {
			end--
		}
		end = min(end+context, len(list))
		writeHunk(b, list, start, end)
		i = end
	}
}

func writeHunk(b *strings.Builder, list []edit, start, end int) {
	oldLine, newLine := position(list[:start])
	oldCount, newCount := position(list[start:end])
	fmt.Fprintf(b, "@@ -%s +%s @@\n", span(oldLine, oldCount), span(newLine, newCount))
	for _, e := range list[start:end] {
		b.WriteByte(e.op)
		b.WriteString(e.line)
		if !strings.HasSuffix(e.line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// position counts the lines of the old and the new file in the edits.
func position(list []edit) (old, now int) {
	for _, e := range list {
		if e.op != '+' {
			old++
		}
		if e.op != '-' {
			now++
		}
	}
	return old, now
}

func span(before, count int) string {
	if count == 0 {
		return fmt.Sprintf("%d,0", before)
	}
	return fmt.Sprintf("%d,%d", before+1, count)
}
