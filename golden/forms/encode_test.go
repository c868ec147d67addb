package forms

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// oracle is what encoding/json writes without escapes for HTML.
func oracle(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return unescaped(strings.TrimSuffix(b.String(), "\n")), err
}

// unescaped has one form of what stands for a character that could not be read.
func unescaped(s string) string { return strings.ReplaceAll(s, `\ufffd`, "\ufffd") }

func written[T any](f func(*wire.Encoder, *T), v *T) (string, error) {
	var e wire.Encoder
	f(&e, v)
	text, err := e.Result()
	return unescaped(string(text)), err
}

// same compares both, for a value without nil slices and maps.
func same[T any](t *testing.T, f func(*wire.Encoder, *T), v *T) {
	t.Helper()
	want, werr := oracle(v)
	got, err := written(f, v)
	if (err == nil) != (werr == nil) {
		t.Fatalf("%+v: error %v, want %v", *v, err, werr)
	}
	if err == nil && got != want {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Fatalf("after %q\n got %.100s\nwant %.100s", got[max(0, i-40):i], got[i:], want[i:])
	}
}

// known fills the types that do not take every value.
func known(r *rand.Rand, v reflect.Value) bool {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(r.Int63n(1<<34), r.Int63n(1e9)).In(time.FixedZone("", 60*r.Intn(1000)-30_000))))
	case netip.Addr:
		v.Set(reflect.ValueOf([]netip.Addr{{}, netip.IPv6Loopback(), netip.MustParseAddr("192.0.2.1")}[r.Intn(3)]))
	case json.RawMessage:
		v.SetBytes([]byte([]string{`null`, `{"a":[1,2]}`, `[ 1 , "<" ]`, `{`, ``}[r.Intn(5)]))
	case json.Number:
		v.SetString([]string{"", "1", "-2.5e3"}[r.Intn(3)])
	default:
		return false
	}
	return true
}

// fill gives v a random value without nil slices and maps. Depth bounds what contains itself.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if known(r, v) {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range v.Fields() {
			if f.CanSet() && f.Kind() != reflect.Chan {
				fill(r, f, depth+1)
			}
		}
	case reflect.Pointer:
		if r.Intn(2) == 0 && depth < 8 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth+1)
		}
	case reflect.Slice:
		n := r.Intn(3)
		if depth > 6 {
			n = 0
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.Intn(4) {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, k, depth+1)
			fill(r, e, depth+1)
			v.SetMapIndex(k, e)
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{1.5, "<x>", []any{nil, true}, map[string]any{"b": 1, "a": "\xff"}}[r.Intn(4)]))
	case reflect.String:
		v.SetString([]string{"", "x", "<a>&\"\\\n\t\x01\x7f", "ä\u2028\u2029😀", "\xff\xfe", "draft"}[r.Intn(6)])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1, -1.5, 1e20, 1e21, 1e-6, 9.9e-7, 1.0 / 3, 123456789, r.NormFloat64()}[r.Intn(10)])
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	default:
		if e, ok := quick.Value(v.Type(), r); ok {
			if r.Intn(3) == 0 {
				e = reflect.Zero(v.Type())
			}
			v.Set(e.Convert(v.Type()))
		}
	}
}

func TestEncodersAgreeWithJSON(t *testing.T) {
	t.Attr("requirements", "tool-output")
	for seed := range int64(3000) {
		r := rand.New(rand.NewSource(seed))
		var report Report
		fill(r, reflect.ValueOf(&report).Elem(), 0)
		report.Twice = strings.ToValidUTF8(report.Twice, "?")
		same(t, encodeReport, &report)
		var order Order
		fill(r, reflect.ValueOf(&order).Elem(), 4)
		same(t, encodeOrder, &order)
	}
}

func FuzzEncoders(f *testing.F) {
	f.Add(int64(1), "a", 1.5, []byte("b"))
	f.Fuzz(func(t *testing.T, seed int64, s string, n float64, data []byte) {
		var v Report
		fill(rand.New(rand.NewSource(seed)), reflect.ValueOf(&v).Elem(), 0)
		v.Note, v.Twice, v.Ratio, v.Part, v.Data = s, s, n, float32(n), append([]byte{}, data...)
		if n == 0 {
			v.Ratio, v.Part = 0, 0 // encoding/json keeps -0 of an omitempty member
		}
		v.Labels = map[string]string{s: s, string(data): "x", "": ""}
		if strings.ToValidUTF8(s, "") != s || strings.ToValidUTF8(string(data), "") != string(data) {
			v.Labels, v.Twice = map[string]string{}, ""
		}
		same(t, encodeReport, &v)
	})
}

// What differs from encoding/json, and why: nil lists and maps are empty, as the schema says.
func TestNilIsEmpty(t *testing.T) {
	got, err := written(encodeReport, &Report{Price: 5, Number: "1"})
	want := `{"id":"0","note":"","stage":"","yes":false,"maybe":null,"big":"0","ratio":0,"flag":"false","twice":"\"\"","data":"","sum":[0,0,0],"words":[],` +
		`"pair":[null,null],"labels":{},"byID":{},"price":0.05,"code":"#0","addr":"","at":"0001-01-01T00:00:00Z","tree":{"name":"","left":null},"box":{"W":0,"H":0},"number":1,"any":null}`
	if err != nil || got != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	if got, err := written(encodeSpans, &[]Span{}); err != nil || got != "[]" {
		t.Errorf("no spans: %s, %v", got, err)
	}
}

func TestEncoderMistakes(t *testing.T) {
	loop := &Tree{Name: "loop"}
	loop.Left = loop
	for name, v := range map[string]*Report{
		"NaN":           {Ratio: math.NaN()},
		"infinity":      {Part: float32(math.Inf(1))},
		"a long year":   {At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"no JSON":       {Raw: json.RawMessage(`{"a":}`)},
		"a channel":     {Any: make(chan int)},
		"a loop":        {Tree: *loop},
		"a loop inside": {Tree: Tree{Kids: Trees{*loop}}},
		"a number":      {Number: "1x"},
	} {
		if text, err := written(encodeReport, v); err == nil {
			t.Errorf("%s: got %.200s", name, text)
		}
	}
}
