package source

import (
	"reflect"
	"strings"
)

// TagKey returns the bytes of a key with its value in a tag, or -1.
func TagKey(tag, key string) (start, end int) {
	value, ok := reflect.StructTag(tag).Lookup(key)
	if !ok {
		return -1, -1
	}
	// The first place where the rest begins with the key and has its value is where Lookup found it.
	for at := 0; at < len(tag); {
		i := strings.Index(tag[at:], key+`:"`)
		if i < 0 {
			break
		}
		at += i
		rest := tag[at:]
		if v, ok := reflect.StructTag(rest).Lookup(key); ok && v == value && (at == 0 || tag[at-1] == ' ') {
			return at, at + QuotedEnd(rest, len(key)+1)
		}
		at++
	}
	return -1, -1
}

// QuotedEnd is the end of the quoted string that begins at from.
func QuotedEnd(s string, from int) int {
	for i := from + 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
