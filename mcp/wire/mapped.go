package wire

// Mapped reads a value with read, and converts it to a T with parse, a function of the user. If parse fails, clients
// get the public text of its error or, if it has none, refusal; see [Refusal].
func Mapped[B, T any](d *Decoder, read func(*Decoder) B, parse func(B) (T, error), refusal string) (v T) {
	base := read(d)
	if d.bad || d.err != nil {
		return v
	}
	v, err := parse(base)
	if err != nil {
		d.Fail(Refusal(err, refusal))
	}
	return v
}

// Written converts v to a B with format, a function of the user, and writes the B with write. An error of format is a
// mistake that e notes.
func Written[B, T any](e *Encoder, write func(*Encoder, B), format func(T) (B, error), v T) {
	base, err := format(v)
	if err != nil {
		e.fail(err)
	}
	write(e, base)
}
