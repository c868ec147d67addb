package wire

import (
	"slices"
	"strings"
)

// maxFaults is how many mistakes a collecting Decoder notes before it gives up.
const maxFaults = 32

// maxFaultText bounds the text about all mistakes in bytes, since parts of it come from the peer.
const maxFaultText = 4 << 10

// DecodeErrors are all mistakes in a text, in the order in which they were found.
type DecodeErrors struct {
	List []DecodeError
	// More says that there were more than 32 mistakes, and List has only the first 32.
	More bool
}

// Error implements error. Mistakes are separated by semicolons; a very long text is cut.
func (e *DecodeErrors) Error() string {
	var b strings.Builder
	more := e.More
	for i := range e.List {
		text := e.List[i].Error()
		if i > 0 && b.Len()+len(text) > maxFaultText {
			more = true
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(text)
	}
	if more {
		b.WriteString("; and more")
	}
	return b.String()
}

// maxAliased is the longest text, in bytes, that decoded strings may share memory with. A program that keeps one of the
// strings keeps the whole text.
const maxAliased = 512

// Collect makes d a Decoder for the value in text that continues after mistakes. A wrong value is skipped and reads as
// zero, and Err returns all mistakes as [DecodeErrors]. Check must have accepted text. Loops must have the form
//
//	for d.Object(); d.Next(); {
//
// which does nothing if there is no object. text must not be changed any more, because strings of a short text are part
// of it.
func (d *Decoder) Collect(text []byte) {
	*d = Decoder{text: text, faults: d.faults[:0], due: true, collects: true, aliases: len(text) <= maxAliased}
}

// note is fail for a Decoder that collects.
func (d *Decoder) note(at int, reason string) {
	if d.bad {
		return
	}
	d.bad = true
	d.add(DecodeError{Pointer: pointerAt(d.text, at), Reason: reason})
	if d.due {
		d.Skip()
	}
}

func (d *Decoder) add(e DecodeError) {
	if len(d.faults) == maxFaults {
		d.err = &DecodeError{Reason: "there are more mistakes"}
		return
	}
	d.faults = append(d.faults, e)
}

// collected returns the mistakes that were noted, a *DecodeErrors; nil if there are none.
func (d *Decoder) collected() error {
	if len(d.faults) == 0 {
		return nil
	}
	return &DecodeErrors{List: slices.Clone(d.faults), More: d.err != nil}
}

// Must notes a mistake about the value that was read last if ok is false. But it notes none if the value could not be
// read, because then there is a mistake about it already.
func (d *Decoder) Must(ok bool, reason string) {
	switch {
	case ok || d.err != nil || d.bad:
	case d.collects:
		d.add(DecodeError{Pointer: pointerAt(d.text, d.here()), Reason: reason})
	default:
		d.fail(d.here(), reason)
	}
}

// Require notes a mistake for each missing member of the object that was just read to its end. Bit i of seen says that
// the object has names[i].
//
//go:noinline
func (d *Decoder) Require(seen uint64, names ...string) {
	if d.bad {
		return // there was no object
	}
	for i, name := range names {
		if seen&(1<<i) == 0 {
			d.Missing(name)
		}
	}
}
