package apppage

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAssemble(t *testing.T) {
	files := fstest.MapFS{
		"app/index.html": {Data: []byte(`<!-- x < y --><!DOCTYPE html>
<html><head><title>a < b</title>
<script defer src="main.js"></script>
<script type="module" src='mod.js'></script>
<link rel="stylesheet" href="css/a.css?v=1" media='screen, "x"'>
<style>b { background: url(dot.png) }</style>
</head><body><img src=dot.png alt="x"><img src="data:image/png;base64,AA=="><a href="other.html">o</a>
<script src="https://cdn.example.com/x.js"></script><iframe src="https://video.example.com/1"></iframe>
</body></html>`)},
		"app/main.js":   {Data: []byte(`document.write("</script>")`)},
		"app/mod.js":    {Data: []byte(`let a = 1`)},
		"app/css/a.css": {Data: []byte(`i { background: url("../dot.png") }`)},
		"app/dot.png":   {Data: []byte("PNG")},
	}
	text, err := Assemble(files, "app")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<script>document.write(\"\\x3C/script>\")</script>\n</body>", "<script type=\"module\">let a = 1</script>",
		`<style media='screen, "x"'>i { background: url("data:image/png;base64,UE5H") }</style>`,
		`<style>b { background: url("data:image/png;base64,UE5H") }</style>`,
		`<img src="data:image/png;base64,UE5H" alt="x">`, `<a href="other.html">`, `<script></script>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	p := Read(string(files["app/index.html"].Data), files, "app")
	want := []Remote{{Line: 8, Origin: "https://cdn.example.com"},
		{Line: 8, Origin: "https://video.example.com", Frame: true}}
	if !slices.Equal(p.Remotes, want) {
		t.Errorf("remotes %v", p.Remotes)
	}
}

func TestProblems(t *testing.T) {
	files := fstest.MapFS{"app/a.css": {Data: []byte(`@import "b.css";`)}, "secret.js": {Data: []byte("1")}}
	for page, want := range map[string]string{
		"<p>hello</p>":               "1: the page is no HTML5 document: it does not begin with <!doctype html>",
		"":                           "1: the page is no HTML5 document: it does not begin with <!doctype html>",
		"\n<!doctype htmlx>":         "1: the page is no HTML5 document: it does not begin with <!doctype html>",
		"<!doctype html>\n<script>1": "2: the element `script` is not closed",
		"<!doctype html><!-- ":       "1: a comment is not closed",
		"<!doctype html><p class=\"": "1: a tag is not closed",
		"<!doctype html><script src=x.js></script>":                   "1: the page refers to the file x.js, which is not embedded",
		"<!doctype html><script src=../s.js></script>":                "1: ../s.js is not below the directory of the page",
		"<!doctype html><script src=/x.js></script>":                  "1: the page refers to the file /x.js, which is not embedded",
		"<!doctype html>\n<link rel=stylesheet href=a.css>":           "2: a style sheet imports b.css",
		"<!doctype html><iframe src=x.html></iframe>":                 "1: `iframe` cannot display the file x.html: an app is one document",
		"<!doctype html><img srcset='a.png 2x'>":                      "1: the page refers to the file a.png, which is not embedded",
		"<!doctype html><script type=module>import './m.js'</script>": "1: the script imports ./m.js: an app is one document, without modules in files",
	} {
		p := Read(page, files, "app")
		got := ""
		if len(p.Problems) > 0 {
			got = strings.Repeat(" ", 0) + string(rune('0'+p.Problems[0].Line)) + ": " + p.Problems[0].Message
		}
		if got != want {
			t.Errorf("%q: %s, want %s", page, got, want)
		}
	}
	if p := Read(`<!doctype html><script src="a.js"></script>`, nil, ""); len(p.Problems) != 1 {
		t.Errorf("one file: %v", p.Problems)
	}
	p := Read(`<!doctype html><script src="../s.js"></script>`, files, ".")
	if len(p.Problems) != 1 || !strings.Contains(p.Problems[0].Message, "is not below the directory of the page") {
		t.Errorf("above the package: %v", p.Problems)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("<!doctype html><script src=a.js defer></script></body>")
	f.Add("<!doctype html><style>a{b:url(x)}</style><img src='x'><p style=\"c:url('x')\">")
	f.Add("<!doctype html><svg><style><![CDATA[a{b:url(x)}]]></style><title/><image href=x /></svg>" +
		"<link rel=stylesheet href=c>")
	f.Add("<!doctype html><base href=/><img srcset='x 1x, x 2x,,x'>" +
		"<script type=module>import'./m';`${import('./d')}`</script>")
	f.Add("<!doctype html><!--><script type=importmap>{\"imports\":{\"a/\":\"./b/\"}}</script>")
	files := fstest.MapFS{"a.js": {Data: []byte("1</script")}, "x": {Data: []byte("2")},
		"c": {Data: []byte("@import 'x'")}}
	f.Fuzz(func(t *testing.T, page string) {
		p := Read(page, files, ".")
		if len(p.HTML) == 0 && len(page) > len(bom) && len(p.Problems) == 0 {
			t.Error("a page is lost without a word")
		}
		if len(p.Problems) > 0 {
			return
		}
		if again := Read(p.HTML, nil, ""); len(again.Problems) > 0 {
			t.Errorf("the assembled page %q is none: %v", p.HTML, again.Problems)
		}
	})
}
