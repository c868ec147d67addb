package wire

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// fewNames is how many names of an object are compared with each new one. If an object has more, its names are hashed.
const fewNames = 16

// maxIdleNames is the most names whose memory is kept for the next message: 12 bytes for each, and about as much for
// the table. The pool that has this memory frees it if it is unused for a while.
const maxIdleNames = 1 << 17

// nameSet finds duplicate names in all objects that are open at one time. It is a stack of names, innermost object
// last, with one hash table over those of the larger objects.
//
// The table uses open addressing with linear probing. Names are removed in the reverse order of their insertion, so
// removing the latest one restores the table as it was before it. So there are no tombstones and no sweep, and the cost
// grows no faster than the text, whether large objects are side by side or nested.
type nameSet struct {
	text   []byte
	list   []name
	plain  []byte   // unescaped names that had escapes
	table  []uint32 // see entry; the length is a power of two
	hashed int      // entries in the table
	width  int      // bits of an entry that hold the index
}

// entry returns the table entry of list[i]. The lower bits have the index plus one. The other bits, as many as the size
// of the text leaves free, have a part of the hash, so that a search seldom compares with a wrong name. Zero is a free
// entry.
func (s *nameSet) entry(hash uint32, i int) uint32 {
	return hash&^(1<<s.width-1) | uint32(i+1)
}

func (s *nameSet) index(entry uint32) int { return int(entry&(1<<s.width-1)) - 1 }

// begin makes s ready for a text. A name and what must follow it take at least four bytes, so the length of the text
// bounds the indexes, and width is chosen for the largest.
func (s *nameSet) begin(text []byte) {
	s.text, s.width = text, bits.Len(uint(len(text)/4+2))
}

// name is the place of a name in the text, or in nameSet.plain. The top bits of off and n are marks: see inPlain and
// inTable. hash is set for names in the table, so that a growing table need not read the names again.
type name struct{ off, n, hash uint32 }

const (
	inPlain = 1 << 31 // in n: the place is in nameSet.plain
	inTable = 1 << 31 // in off: the name is in the table
)

// scope is the part of a nameSet that belongs to one open object.
type scope struct {
	first  uint32 // index of its first name
	plain  uint32 // length of nameSet.plain when it was opened
	hashed bool   // whether its names are in the table
}

// The seed makes it impossible to choose names that collide.
var nameSeed = maphash.MakeSeed()

func (s *nameSet) open() scope {
	return scope{first: uint32(len(s.list)), plain: uint32(len(s.plain))}
}

// close forgets the names of the innermost open object.
func (s *nameSet) close(sc scope) {
	if sc.hashed {
		s.forget(int(sc.first))
	}
	s.list = s.list[:sc.first]
	s.plain = s.plain[:sc.plain]
}

// forget removes list[first:] from the table. If nothing else is in the table, and it is not too large for that, forget
// clears it at once.
func (s *nameSet) forget(first int) {
	if own := len(s.list) - first; s.hashed <= own && len(s.table) <= 16*own {
		clear(s.table)
		s.hashed = 0
		return
	}
	for i := len(s.list) - 1; i >= first; i-- {
		s.remove(i)
	}
}

// reset forgets the text, and frees memory that is too large to keep. No object may be open.
func (s *nameSet) reset() {
	s.text = nil
	if cap(s.list) > maxIdleNames || cap(s.plain) > 8*maxIdle {
		*s = nameSet{}
	}
}

// add adds the name text[start:end] to the innermost open object, whose scope is sc. It returns false if the object has
// the name already.
func (s *nameSet) add(sc *scope, start, end int, escaped bool) bool {
	nm := name{off: uint32(start), n: uint32(end - start)}
	if escaped {
		off := len(s.plain)
		s.plain = appendUnescaped(s.plain, s.text[start:end])
		nm = name{off: uint32(off), n: uint32(len(s.plain)-off) | inPlain}
	}
	own := s.list[sc.first:]
	if len(own) < fewNames {
		if s.among(own, nm) {
			return false
		}
		s.list = append(s.list, nm)
		return true
	}
	if !sc.hashed {
		sc.hashed = true
		s.grow(len(own))
		for i := range own {
			s.insert(int(sc.first)+i, sc.first)
		}
	}
	if len(s.list) == cap(s.list) {
		s.list = slices.Grow(s.list, len(s.list)/2+1)
	}
	s.list = append(s.list, nm)
	s.grow(1)
	return s.insert(len(s.list)-1, sc.first)
}

func (s *nameSet) among(own []name, nm name) bool {
	b := s.bytes(nm)
	for _, o := range own {
		if o.n&^inPlain == uint32(len(b)) && string(s.bytes(o)) == string(b) {
			return true
		}
	}
	return false
}

func (s *nameSet) bytes(nm name) []byte {
	off := nm.off &^ inTable
	if nm.n&inPlain != 0 {
		return s.plain[off:][:nm.n&^inPlain]
	}
	return s.text[off:][:nm.n]
}

func (s *nameSet) slot(hash uint32) int { return int(hash) & (len(s.table) - 1) }

// insert puts list[i] into the table. It returns false, and leaves the table alone, if the same object has an equal
// name. The names of the object begin at list[first].
func (s *nameSet) insert(i int, first uint32) bool {
	nm := &s.list[i]
	nm.hash = uint32(maphash.Bytes(nameSeed, s.bytes(*nm)))
	at, want := s.slot(nm.hash), s.entry(nm.hash, i)
	for s.table[at] != 0 {
		if (s.table[at]^want)>>s.width == 0 {
			j := s.index(s.table[at])
			if j >= int(first) && string(s.bytes(s.list[j])) == string(s.bytes(*nm)) {
				return false
			}
		}
		at = (at + 1) & (len(s.table) - 1)
	}
	s.put(at, want, i)
	return true
}

func (s *nameSet) put(at int, entry uint32, i int) {
	s.table[at] = entry
	s.list[i].off |= inTable
	s.hashed++
}

// remove takes list[i] out of the table. It must be the latest entry. remove does nothing for a duplicate name, which
// never came into the table.
func (s *nameSet) remove(i int) {
	if s.list[i].off&inTable == 0 {
		return
	}
	at := s.slot(s.list[i].hash)
	for s.index(s.table[at]) != i {
		at = (at + 1) & (len(s.table) - 1)
	}
	s.table[at] = 0
	s.hashed--
}

// grow makes room for n more entries and keeps a quarter of the table free. It inserts the entries in their original
// order again, which remove depends on.
func (s *nameSet) grow(n int) {
	need := (s.hashed + n) * 4 / 3
	if need < len(s.table) {
		return
	}
	size := max(64, len(s.table))
	for size <= need {
		size *= 2
	}
	s.table, s.hashed = make([]uint32, size), 0
	for i, nm := range s.list {
		if nm.off&inTable == 0 {
			continue
		}
		at := s.slot(nm.hash)
		for s.table[at] != 0 {
			at = (at + 1) & (len(s.table) - 1)
		}
		s.put(at, s.entry(nm.hash, i), i)
	}
}
