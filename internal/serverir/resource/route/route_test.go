package route

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/ir"
	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// walk takes uri down the tree the way generated code does, and returns the place of the resource or -1.
func walk(n *ir.RouteNode, resources []*ir.Resource, uri string) int {
	scheme, rest, _ := strings.Cut(uri, ":")
	rest, _ = strings.CutPrefix(rest, "//")
	return descend(n, resources, scheme, strings.Split(rest, "/"))
}

func descend(n *ir.RouteNode, resources []*ir.Resource, scheme string, segs []string) int {
	if n == nil {
		return -1
	}
	for _, try := range n.Try {
		if tryMatch(resources[try.Resource].Template, try, segs) {
			return try.Resource
		}
	}
	for _, c := range n.Cases {
		fits := c.Text == scheme
		switch n.On {
		case ir.RouteCount:
			fits = c.Count == len(segs)
		case ir.RouteSegment:
			fits = n.Seg < len(segs) && c.Text == segs[n.Seg]
		}
		if !fits {
			continue
		}
		if got := descend(c.Node, resources, scheme, segs); got >= 0 || !n.Falls {
			return got
		}
	}
	return descend(n.Default, resources, scheme, segs)
}

func tryMatch(t *uritemplate.Template, try ir.RouteTry, segs []string) bool {
	if len(segs) < try.MinCount {
		return false
	}
	for _, i := range try.Segs {
		at := i
		var text string
		switch {
		case t.Multi == i:
			text = strings.Join(segs[i:len(segs)-(len(t.Segments)-1-i)], "/")
		case t.Multi >= 0 && i > t.Multi:
			at = len(segs) - (len(t.Segments) - i)
			fallthrough
		default:
			text = segs[at]
		}
		if !segMatch(t.Segments[i], text) {
			return false
		}
	}
	return true
}

// segMatch is a reference matcher: every way to split text is tried.
func segMatch(seg uritemplate.Segment, text string) bool {
	if len(seg) == 0 {
		return text == ""
	}
	if seg[0].Var < 0 {
		rest, ok := strings.CutPrefix(text, seg[0].Lit)
		return ok && segMatch(seg[1:], rest)
	}
	for n := 1; n <= len(text); n++ {
		if segMatch(seg[1:], text[n:]) {
			return true
		}
	}
	return false
}

func TestRoutes(t *testing.T) {
	templates := []string{
		"notes:///{id}", "notes:///{id}/raw", "notes:///{+path}", "notes:///by-slug/{slug}",
		"repo://{owner}/{name}/tree/{+path}", "repo://{owner}/{name}", "x:///{a}-{b}", "x:///{a}.{b}.txt", "x:///{+p}/end",
	}
	resources := make([]*ir.Resource, len(templates))
	for i, text := range templates {
		tmpl, _, problems := uritemplate.Parse(text)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		resources[i] = &ir.Resource{Template: tmpl}
	}
	tree := Build(resources)
	tests := []struct {
		uri  string
		want int
	}{
		{"notes:///a", 0}, {"notes:///a/raw", 1}, {"notes:///a/b", 2}, {"notes:///by-slug/x", 3}, {"notes:///by-slug/raw", 3},
		{"notes:///a/b/c/d", 2}, {"notes:///", -1}, {"other:///a", -1}, {"repo://o/n/tree/a/b", 4}, {"repo://o/n", 5},
		{"repo://o/n/x", -1}, {"x:///a-b", 6}, {"x:///a.b.txt", 7}, {"x:///q/r/end", 8}, {"x:///end", -1}, {"x:///q/r", -1},
	}
	for _, tt := range tests {
		if got := walk(tree, resources, tt.uri); got != tt.want {
			t.Errorf("route %s = %d, want %d", tt.uri, got, tt.want)
		}
	}
}

