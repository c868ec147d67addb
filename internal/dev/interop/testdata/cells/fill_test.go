package cells

import (
	"encoding/json"
	"math"
	"math/rand"
	"net/netip"
	"reflect"
	"time"
)

// filler makes random values. With empties, pointers, slices and maps may be nil, and enums zero.
type filler struct {
	*rand.Rand
	empties bool
}

var texts = []string{"", "a", "low", "x/y~z", "<&>\u2028", "\"q\"\\", "\u00e4\U0001f600"}

// known fills the types that do not take every value.
func (r *filler) known(v reflect.Value) bool {
	pick := func(n int) int {
		if r.empties {
			return r.Intn(n)
		}
		return 1 + r.Intn(n-1)
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(r.Int63n(1<<34), r.Int63n(1e9)).UTC()))
	case netip.Addr:
		v.Set(reflect.ValueOf([]netip.Addr{{}, netip.IPv6Loopback(), netip.MustParseAddr("192.0.2.1")}[pick(3)]))
	case json.RawMessage:
		v.SetBytes([]byte([]string{`null`, `{"a":[1,2]}`, `[1,"<"]`, `2.50`}[r.Intn(4)]))
	case json.Number:
		v.SetString([]string{"", "1", "-2.5e3", "0.10"}[pick(4)])
	case Level:
		v.SetString([]string{"", "low", "high"}[pick(3)])
	case Rank:
		v.SetInt(int64(pick(4)))
	case Tone:
		v.SetString([]string{"", "soft", "loud"}[pick(3)])
	case Shade:
		v.SetInt(int64(pick(3)))
	case Grade:
		v.SetString([]string{"", "good", "poor"}[pick(3)])
	case Word:
		v.Set(reflect.ValueOf(Word{texts[r.Intn(len(texts))]}))
	case Far:
		v.Set(reflect.ValueOf(Far{texts[r.Intn(len(texts))]}))
	case Code:
		v.Set(reflect.ValueOf(Code{texts[r.Intn(len(texts))]}))
	case Money:
		v.Set(reflect.ValueOf(Money{r.Int63n(1000)}))
	case Limits:
		r.limits(v.Addr().Interface().(*Limits))
	default:
		return false
	}
	return true
}

// limits makes a value within the limits of its tags.
func (r *filler) limits(v *Limits) {
	*v = Limits{N: r.Intn(13) - 3, F: []float64{0.1, 0.2, 0.3, 1.1, 2.4}[r.Intn(5)], S: []string{"a", "abcd"}[r.Intn(2)],
		A: [2]int8{1, 2}}
	for range 1 + r.Intn(3) {
		v.L = append(v.L, new(1+r.Intn(5)))
	}
	if r.Intn(2) == 0 {
		v.P, v.C, v.M = new(float32(r.Float64()+0.1)), 0.5*float64(1+r.Intn(3)), []float64{1, 0.5}
		p := new(r.Intn(8))
		v.D = &p
	}
}

func (r *filler) fill(v reflect.Value, depth int) {
	if r.known(v) {
		return
	}
	none := r.empties && r.Intn(3) == 0
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range v.Fields() {
			if f.CanSet() {
				r.fill(f, depth+1)
			}
		}
	case reflect.Pointer:
		if !none && depth < 9 || !r.empties && depth < 12 {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		r.list(v, none, depth)
	case reflect.Array:
		for i := range v.Len() {
			r.fill(v.Index(i), depth+1)
		}
	case reflect.Map:
		r.entries(v, none, depth)
	case reflect.Interface:
		v.Set(reflect.ValueOf([]any{1.5, "<x>", []any{nil, true}, map[string]any{"b": 1.0}}[r.Intn(4)]))
	default:
		r.scalar(v)
	}
}

func (r *filler) list(v reflect.Value, none bool, depth int) {
	if none {
		return
	}
	n := r.Intn(3)
	if depth > 7 {
		n = 0
	}
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	for i := range n {
		r.fill(v.Index(i), depth+1)
	}
}

func (r *filler) entries(v reflect.Value, none bool, depth int) {
	if none {
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for range r.Intn(3) {
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if depth > 7 {
			break
		}
		r.fill(k, depth+1)
		r.fill(e, depth+1)
		v.SetMapIndex(k, e)
	}
}

func (r *filler) scalar(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[r.Intn(len(texts))])
	case reflect.Bool:
		v.SetBool(r.Intn(2) == 0)
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, 1, -1.5, 1e21, 1e-7, 0.1, r.NormFloat64()}[r.Intn(7)])
		if v.Kind() == reflect.Float32 {
			v.SetFloat(float64(float32(v.Float())))
		}
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, math.MaxInt8, math.MinInt8, math.MaxInt64,
			math.MinInt64}[r.Intn(min(7, 4+v.Type().Bits()/8))])
	default:
		v.SetUint([]uint64{0, 1, math.MaxUint8, math.MaxUint64}[r.Intn(min(4, 2+v.Type().Bits()/8))])
	}
}
