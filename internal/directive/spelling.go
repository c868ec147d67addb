package directive

import "strings"

// Nearest returns the word of set that s was probably meant to be, or "". A word
// that begins s, or the reverse, counts as near from three letters on.
func Nearest(s string, set []string) string {
	best, bestDist := "", max(len(s)/3, 1)+1
	low := strings.ToLower(s)
	for _, w := range set {
		d := Distance(low, strings.ToLower(w))
		if short := min(len(low), len(w)); d >= bestDist && short >= 3 &&
			(strings.HasPrefix(low, w) || strings.HasPrefix(w, low)) {
			d = bestDist - 1
		}
		if d < bestDist {
			best, bestDist = w, d
		}
	}
	return best
}

// Distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range y {
		rows[0][j+1] = j + 1
	}
	for i := range x {
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			d := min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(x)][len(y)]
}

// Meant returns the one word of set that s can be after a single slip, so that a machine may write it; "" if there is
// none, or more than one. A letter too many or too few at either end does not count: it may belong to what stands
// beside the word.
func Meant(s string, set []string) string {
	best := ""
	for _, w := range set {
		if w == s || Distance(s, w) != 1 && !strings.EqualFold(s, w) {
			continue
		}
		if best != "" {
			return ""
		}
		best = w
	}
	if best == "" || len(s) < 2 || s[1:] == best || s[:len(s)-1] == best || best[1:] == s || best[:len(best)-1] == s {
		return ""
	}
	return best
}
