package uritemplate

import "testing"

// What is looked up among many templates is what each of them alone says.
func TestAnyOf(t *testing.T) {
	var all []*Template
	for _, text := range []string{"a:///x/{id}", "a:///x{id}/end", "a:///{one}/b", "b://host/{+path}", "b:///deep/{+rest}/end",
		"c:{name}", "d:fixed/{n}", "a:///x/y/{q}{?all}"} {
		x, _, problems := Parse(text)
		if x == nil || len(problems) > 0 {
			t.Fatalf("%s: %v", text, problems)
		}
		all = append(all, x)
	}
	among, matched := AnyOf(all), 0
	for _, uri := range []string{"", "a", "a:", "a:///", "a:///x", "a:///x/", "a:///x/1", "a:///x/1/2", "a:///x1/end", "a:///y/b",
		"a:///y/b?c", "a:///x/y/z", "b://host", "b://host/", "b://host/a/b", "b:///deep/a/b/end", "b:///deep", "c:", "c:n",
		"c:///n", "d:fixed", "d:fixed/1", "e:///x"} {
		alone := false
		for _, x := range all {
			alone = alone || matcher(x)(uri)
		}
		if among(uri) != alone {
			t.Errorf("%q: %v among all, %v alone", uri, among(uri), alone)
		}
		if alone {
			matched++
		}
	}
	if matched < 8 {
		t.Errorf("%d URIs match", matched)
	}
}
