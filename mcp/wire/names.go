package wire

import "hash/maphash"

// fewNames is the number of names up to which an object's duplicates are looked for one by one. Beyond it they are hashed.
const fewNames = 16

// nameSet finds duplicate names in all objects that are open at one time. It is a stack of names, innermost object last,
// with one hash table over those of the larger objects.
//
// The table uses open addressing with linear probing and names leave it in the reverse order of their coming. Taking the
// latest entry out leaves exactly the table from before it came, so deletion needs neither tombstones nor a sweep, and
// neither many large objects side by side nor one inside another can make the cost grow faster than the text.
type nameSet struct {
	text   []byte
	list   []name
	plain  []byte   // unescaped names that had escapes
	table  []uint32 // index in list plus one, zero if free; the length is a power of two
	hashed int      // entries in the table
}

// name is a place in the text, or in nameSet.plain. The top bits of both fields are marks, see inPlain and inTable.
type name struct{ off, n uint32 }

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

// forget takes the names from first on out of the table: all at once where that is the cheaper way.
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

// reset is called when nothing is open any more.
func (s *nameSet) reset() {
	s.text = nil
	if cap(s.list) > maxIdle || cap(s.plain) > 8*maxIdle {
		*s = nameSet{}
	}
}

// add notes the name text[from:to] in the innermost open object; false if the object has it already.
func (s *nameSet) add(sc *scope, from, to int, escaped bool) bool {
	nm := name{uint32(from), uint32(to - from)}
	if escaped {
		off := len(s.plain)
		s.plain = appendUnescaped(s.plain, s.text[from:to])
		nm = name{uint32(off), uint32(len(s.plain)-off) | inPlain}
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

func (s *nameSet) slot(b []byte) int {
	return int(maphash.Bytes(nameSeed, b)) & (len(s.table) - 1)
}

// insert puts list[i] into the table unless an equal name of the same object, whose names begin at first, is there.
func (s *nameSet) insert(i int, first uint32) bool {
	b := s.bytes(s.list[i])
	at := s.slot(b)
	for s.table[at] != 0 {
		if j := s.table[at] - 1; j >= first && string(s.bytes(s.list[j])) == string(b) {
			return false
		}
		at = (at + 1) & (len(s.table) - 1)
	}
	s.put(at, i)
	return true
}

func (s *nameSet) put(at, i int) {
	s.table[at] = uint32(i + 1)
	s.list[i].off |= inTable
	s.hashed++
}

// remove takes list[i] out of the table, whose latest entry it must be. A name that was refused is not in it.
func (s *nameSet) remove(i int) {
	if s.list[i].off&inTable == 0 {
		return
	}
	at := s.slot(s.bytes(s.list[i]))
	for s.table[at] != uint32(i+1) {
		at = (at + 1) & (len(s.table) - 1)
	}
	s.table[at] = 0
	s.hashed--
}

// grow makes room for n more entries and keeps the table at most half full. The entries move in the order of the list,
// which is the order in which they came, so that remove stays right.
func (s *nameSet) grow(n int) {
	need := 2 * (s.hashed + n)
	if need <= len(s.table) {
		return
	}
	size := max(64, len(s.table))
	for size < need {
		size *= 2
	}
	s.table, s.hashed = make([]uint32, size), 0
	for i, nm := range s.list {
		if nm.off&inTable == 0 {
			continue
		}
		at := s.slot(s.bytes(nm))
		for s.table[at] != 0 {
			at = (at + 1) & (len(s.table) - 1)
		}
		s.put(at, i)
	}
}
