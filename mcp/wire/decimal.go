package wire

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"
)

// decimal is the exact value of a number's text: digits × 10^exp. No digit is lost, and no work or memory grows with
// the exponent. The zero decimal is 0.
type decimal struct {
	// text has the digits, perhaps with a point among them. Neither the first nor the last of them is 0.
	text string
	// n is the number of digits, and exp the exponent of the last one.
	n, exp int64
	neg    bool
}

// maxExponent is the largest exponent; a larger one is read as this one. No text is long enough for the difference to
// matter.
const maxExponent = 1 << 40

// decimalOf reads a decimal number: that of JSON, and the forms .5, 5. and +5 that Go takes too.
func decimalOf(s string) decimal {
	var d decimal
	if s != "" && (s[0] == '-' || s[0] == '+') {
		d.neg = s[0] == '-'
		s = s[1:]
	}
	if e := strings.IndexAny(s, "eE"); e >= 0 {
		d.exp = exponent(s[e+1:])
		s = s[:e]
	}
	if point := strings.IndexByte(s, '.'); point >= 0 {
		d.exp -= int64(len(s) - point - 1)
	}
	s = strings.TrimLeft(s, "0.")
	for s != "" && (s[len(s)-1] == '0' || s[len(s)-1] == '.') {
		if s[len(s)-1] == '0' {
			d.exp++
		}
		s = s[:len(s)-1]
	}
	if s == "" {
		return decimal{}
	}
	d.text, d.n = s, int64(len(s))
	if strings.IndexByte(s, '.') >= 0 {
		d.n--
	}
	return d
}

// decimalIn is decimalOf for a part of a message, which it aliases.
func decimalIn(raw []byte) decimal {
	return decimalOf(unsafe.String(unsafe.SliceData(raw), len(raw))) //nolint:gosec // read only, and not kept
}

// exponent reads an exponent up to maxExponent.
func exponent(s string) (n int64) {
	neg := s != "" && s[0] == '-'
	for i := range len(s) {
		if c := s[i]; isDigit(c) && n < maxExponent {
			n = n*10 + int64(c-'0')
		}
	}
	if n = min(n, maxExponent); neg {
		return -n
	}
	return n
}

// isWhole reports whether d has no fraction.
func (d *decimal) isWhole() bool { return d.exp >= 0 }

// magnitude is where the first digit stands: 1 for those from 1 to 9, 0 for 0.5.
func (d *decimal) magnitude() int64 { return d.n + d.exp }

// uint64 returns the absolute value of a whole number, unless it needs more than 64 bits.
func (d *decimal) uint64() (u uint64, ok bool) {
	if !d.isWhole() || d.magnitude() > 20 {
		return 0, false
	}
	add := func(digit uint64) {
		high, low := bits.Mul64(u, 10)
		sum, carry := bits.Add64(low, digit, 0)
		ok = ok && high+carry == 0
		u = sum
	}
	ok = true
	for i := range len(d.text) {
		if d.text[i] != '.' {
			add(uint64(d.text[i] - '0'))
		}
	}
	for range d.exp {
		add(0)
	}
	return u, ok
}

// int64 returns the value of a whole number, unless it needs more than 64 bits.
func (d *decimal) int64() (n int64, ok bool) {
	u, ok := d.uint64()
	switch {
	case !ok:
		return 0, false
	case d.neg && u <= 1<<63:
		return -int64(u), true
	case !d.neg && u <= math.MaxInt64:
		return int64(u), true
	}
	return 0, false
}

// compare returns -1 if d is less than o, 0 if they are equal, else 1.
func (d *decimal) compare(o *decimal) int {
	sign := 1
	if d.neg {
		sign = -1
	}
	switch {
	case d.n == 0 && o.n == 0:
		return 0
	case d.n == 0 || o.n > 0 && d.neg != o.neg:
		if d.n == 0 {
			sign = 1
			if !o.neg {
				sign = -1
			}
		}
		return sign
	case o.n == 0:
		return sign
	case d.magnitude() != o.magnitude():
		if d.magnitude() < o.magnitude() {
			return -sign
		}
		return sign
	}
	return sign * compareDigits(d.text, o.text)
}

