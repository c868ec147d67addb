package wire

import (
	"math"
	"testing"
	"time"
)

type level string

func decodeOne[T any](text string, read func(*Decoder) T) (T, string) {
	d := NewDecoder([]byte(text))
	v := read(&d)
	if err := d.Err(); err != nil {
		return v, err.Error()
	}
	return v, ""
}

func checkOne[T comparable](t *testing.T, text string, read func(*Decoder) T, want T, wantErr string) {
	t.Helper()
	got, err := decodeOne(text, read)
	if got != want || err != wantErr {
		t.Errorf("%s: got %v, %q, want %v, %q", text, got, err, want, wantErr)
	}
}

func TestIntHoldsExactlyTheRangeOfItsType(t *testing.T) {
	checkOne(t, "127", Int[int8], 127, "")
	checkOne(t, "-128", Int[int8], -128, "")
	checkOne(t, "128", Int[int8], 0, "is out of range")
	checkOne(t, "1e2", Int[uint8], 100, "")
	checkOne(t, "256", Int[uint8], 0, "is out of range")
	checkOne(t, "-1", Int[uint64], 0, "is out of range")
	checkOne(t, "18446744073709551615", Int[uint64], math.MaxUint64, "")
	checkOne(t, "18446744073709551616", Int[uint64], 0, "is out of range")
	checkOne(t, "9223372036854775808", Int[int64], 0, "is out of range")
	checkOne(t, "9223372036854775808", Int[uint32], 0, "is out of range")
	checkOne(t, "1.5", Int[int], 0, "must be an integer")
	checkOne(t, `"1"`, Int[int], 0, "must be an integer")
	checkOne(t, "5", Int[time.Duration], 5, "")
}

func TestFloatRefusesWhatItsTypeCannotHold(t *testing.T) {
	checkOne(t, "1e39", Float[float64], 1e39, "")
	checkOne(t, "1e39", Float[float32], 0, "is out of range")
	checkOne(t, "true", Float[float32], 0, "must be a number")
}

func TestEnumNamesTheValues(t *testing.T) {
	read := func(d *Decoder) level { return Enum[level](d, "low", "high") }
	checkOne(t, `"h\u0069gh"`, read, "high", "")
	checkOne(t, `"High"`, read, "", "must be one of low, high")
	checkOne(t, "1", read, "", "must be a string")
}

func TestJSONKeepsThePointer(t *testing.T) {
	d := NewDecoder([]byte(`{"when":"yesterday"}`))
	var when time.Time
	for d.Object(); d.Next(); {
		d.JSON(&when)
	}
	if e, ok := d.Err().(*DecodeError); !ok || e.Pointer != "/when" {
		t.Errorf("error %v, want one about /when", d.Err())
	}
	got, err := decodeOne(`"2026-01-02T03:04:05Z"`, func(d *Decoder) (v time.Time) { d.JSON(&v); return v })
	if err != "" || got.Day() != 2 {
		t.Errorf("got %v, %q", got, err)
	}
}

func TestAppendParamAndSegmentBut(t *testing.T) {
	b := AppendParam([]byte("a:///x"), "q", "1&2?")
	b = AppendParam(b, "r", "")
	if got, want := string(b), "a:///x?q=1%262%3F&r="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := string(AppendSegmentBut(nil, "a.b-c/", ".")), "a%2Eb-c%2F"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := string(AppendSegment(nil, "a.b")), "a.b"; got != want {
		t.Errorf("AppendSegmentBut has changed the set of AppendSegment: got %s, want %s", got, want)
	}
}

func TestEachOf(t *testing.T) {
	type grade uint8
	for text, want := range map[string]string{
		`""`: "", `"AQI="`: "", `"AQM="`: "must have bytes that are one of 1, 2",
	} {
		d := NewDecoder([]byte(text))
		EachOf(&d, Base64[[]grade](&d), 1, 2)
		got := ""
		if err := d.Err(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
