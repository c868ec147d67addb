package jsonschema

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Rational reads a JSON number exactly.
func Rational(text string) (*big.Rat, bool) {
	var n json.Number
	if json.Unmarshal([]byte(text), &n) != nil || !json.Valid([]byte(text)) || text != strings.TrimSpace(text) ||
		text[0] == '"' || text == "null" {
		return nil, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if tiny := f == 0 && strings.ContainsAny(Mantissa(text), "123456789"); err != nil || tiny || len(text) > 64 {
		return nil, false // an exponent without bounds would be written out
	}
	return new(big.Rat).SetString(text)
}

// Mantissa is the part of a number before its exponent.
func Mantissa(text string) string {
	before, _, _ := strings.Cut(strings.ToLower(text), "e")
	return before
}

// CompareNumbers compares two numbers of a tag.
func CompareNumbers(x, y string) (order int, ok bool) {
	a, aok := Rational(x)
	b, bok := Rational(y)
	if !aok || !bok {
		return 0, false
	}
	return a.Cmp(b), true
}
