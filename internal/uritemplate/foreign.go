package uritemplate

import (
	"strings"
)

// foreignVar is the name of the variable in the brackets of a router that begin text, or "": <id>, <int:id>, [id] or
// [...path].
func foreignVar(text string) string {
	var inner string
	var closed bool
	switch text[0] {
	case '<':
		inner, _, closed = strings.Cut(text[1:], ">")
		if kind, name, typed := strings.Cut(inner, ":"); typed && kind != "" && strings.Trim(kind, lowerCase) == "" {
			inner = name
		}
	case '[':
		inner, _, closed = strings.Cut(text[1:], "]")
		inner = strings.TrimPrefix(inner, "...")
	}
	if !closed || nameLen(inner) != len(inner) {
		return ""
	}
	return inner
}

const lowerCase = "abcdefghijklmnopqrstuvwxyz"

// nameLen is the length of the identifier that begins text.
func nameLen(text string) int {
	n := 0
	for n < len(text) && isNameRune(rune(text[n])) && (n > 0 || text[n] < '0' || text[n] > '9') {
		n++
	}
	return n
}

// foreignSpec is what to write for a variable in braces that has the form of another template language, {id...},
// {*path}, {id?} or {id:[0-9]+}; "" if it has not.
func foreignSpec(spec string) string {
	name := strings.TrimLeft(spec, "*")
	if stars := len(spec) - len(name); stars > 0 {
		if stars > 2 || name == "" || nameLen(name) != len(name) {
			return ""
		}
		return "{+" + name + "}"
	}
	rest := spec[nameLen(spec):]
	name = spec[:len(spec)-len(rest)]
	kind, typed := strings.CutPrefix(rest, ":")
	switch {
	case name == "":
		return ""
	case rest == "...":
		return "{+" + name + "}"
	case rest == "?":
		return "{?" + name + "}"
	case !typed || kind == "" || kind[0] >= '0' && kind[0] <= '9':
		return ""
	case strings.IndexFunc(kind, func(r rune) bool { return !isNameRune(r) }) < 0: // {id:int} names a type
		return "{" + name + "}; its type is that of the parameter"
	}
	return "{" + name + "}, and //mcp:var " + name + " pattern=" + kind
}
