package directive

import (
	"fmt"
	"math"
	"mime"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// need is the problem of a value that is not of the kind that its option needs.
func need(k *Option, a *Arg, what string) *Problem {
	p := &Problem{Message: fmt.Sprintf("`%s` needs %s, found %q", k.Name, what, a.Value)}
	if k.Example != "" {
		p.Fix = k.Name + "=" + k.Example
	}
	return p
}

func (v *String) decode(a *Arg, _ *Option) *Problem { v.V = a.Value; return nil }

func (v *Text) decode(a *Arg, k *Option) *Problem {
	file, isFile := strings.CutPrefix(a.Value, "@")
	if !isFile {
		v.V = a.Value
		return nil
	}
	if file == "" || path.IsAbs(file) || strings.ContainsAny(file, "\\\x00") || !isLocal(file) {
		return need(k, a, "a file inside the package after @")
	}
	v.File = path.Clean(file)
	return nil
}

// isLocal reports whether a slash-separated path stays below its start. A colon
// is refused because it means a volume on Windows.
func isLocal(file string) bool {
	c := path.Clean(file)
	return c != "." && c != ".." && !strings.HasPrefix(c, "../") && !strings.Contains(c, ":")
}

func (v *Bool) decode(a *Arg, k *Option) *Problem {
	switch {
	case !a.HasValue || a.Value == "true":
		v.V = true
	case a.Value == "false":
		v.V = false
	default:
		p := need(k, a, "true or false")
		p.Fix = fmt.Sprintf("`%s`, or `%s=false`", k.Name, k.Name)
		return p
	}
	return nil
}

func (v *Int) decode(a *Arg, k *Option) *Problem {
	n, err := strconv.ParseInt(a.Value, 10, 64)
	if err != nil || n < 0 {
		return need(k, a, "a whole number from 0")
	}
	v.V = n
	return nil
}

func (v *Unit) decode(a *Arg, k *Option) *Problem {
	f, err := strconv.ParseFloat(a.Value, 64)
	switch {
	case err != nil || math.IsNaN(f):
		return need(k, a, "a number from 0 to 1")
	case f < 0:
		return &Problem{Message: fmt.Sprintf("%s %s is outside 0..1", k.Name, a.Value), Fix: k.Name + "=0"}
	case f > 1:
		return &Problem{Message: fmt.Sprintf("%s %s is outside 0..1", k.Name, a.Value), Fix: k.Name + "=1"}
	}
	v.V = f
	return nil
}

func (v *Duration) decode(a *Arg, k *Option) *Problem {
	d, err := time.ParseDuration(a.Value)
	if err != nil || d < 0 {
		return need(k, a, "a duration such as 30s")
	}
	v.V = d
	return nil
}

func (v *Time) decode(a *Arg, k *Option) *Problem {
	if _, err := time.Parse(time.RFC3339, a.Value); err != nil {
		return need(k, a, "a time in RFC 3339 form")
	}
	v.V = a.Value
	return nil
}

var units = map[string]int64{
	"": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

func (v *Bytes) decode(a *Arg, k *Option) *Problem {
	digits := strings.TrimRight(a.Value, "BkKMGi")
	unit, ok := units[a.Value[len(digits):]]
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 0 || n > math.MaxInt64/unit {
		return need(k, a, "a size in bytes such as 512, 4kB or 2MiB")
	}
	v.V = n * unit
	return nil
}

var periods = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}

func (v *Rate) decode(a *Arg, k *Option) *Problem {
	count, per, _ := strings.Cut(a.Value, "/")
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n <= 0 || periods[per] == 0 {
		return need(k, a, "a rate such as 60/m (per s, m, h or d)")
	}
	v.N, v.Per = n, periods[per]
	return nil
}

func (v *List) decode(a *Arg, k *Option) *Problem {
	items := split(a, false)
	if p := noEmpty(items, a, k); p != nil {
		return p
	}
	v.V = append(v.V, items...)
	return nil
}

func (v *Enum) decode(a *Arg, k *Option) *Problem {
	word := a.Value
	if !a.HasValue {
		word = "true"
	}
	if !slices.Contains(k.Values, word) && (!k.Flag || word != "true" && word != "false") {
		return oneOf(k, a.Value, 0, len(a.Value))
	}
	v.V = word
	return nil
}

func (v *Enums) decode(a *Arg, k *Option) *Problem {
	if !a.HasValue && k.Flag {
		return nil
	}
	items := split(a, false)
	for i, it := range items {
		if !slices.Contains(k.Values, it.V) {
			return oneOf(k, it.V, it.From, it.To)
		}
		if slices.ContainsFunc(items[:i], func(o Item) bool { return o.V == it.V }) {
			return &Problem{From: it.From, To: it.To, Message: fmt.Sprintf("%s has `%s` twice", k.Name, it.V), Fix: "remove one"}
		}
	}
	v.V = append(v.V, items...)
	return nil
}

// oneOf is the problem of a word that is not among the values of its option.
func oneOf(k *Option, word string, from, to int) *Problem {
	p := &Problem{From: from, To: to, Hint: "one of: " + strings.Join(k.Values, " ")}
	p.Message = fmt.Sprintf("%s `%s` must be %s", k.Name, word, orList(k.Values))
	if near := Nearest(word, k.Values); near != "" {
		p.Fix = k.Name + "=" + near
	} else {
		p.Fix = k.Name + "=" + k.Values[0]
	}
	return p
}

func (v *URI) decode(a *Arg, k *Option) *Problem {
	if p := plainURI(a.Value, k, a); p != nil {
		return p
	}
	v.V = a.Value
	return nil
}

// plainURI refuses what no later rule could give a good position for.
func plainURI(s string, k *Option, a *Arg) *Problem {
	if s == "" {
		return need(k, a, "a URI")
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }); i >= 0 {
		p := need(k, a, "a URI without white space")
		p.Fix = "write a space as %20"
		return p
	}
	return nil
}