// The depth of the tree must not grow with the number of templates.
func TestRoutesFlat(t *testing.T) {
	var resources []*ir.Resource
	for i := range 1000 {
		tmpl, _, _ := uritemplate.Parse(fmt.Sprintf("x:///{t}/kind%d/{id}", i))
		resources = append(resources, &ir.Resource{Template: tmpl})
	}
	tree := Build(resources)
	if got := walk(tree, resources, "x:///t/kind999/7"); got != 999 {
		t.Fatalf("route = %d", got)
	}
	leaf := tree.Cases[0].Node.Cases[0].Node
	if leaf.On != ir.RouteSegment || len(leaf.Cases) != 1000 || len(leaf.Cases[0].Node.Try) != 1 {
		t.Errorf("1000 templates are not told apart by one switch: %v with %d cases", leaf.On, len(leaf.Cases))
	}
}

// Templates that take any text in the place of many literals stand in the tree once, and are served as if each case had
// all of them: what is more specific comes first.
func TestRoutesFall(t *testing.T) {
	var texts []string
	for i := range 200 {
		texts = append(texts, fmt.Sprintf("x:///kind%d/{id}/{part}", i))
	}
	for i := range 200 {
		texts = append(texts, fmt.Sprintf("x:///{t}/{id}/end-of-a-long-name-%d", i))
	}
	texts = append(texts, "x:///{t}/{id}/{part}", "x:///{+rest}")
	resources := parsed(t, texts)
	tree := Build(resources)
	for uri, want := range map[string]string{
		"x:///kind7/1/2": "x:///kind7/{id}/{part}", "x:///other/1/2": "x:///{t}/{id}/{part}",
		"x:///kind7/1/end-of-a-long-name-3": "x:///{t}/{id}/end-of-a-long-name-3",
		"x:///o/1/end-of-a-long-name-199":   "x:///{t}/{id}/end-of-a-long-name-199",
		"x:///kind7/1/2/3":                  "x:///{+rest}", "x:///kind7/1/": "x:///{+rest}", "y:///kind7/1/2": "",
	} {
		got := ""
		if i := walk(tree, resources, uri); i >= 0 {
			got = texts[i]
		}
		if got != want {
			t.Errorf("%s is served by %q, want %q", uri, got, want)
		}
	}
}

// The tree grows with the number of templates, and not with its square, if half of them take any text where the others
// have literals.
func TestRoutesLinear(t *testing.T) {
	size := func(n int) int {
		var resources []*ir.Resource
		for i := range n {
			for _, text := range []string{"x:///kind%d/{id}/{part}", "x:///{t}/{id}/p%d"} {
				tmpl, _, _ := uritemplate.Parse(fmt.Sprintf(text, i))
				resources = append(resources, &ir.Resource{Template: tmpl})
			}
		}
		return tries(Build(resources))
	}
	if small, large := size(100), size(1000); large > 12*small {
		t.Errorf("%d templates are tried at %d places, %d at %d", 200, small, 2000, large)
	}
}

func tries(n *ir.RouteNode) int {
	if n == nil {
		return 0
	}
	count := len(n.Try) + tries(n.Default)
	for _, c := range n.Cases {
		count += tries(c.Node)
	}
	return count
}

// The more specific of two open templates wins, even if only the other one must be tried in a case of the switch.
func TestRoutesFallOpen(t *testing.T) {
	texts := []string{"x:///projects/{u}/{v}", "x:///projects/z/{v}"}
	for i := range 60 {
		texts = append(texts, fmt.Sprintf("x:///{w}/y/i%d", i))
	}
	for i := range 5 {
		texts = append(texts, fmt.Sprintf("x:///{w}/{u}/other%d", i))
	}
	resources := parsed(t, texts)
	if got := walk(Build(resources), resources, "x:///projects/z/i1"); got != 1 {
		t.Errorf("served by %d, want 1", got)
	}
}

