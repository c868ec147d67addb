package wire

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const reasonTwin = "stands for the same key as another member"

// StringKey returns the name of the current member as a key of m.
func StringKey[M ~map[K]E, K ~string, E any](d *Decoder, _ M) K { return K(d.Name()) }

// EnumKey is StringKey for names that must be among values. ok is false after a mistake, which d has noted.
func EnumKey[M ~map[K]E, K ~string, E any](d *Decoder, _ M, values ...K) (k K, ok bool) {
	for _, v := range values {
		if string(v) == string(d.Name()) {
			return v, true
		}
	}
	d.Fail("the name must be one of " + known(values))
	return k, false
}

// IntKey returns the name of the current member as a key of m, which must be an integer in its shortest decimal form.
// If values are given, it must be one of them. ok is false after a mistake, which d has noted.
func IntKey[M ~map[K]E, K Integer, E any](d *Decoder, _ M, values ...K) (k K, ok bool) {
	var zero K
	name := d.Name()
	number := decimalIn(name)
	u, fits := number.uint64()
	switch {
	case !isInteger(name) || len(name) > 1 && name[0] == '-' && name[1] == '0':
		d.Fail("the name must be an integer")
		return zero, false
	case zero-1 > 0:
		k = K(u)
		fits = fits && !number.neg && uint64(k) == u
	default:
		n, whole := number.int64()
		k = K(n)
		fits = whole && int64(k) == n
	}
	if !fits {
		d.Fail("the name " + reasonRange)
		return zero, false
	}
	if values != nil && !slices.Contains(values, k) {
		d.Fail("the name must be one of " + known(values))
		return zero, false
	}
	return k, true
}

// TextKey returns the name of the current member as a key of m, read with UnmarshalText. Two names for one key are a
// mistake. ok is false after a mistake, which d has noted.
func TextKey[M ~map[K]E, K comparable, E any, P interface {
	*K
	encoding.TextUnmarshaler
}](d *Decoder, m M) (k K, ok bool) {
	if err := P(&k).UnmarshalText(slices.Clone(d.Name())); err != nil {
		d.Fail("the name " + Refusal(err, ""))
		return k, false
	}
	if _, twin := m[k]; twin {
		d.Fail(reasonTwin)
		return k, false
	}
	return k, true
}

// EnumTextKey is [TextKey] for names that must be among values. The names are compared before UnmarshalText reads them.
func EnumTextKey[M ~map[K]E, K comparable, E any, P interface {
	*K
	encoding.TextUnmarshaler
}](d *Decoder, m M, values ...string) (k K, ok bool) {
	if !slices.Contains(values, string(d.Name())) {
		d.Fail("the name must be one of " + strings.Join(values, ", "))
		return k, false
	}
	return TextKey[M, K, E, P](d, m)
}

// LateTextKey is [TextKey] for names that must stand for one of values. What UnmarshalText has made of a name is
// compared.
func LateTextKey[M ~map[K]E, K comparable, E any, P interface {
	*K
	encoding.TextUnmarshaler
}](d *Decoder, m M, values ...K) (k K, ok bool) {
	if k, ok = TextKey[M, K, E, P](d, m); ok && !slices.Contains(values, k) {
		d.Fail("the name must be one of " + known(values))
		return k, false
	}
	return k, ok
}

// MapKey is a key of a map and the name of its member.
type MapKey[K any] struct {
	Text string
	Key  K
}

// IntKeys returns the keys of m in the order of their names, compared as strings: 10 before 9.
func IntKeys[M ~map[K]E, K Integer, E any](m M) []MapKey[K] {
	var zero K
	keys := make([]MapKey[K], 0, len(m))
	for k := range m {
		text := strconv.FormatUint(uint64(k), 10)
		if zero-1 < 0 {
			text = strconv.FormatInt(int64(k), 10)
		}
		keys = append(keys, MapKey[K]{text, k})
	}
	return sortedByText(keys)
}

// TextKeys returns the keys of m in the order of their names, which MarshalText writes. An error of MarshalText, and
// two keys with the same name, are mistakes that e notes.
func TextKeys[M ~map[K]E, K interface {
	comparable
	encoding.TextMarshaler
}, E any](e *Encoder, m M) []MapKey[K] {
	keys := make([]MapKey[K], 0, len(m))
	for k := range m {
		var text []byte
		if v := reflect.ValueOf(k); v.Kind() != reflect.Pointer || !v.IsNil() {
			var err error
			if text, err = k.MarshalText(); err != nil {
				e.fail(err)
			}
		}
		keys = append(keys, MapKey[K]{string(text), k})
	}
	keys = sortedByText(keys)
	for i := 1; i < len(keys); i++ {
		if keys[i].Text == keys[i-1].Text {
			e.fail(fmt.Errorf("json: two keys of a %T are both written as %q", m, keys[i].Text))
		}
	}
	return keys
}

func sortedByText[K any](keys []MapKey[K]) []MapKey[K] {
	slices.SortFunc(keys, func(a, b MapKey[K]) int { return cmp.Compare(a.Text, b.Text) })
	return keys
}