func (v *URIs) decode(a *Arg, k *Option) *Problem {
	items := split(a, true)
	for _, it := range items {
		if p := plainURI(it.V, k, a); p != nil {
			return p
		}
	}
	v.V = append(v.V, items...)
	return nil
}

func (v *MIME) decode(a *Arg, k *Option) *Problem {
	t, _, err := mime.ParseMediaType(a.Value)
	major, minor, ok := strings.Cut(t, "/")
	if err != nil || !ok || major == "" || minor == "" {
		return need(k, a, "a media type such as text/plain")
	}
	v.V = a.Value
	return nil
}

var sizeForm = regexp.MustCompile(`^(any|[1-9][0-9]{0,4}x[1-9][0-9]{0,4})$`)

func (v *Sizes) decode(a *Arg, k *Option) *Problem {
	items := split(a, false)
	for _, it := range items {
		if !sizeForm.MatchString(it.V) {
			p := need(k, a, "sizes such as 48x48, or any")
			p.From, p.To = it.From, it.To
			return p
		}
	}
	v.V = append(v.V, items...)
	return nil
}

var revisionForm = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})?$`)

func (v *Range) decode(a *Arg, k *Option) *Problem {
	from, to, ok := strings.Cut(a.Value, "..")
	if !ok {
		to = from
	}
	if from+to == "" || !revisionForm.MatchString(from) || !revisionForm.MatchString(to) || to != "" && to < from {
		return need(k, a, "a range of protocol revisions such as 2025-06-18..2025-11-25")
	}
	v.From, v.To = from, to
	return nil
}

func (v *Ref) decode(a *Arg, k *Option) *Problem {
	if a.Value == "" {
		return need(k, a, "a name")
	}
	v.V = a.Value
	return nil
}

func (v *Refs) decode(a *Arg, k *Option) *Problem {
	items := split(a, false)
	if p := noEmpty(items, a, k); p != nil {
		return p
	}
	v.V = append(v.V, items...)
	return nil
}

func (v *Regexp) decode(a *Arg, k *Option) *Problem {
	_, err := regexp.Compile(a.Value)
	if err == nil {
		v.V, err = regexp.Compile("^(?:" + a.Value + ")$")
	}
	if err != nil && strings.Contains(a.Value, `\Q`) { // which may hold to the end
		v.V, err = regexp.Compile("^(?:" + a.Value + `\E)$`)
	}
	if err != nil {
		p := need(k, a, "a regular expression")
		p.Hint = strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		return p
	}
	return nil
}

// The positional types take whole arguments.
func (v *Word) decode(a *Arg, _ *Option) *Problem { v.V = a.Text(); return nil }

func (v *Words) decode(a *Arg, _ *Option) *Problem {
	text := a.Text()
	v.V = append(v.V, Item{V: text, Arg: a, To: len(text)})
	return nil
}

// split cuts a value at its commas. Inside braces a comma separates only the
// variables of a template if braces is set.
func split(a *Arg, braces bool) []Item {
	var items []Item
	from, depth := 0, 0
	for i, r := range a.Value {
		switch {
		case braces && r == '{':
			depth++
		case braces && r == '}':
			depth--
		case r == ',' && depth <= 0:
			items = append(items, Item{a.Value[from:i], a, from, i})
			from = i + 1
		}
	}
	return append(items, Item{a.Value[from:], a, from, len(a.Value)})
}

func noEmpty(items []Item, a *Arg, k *Option) *Problem {
	for _, it := range items {
		if it.V == "" {
			p := need(k, a, "a list without empty items")
			p.From, p.To = it.From, it.To
			return p
		}
	}
	return nil
}

// decode takes one pair. The protocol keeps every prefix whose second label is
// mcp or modelcontextprotocol for itself.
func (v *Pairs) decode(a *Arg, _ *Option) *Problem {
	if !a.HasValue || !IsMetaKey(a.Option) {
		return &Problem{
			Message: fmt.Sprintf("`%s` is not a meta entry: its key needs a reverse-DNS prefix and a slash", a.Text()),
			Fix:     "com.example/owner=finance",
		}
	}
	labels := strings.Split(a.Option[:strings.IndexByte(a.Option, '/')], ".")
	if labels[1] == "mcp" || labels[1] == "modelcontextprotocol" {
		return &Problem{Message: fmt.Sprintf("prefix of `%s` is reserved for the protocol", a.Option),
			Fix: "use a domain of your own"}
	}
	v.V = append(v.V, a)
	return nil
}
