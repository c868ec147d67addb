package relay

import (
	"encoding/binary"
	"errors"
)

// Limits of a frame. A bus has to carry frames of 1 MiB.
const (
	maxBatch     = 64        // signals
	maxBatchText = 64 << 10  // bytes of their texts
	maxText      = 16 << 10  // bytes of one text; a signal with a longer text counts as lost
	maxFrame     = 1 << 20   // bytes of a sealed frame; longer ones are dropped
	maxPayload   = 768 << 10 // bytes of the payload of a directed frame
)

// frameVersion is the first byte of a frame. A replica that gets a frame of another version cannot read it, and
// resyncs. So releases add new fields at the end without a new version. Older releases ignore the end of a frame, and
// replicas of two releases can run side by side.
const frameVersion = 1

// The bits of the second byte of a frame.
const (
	flagBeat   = 1 << iota // it says which peers its sender hears
	flagBye                // the last frame of its sender
	flagDirect             // for one replica; it has no sequence number
	flagPart               // of a beat: it does not list all peers that its sender hears
	flagAsks               // of a beat: its sender is not ready, and asks the others to list it
	flagFenced             // of a beat: its sender is fenced
)

// errFrame is the error of a frame that can be opened, but has a form that this release does not know.
var errFrame = errors.New("relay: unknown form of a frame")

// origin is the random id of a replica, from its start to its end.
type origin [16]byte

// frame is a message of one replica to the others, or to one of them.
type frame struct {
	from       origin
	flags      byte
	epoch, seq uint64
	lists      Lists
	signals    []Signal

	// Of a beat.

	digests Digests
	heard   []origin // the peers that its sender hears itself; not all of them with flagPart
	// In the binary form, clock, age and heardAgo follow the signals, and older releases ignore them. Without them, clock
	// and age are zero.
	clock uint64 // Unix milliseconds of its sender, never 0
	age   uint64 // milliseconds since its sender began
	// heardAgo says how many milliseconds ago each peer in heard was heard, in the same order; empty in frames of older
	// releases.
	heardAgo []uint64

	// Of a directed frame.

	to      origin
	payload []byte
}

// appendTo appends the binary form of f.
func (f *frame) appendTo(b []byte) []byte {
	b = append(append(b, frameVersion, f.flags), f.from[:]...)
	if f.flags&flagDirect != 0 {
		return append(append(b, f.to[:]...), f.payload...)
	}
	b = binary.AppendUvarint(b, f.epoch)
	b = binary.AppendUvarint(b, f.seq)
	b = binary.AppendUvarint(b, uint64(f.lists))
	if f.flags&flagBeat != 0 {
		b = binary.BigEndian.AppendUint64(b, f.digests.Declared)
		b = binary.BigEndian.AppendUint64(b, f.digests.Added)
		b = binary.AppendUvarint(b, uint64(len(f.heard)))
		for i := range f.heard {
			b = append(b, f.heard[i][:]...)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(f.signals)))
	for _, s := range f.signals {
		b = binary.AppendUvarint(append(b, byte(s.Kind)), uint64(len(s.Text)))
		b = append(b, s.Text...)
	}
	if f.flags&flagBeat != 0 && f.clock != 0 {
		b = binary.AppendUvarint(binary.AppendUvarint(b, f.clock), f.age)
		for _, ago := range f.heardAgo {
			b = binary.AppendUvarint(b, ago)
		}
	}
	return b
}

// parse reads the binary form of a frame. It ignores bytes after the known fields, because later releases may add
// fields. f.payload shares the memory of b.
func parse(b []byte) (f frame, err error) {
	r := reader{b: b}
	if r.byte() != frameVersion {
		return f, errFrame
	}
	f.flags = r.byte()
	f.from = r.origin()
	if f.flags&flagDirect != 0 {
		f.to, f.payload = r.origin(), r.b
		return f, r.err
	}
	f.epoch, f.seq, f.lists = r.uvarint(), r.uvarint(), Lists(r.uvarint())
	if f.flags&flagBeat != 0 {
		f.digests = Digests{Declared: r.uint64(), Added: r.uint64()}
		for n := r.count(maxPeers); n > 0 && r.err == nil; n-- {
			f.heard = append(f.heard, r.origin())
		}
	}
	for n := r.count(maxBatch); n > 0 && r.err == nil; n-- {
		f.signals = append(f.signals, Signal{Kind(r.byte()), string(r.take(r.count(maxText)))})
	}
	if f.flags&flagBeat != 0 && len(r.b) > 0 {
		if f.clock, f.age = r.uvarint(), r.uvarint(); f.clock == 0 {
			r.err = errFrame
		}
		for range len(f.heard) * min(len(r.b), 1) {
			f.heardAgo = append(f.heardAgo, r.uvarint())
		}
	}
	if f.epoch == 0 || f.seq == 0 {
		return f, errFrame
	}
	return f, r.err
}

// reader reads the values of a frame one after the other. After an error it returns only zero values.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int) []byte {
	if r.err != nil || len(r.b) < n {
		r.err = errFrame
		return nil
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) origin() (o origin) {
	copy(o[:], r.take(len(o)))
	return o
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	x, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.err = errFrame
		return 0
	}
	r.b = r.b[n:]
	return x
}

// count reads a length. A length greater than limit is an error.
func (r *reader) count(limit int) int {
	x := r.uvarint()
	if x > uint64(limit) {
		r.err = errFrame
		return 0
	}
	return int(x)
}
