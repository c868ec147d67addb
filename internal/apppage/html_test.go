package apppage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// appFiles has the files of the pages below.
var appFiles = fstest.MapFS{
	"app/a.js":    {Data: []byte("let a = 1")},
	"app/bom.js":  {Data: []byte("\ufefflet b = 2")},
	"app/tags.js": {Data: []byte("x.innerHTML = `<!-- <script></SCRIPT> -->`")},
	"app/a.css": {Data: []byte("\ufeff/* url(none.png) */ a { content: \"url(none.png)\"; " +
		"background: URL( 'd.png' ) }")},
	"app/set.css": {Data: []byte("a{b:image-set('d.png' 1x type('image/png'), url(d.png) 2x)}" +
		"@namespace url(http://x.y/)")},
	"app/odd.css": {Data: []byte("/* </STYLE> */ a { content: \\( \"x\"; b: -webkit-image-set('d.png' 1x) } " +
		"\\\"c{ d: url(d.png) }")},
	"app/d.png":       {Data: []byte("D")},
	"app/a b.png":     {Data: []byte("D")},
	"app/f.woff2":     {Data: []byte("F")},
	"app/i/logo.svg":  {Data: []byte("<svg/>")},
	"app/x.none":      {Data: []byte("N")},
	"app2/x.js":       {Data: []byte("let z")},
	"app/assets/x.js": {Data: []byte("let x")},
	"app/assets/x.css": {Data: []byte("@font-face{src:url(../f.woff2?v=1) format('woff2')}" +
		"b{fill:url(#g);mask:url(../i/logo.svg#m)}")},
}

// cases calls f for each page of a file with its result, which are two lines.
func cases(t *testing.T, name string, f func(page, want string)) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\xff`, "\xff", "{D}", "data:image/png;base64,RA==")
	for block := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n\n") {
		page, want, found := strings.Cut(block, "\n")
		if !found || strings.Contains(want, "\n") {
			t.Fatalf("%s: no page and its result: %s", name, block)
		}
		f(plain.Replace(page), plain.Replace(want))
	}
}

// Pages that are legal become one document. The text before and behind each part is left.
func TestLegal(t *testing.T) {
	t.Attr("requirements", "app-document")
	cases(t, "legal.txt", func(page, want string) {
		if want == "=" {
			want = page
		}
		p := Read(bom+"<!doctype html>"+page, appFiles, "app")
		if len(p.Problems) > 0 || len(p.Advice) > 0 || p.HTML != "<!doctype html>"+want {
			t.Errorf("%s\ngot  %s %v %v\nwant %s", page, strings.TrimPrefix(p.HTML, "<!doctype html>"), p.Problems, p.Advice,
				want)
		}
	})
}

// What clients cannot display is refused, and what they block is noted.
func TestRefused(t *testing.T) {
	cases(t, "refused.txt", func(page, want string) {
		p := Read("<!doctype html>"+page, appFiles, "app")
		var got []string
		for _, x := range p.Problems {
			got = append(got, x.Message+" "+x.Fix)
		}
		for _, x := range p.Advice {
			got = append(got, "advice: "+x.Message)
		}
		for _, x := range p.Remotes {
			if x.Base {
				got = append(got, "base")
			}
			got = append(got, x.Origin)
		}
		part, exact := strings.CutPrefix(want, "=")
		exact = exact || strings.HasPrefix(want, "https:")
		if all := strings.Join(got, " "); !strings.Contains(all, part) || exact && all != part {
			t.Errorf("%s: %s, want %s", page, all, want)
		}
	})
}

// The imports of scripts are found in what minifiers write.
func TestModules(t *testing.T) {
	for script, want := range map[string]string{
		`import{a as b}from"./a.js";import c,{d}from'./c.js';import"./e.js";import*as f from"f"`: "./a.js ./c.js ./e.js f",
		"import a\n\tfrom /* why */ 'a' // end\nexport { a }\nfrom 'b'":                          "a b",
		`const x=import("./x.js");y(import( './y.js' ,{with:{type:"json"}}));import(z)`:          "?./x.js ?./y.js",
		`import.meta.url;o.import("n");o={import:1};$import("n")`:                                "",
		"a=`import './n'${import('./y')}`":                                                       "?./y",
		`function f(){import"./n"}`:                                                              "",
		`x=1/2/import("./y")`:                                                                    "?./y",
		`while(a)/import('n')/.test(s)`:                                                          "",
		`return/import('n')/.test(s)`:                                                            "",
		`export default function(){return"./n"}`:                                                 "",
		`export const from="./n"`:                                                                "",
		`export{default as x};"./n"`:                                                             "",
		`import a from "./a"; import {"x y" as b} from "./b"`:                                    "./a ./b",
	} {
		var got []string
		for _, m := range modulesOf(script) {
			name := m.name
			if m.dynamic {
				name = "?" + name
			}
			got = append(got, name)
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, want %s", script, got, want)
		}
	}
}
