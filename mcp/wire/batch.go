package wire

// MaxBatch is the largest number of elements that SplitBatch accepts. The response to an element may be many times as
// large as the element, so a limit on the size of the text is not enough.
const MaxBatch = 4096

// IsBatch reports whether text begins like a JSON-RPC batch, an array.
func IsBatch(text []byte) bool { return KindOf(text) == KindArray }

// SplitBatch checks a text and returns the elements of its top-level array. The elements alias the text. They need not
// be messages: ParseChecked finds out. Text that Check refuses is a CodeParse error; something else than an array, an
// empty array and more than MaxBatch elements are a CodeInvalidRequest error.
func SplitBatch(text []byte, l Limits) ([][]byte, *Error) {
	if e := check(text, l); e != nil {
		return nil, parseError(e)
	}
	d := NewDecoder(text)
	if d.Kind() != KindArray || !d.Array() {
		return nil, invalid("a batch must be an array")
	}
	var list [][]byte
	for d.More() {
		if len(list) == MaxBatch {
			return nil, invalid("too many messages in a batch")
		}
		list = append(list, d.Raw())
	}
	if len(list) == 0 {
		return nil, invalid("an empty batch")
	}
	return list, nil
}
