package wire

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// known lists values for the text of an error, in the form in which they are read: what json.Marshal returns if *T has
// UnmarshalJSON, what MarshalText returns if *T has UnmarshalText, and otherwise the string or number itself, whatever
// its method String returns.
func known[T any](values []T) string {
	texts := make([]string, len(values))
	for i := range values {
		texts[i] = formOf(&values[i])
	}
	return strings.Join(texts, ", ")
}

func formOf[T any](v *T) string {
	if _, reads := any(v).(json.Unmarshaler); reads {
		if text, err := json.Marshal(v); err == nil {
			return string(text)
		}
	}
	return TextForm(v)
}

// TextForm returns the text from which *v would be read where values are plain text instead of JSON, such as in URIs.
func TextForm[T any](v *T) string {
	if _, reads := any(v).(encoding.TextUnmarshaler); reads {
		if m, writes := any(v).(encoding.TextMarshaler); writes {
			if text, err := m.MarshalText(); err == nil {
				return string(text)
			}
		}
	}
	switch r := reflect.ValueOf(v).Elem(); r.Kind() {
	case reflect.String:
		return r.String()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return fmt.Sprint(r.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(r.Uint())
	}
	return fmt.Sprint(*v)
}