// Random templates, so many that switches have tables, are served as by a list that is sorted by how specific they are.
func TestRoutesRandom(t *testing.T) {
	falls := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		texts := randomTemplates(r)
		resources := parsed(t, texts)
		tree := Build(resources)
		falls += fallsIn(tree)
		order := make([]int, len(resources))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return uritemplate.Compare(resources[a].Template, resources[b].Template)
		})
		for range 500 {
			uri := "x:///" + strings.Join(randomSegments(r, func() string { return randomWord(r) }), "/")
			want := -1
			if i := slices.IndexFunc(order, func(i int) bool { return matches(resources[i].Template, uri) }); i >= 0 {
				want = order[i]
			}
			if got := walk(tree, resources, uri); got != want {
				t.Fatalf("seed %d: %s is served by %s, want %s", seed, uri, textAt(texts, got), textAt(texts, want))
			}
		}
	}
	if falls < 40 {
		t.Errorf("only %d switches fall through to what is behind them", falls)
	}
}

// randomTemplates are different templates: most have one of many literals at the same place, the others any text there.
func randomTemplates(r *rand.Rand) []string {
	busy, seen, texts := r.IntN(3), map[string]bool{}, []string(nil)
	add := func(segs []string) {
		text := "x:///" + strings.Join(segs, "/")
		if !seen[text] && strings.Contains(text, "{") {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	n := 0
	segment := func() string {
		n++
		switch r.IntN(8) {
		case 0, 1, 2:
			return randomWord(r)
		case 3:
			return fmt.Sprintf("%c{v%d}", 'a'+rune(r.IntN(3)), n)
		}
		return fmt.Sprintf("{v%d}", n)
	}
	for i := range 70 {
		segs := []string{segment(), segment(), segment()}
		segs[busy] = fmt.Sprintf("w%d", i)
		add(segs)
	}
	for range 30 {
		segs := randomSegments(r, segment)
		if i := r.IntN(3 * len(segs)); i < len(segs) {
			segs[i] = "{+rest}"
		}
		add(segs)
	}
	r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return texts
}

// randomSegments are mostly three segments.
func randomSegments(r *rand.Rand, one func() string) []string {
	segs := []string{one(), one(), one()}
	switch r.IntN(8) {
	case 0:
		return segs[:2]
	case 1:
		return append(segs, one())
	}
	return segs
}

// randomWord is often one of few words.
func randomWord(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		return fmt.Sprintf("w%d", r.IntN(70))
	}
	return []string{"a", "ab", "b", "bc"}[r.IntN(4)]
}

// matches reports whether a template matches a URI, without a tree.
func matches(tmpl *uritemplate.Template, uri string) bool {
	segs := strings.Split(strings.TrimPrefix(uri, "x://"), "/")
	if len(segs) < len(tmpl.Segments) || tmpl.Multi < 0 && len(segs) > len(tmpl.Segments) {
		return false
	}
	var all []int
	for i := range tmpl.Segments {
		all = append(all, i)
	}
	return tryMatch(tmpl, ir.RouteTry{Segs: all}, segs)
}

// fallsIn counts the switches of a tree that fall through.
func fallsIn(n *ir.RouteNode) int {
	if n == nil {
		return 0
	}
	count := fallsIn(n.Default)
	if n.Falls {
		count++
	}
	for _, c := range n.Cases {
		count += fallsIn(c.Node)
	}
	return count
}

// parsed are resources with these templates.
func parsed(t *testing.T, texts []string) []*ir.Resource {
	t.Helper()
	var resources []*ir.Resource
	for _, text := range texts {
		tmpl, _, problems := uritemplate.Parse(text)
		if len(problems) > 0 {
			t.Fatal(text, problems)
		}
		resources = append(resources, &ir.Resource{Template: tmpl})
	}
	return resources
}

// textAt is the template at a place that walk returned.
func textAt(texts []string, i int) string {
	if i < 0 {
		return "none"
	}
	return texts[i]
}
