package uritemplate

import "strings"

// Vars returns the variables of a template in which [Parse] finds no problem, in order and without their Escape. It is
// for programs that know their templates: they are not linked with Parse and its messages, which cost 37 kB.
func Vars(template string) []Var {
	var list []Var
	for end := 0; ; {
		open := strings.IndexByte(template[end:], '{')
		if open < 0 {
			return list
		}
		at := end + open + 1
		n := strings.IndexByte(template[at:], '}')
		if n < 0 {
			return list
		}
		end = at + n
		op := OpNone
		if at < end && !isNameRune(rune(template[at])) {
			op = Op(template[at])
			at++
		}
		for spec := range strings.SplitSeq(template[at:end], ",") {
			name, explode := strings.CutSuffix(spec, "*")
			list = append(list, Var{Name: name, Start: at, End: at + len(name), Op: op, Explode: explode})
			at += len(spec) + 1
		}
	}
}