// compareDigits compares two numbers whose first digits stand in the same place: -1 if a is less than b, 0 if they are
// equal, else 1.
func compareDigits(a, b string) int {
	for i, k := 0, 0; ; i, k = i+1, k+1 {
		if i < len(a) && a[i] == '.' {
			i++
		}
		if k < len(b) && b[k] == '.' {
			k++
		}
		switch {
		case i == len(a) && k == len(b):
			return 0
		case i == len(a) || k < len(b) && a[i] < b[k]:
			return -1
		case k == len(b) || a[i] > b[k]:
			return 1
		}
	}
}

// multipleOf reports whether d is o times a whole number. It is false if the digits of o, without zeros at the end, do
// not fit 64 bits, unless d is 0.
func (d *decimal) multipleOf(o *decimal) bool {
	unit := decimal{text: o.text, n: o.n}
	n, ok := unit.uint64()
	switch {
	case d.n == 0:
		return true
	case !ok || n == 0 || d.exp < o.exp: // the last digit of d is not 0, so no power of ten divides d
		return false
	}
	rest := uint64(0)
	for i := range len(d.text) {
		if c := d.text[i]; c != '.' {
			rest = addMod(mulMod(rest, 10, n), uint64(c-'0')%n, n)
		}
	}
	return mulMod(rest, powMod(d.exp-o.exp, n), n) == 0
}

func addMod(a, b, n uint64) uint64 {
	if a >= n-b {
		return a - (n - b)
	}
	return a + b
}

func mulMod(a, b, n uint64) uint64 {
	high, low := bits.Mul64(a%n, b%n)
	_, rest := bits.Div64(high, low, n)
	return rest
}

// powMod returns the remainder of 10^e divided by n.
func powMod(e int64, n uint64) uint64 {
	result, square := 1%n, 10%n
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			result = mulMod(result, square, n)
		}
		square = mulMod(square, square, n)
	}
	return result
}

// CompareNumbers compares two decimal numbers by their texts, without losing digits: -1 if a is less than b, 0 if they
// are equal, else 1. For texts that are not numbers the result means nothing.
func CompareNumbers(a, b string) int {
	x, y := decimalOf(a), decimalOf(b)
	return x.compare(&y)
}

// PlainNumber returns a number without a fraction and an exponent if it needs none and 64 bits hold it: 10 for 1e1 and
// 10.0. Other texts are returned as they are.
func PlainNumber(s string) string {
	d := decimalOf(s)
	u, ok := d.uint64()
	switch {
	case !ok:
		return s
	case d.neg:
		return "-" + strconv.FormatUint(u, 10)
	}
	return strconv.FormatUint(u, 10)
}

// Compare compares the number that was read last with a limit as [CompareNumbers] does. It uses the text, because 0.1
// and 0.10000000000000001 are the same float64 but different numbers.
func (d *Decoder) Compare(limit string) int {
	x, y := d.lastNumber(), decimalOf(limit)
	return x.compare(&y)
}

// MultipleOf reports whether the number that was read last is a multiple of n.
func (d *Decoder) MultipleOf(n string) bool {
	x, y := d.lastNumber(), decimalOf(n)
	return x.multipleOf(&y)
}

// NumberOf notes a mistake unless the number that was read last is one of values.
func (d *Decoder) NumberOf(values ...string) {
	x := d.lastNumber()
	for _, value := range values {
		if y := decimalOf(value); x.compare(&y) == 0 {
			return
		}
	}
	d.Must(false, "must be one of "+strings.Join(values, ", "))
}

// lastNumber returns the number that ends where d stands; 0 if there is none.
func (d *Decoder) lastNumber() decimal {
	from := d.pos
	for from > 0 && isNumberByte(d.text[from-1]) {
		from--
	}
	return decimalIn(d.text[from:d.pos])
}

func isNumberByte(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || c|0x20 == 'e'
}
