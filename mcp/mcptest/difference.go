package mcptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// difference describes where two conversations begin to differ: the last equal line, the two different lines and, if
// both are messages, the place inside them as a JSON pointer.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := lineAt(w, i), lineAt(g, i)
		if a == b {
			continue
		}
		var out strings.Builder
		if i > 0 {
			fmt.Fprintf(&out, "after %s\n", w[i-1])
		}
		fmt.Fprintf(&out, "want  %s\ngot   %s", a, b)
		if x, ok := message(a); ok {
			if y, ok := message(b); ok {
				out.WriteString(firstPlace("", x, y))
			}
		}
		return out.String()
	}
	return ""
}

func lineAt(lines []string, i int) string {
	if i >= len(lines) {
		return "(end)"
	}
	return lines[i]
}

// message returns the JSON value of a line; ok is false if the line is not a message.
func message(line string) (v any, ok bool) {
	if len(line) < 3 || line[:3] != "-> " && line[:3] != "<- " {
		return nil, false
	}
	err := json.Unmarshal([]byte(line[3:]), &v)
	return v, err == nil
}

// firstPlace describes the first place where two values differ, with members in the order of their names. It is "" if
// they are equal. at is the JSON pointer to both.
func firstPlace(at string, want, got any) string {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return firstMember(at, w, g)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(w) != len(g) {
			break
		}
		for i := range w {
			if text := firstPlace(at+"/"+strconv.Itoa(i), w[i], g[i]); text != "" {
				return text
			}
		}
		return ""
	}
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return fmt.Sprintf("\nat %s: want %s, got %s", at, compact(want), compact(got))
}

func firstMember(at string, want, got map[string]any) string {
	names := maps.Clone(want)
	maps.Copy(names, got)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		w, inWant := want[name]
		g, inGot := got[name]
		place := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		switch {
		case !inWant:
			return fmt.Sprintf("\nat %s: want nothing, got %s", place, compact(g))
		case !inGot:
			return fmt.Sprintf("\nat %s: want %s, got nothing", place, compact(w))
		}
		if text := firstPlace(place, w, g); text != "" {
			return text
		}
	}
	return ""
}

func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
