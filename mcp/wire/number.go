package wire

import (
	"math"
	"strconv"
)

// parseInt reads digits, perhaps after a minus sign. ok is false for any other text, and if an int64 cannot hold the
// number.
func parseInt(raw []byte) (n int64, ok bool) {
	digits := raw
	neg := len(raw) > 0 && raw[0] == '-'
	if neg {
		digits = raw[1:]
	}
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	var u uint64
	for _, c := range digits {
		if !isDigit(c) {
			return 0, false
		}
		u = u*10 + uint64(c-'0')
	}
	switch {
	case neg && u <= 1<<63:
		return -int64(u), true
	case !neg && u <= math.MaxInt64:
		return int64(u), true
	}
	return 0, false
}

// pow10 holds the powers of ten that a float64 represents exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// parseFloat reads a number of checked JSON; false if it is too large for a float64, or if raw is not a number at all.
// Nearly all numbers have up to 15 digits and no exponent: they are the quotient of two exact float64, and need no
// allocation.
func parseFloat(raw []byte) (float64, bool) {
	var u uint64
	digits, fraction := 0, -1
	for i, c := range raw {
		switch {
		case isDigit(c):
			u = u*10 + uint64(c-'0')
			digits++
		case c == '.' && fraction < 0:
			fraction = digits
		case c == '-' && i == 0:
		default:
			return slowFloat(raw)
		}
		if digits > 15 {
			return slowFloat(raw)
		}
	}
	if digits == 0 {
		return 0, false
	}
	f := float64(u)
	if fraction >= 0 {
		f /= pow10[digits-fraction]
	}
	if raw[0] == '-' {
		f = -f
	}
	return f, true
}

func slowFloat(raw []byte) (float64, bool) {
	if scanNumber(raw, 0) != len(raw) {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil
}

// wholeNumber reads an integer, which may be written with a fraction or an exponent, such as 10.0 or 1e3. whole says
// that raw is an integer, and fits says that an int64 can hold it.
func wholeNumber(raw []byte) (n int64, whole, fits bool) {
	if n, ok := parseInt(raw); ok {
		return n, true, true
	}
	d := decimalIn(raw)
	if scanNumber(raw, 0) != len(raw) || !d.isWhole() {
		return 0, false, false
	}
	n, fits = d.int64()
	return n, true, fits
}
