package pubsub

import (
	"hash/maphash"
	"iter"
	"sync/atomic"
)

// numTables is the number of tables over which the topics are spread. Each table grows separately, so that no
// subscription has to wait until all topics are moved.
const numTables = 64

// topics has the topics with subscribers, except lists, by their keys. Only empty and the methods for hashes and keys
// may be called without Hub.mu.
type topics struct {
	seeds  [2]maphash.Seed
	count  atomic.Int64
	tables [numTables]topicTable
}

// topicTable is a hash table with a part of the topics. Unless it is small, the number of topics is between half and
// twice the number of buckets.
type topicTable struct {
	buckets []*topic // the first topic of each bucket; the number of buckets is a power of two
	count   int
}

// minBuckets is the least number of buckets.
const minBuckets = 4

// newSeeds returns the seeds of a registry.
func newSeeds() [2]maphash.Seed { return [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()} }

// hash returns the field text of the keys of a resource, which is enough to find its topics. hashString does so for a
// string.
func (m *topics) hash(text []byte) uint64 { return maphash.Bytes(m.seeds[0], text) }

func (m *topics) hashString(text string) uint64 { return maphash.String(m.seeds[0], text) }

// keyOf returns the key of a resource.
func (m *topics) keyOf(resource int, text []byte) key {
	check := maphash.Bytes(m.seeds[1], text)
	return key{text: m.hash(text), check: check, resource: int32(resource)}
}

// empty reports whether there are no topics. It takes no lock.
func (m *topics) empty() bool { return m.count.Load() == 0 }

// table returns the table of keys with this hash.
func (m *topics) table(hash uint64) *topicTable { return &m.tables[hash%numTables] }

// bucket returns the bucket of keys with this hash. The table must have buckets.
func (b *topicTable) bucket(hash uint64) **topic {
	return &b.buckets[hash/numTables&uint64(len(b.buckets)-1)]
}

// first returns the first topic of the bucket of keys with this hash; nil if there is none.
func (m *topics) first(hash uint64) *topic {
	b := m.table(hash)
	if len(b.buckets) == 0 {
		return nil
	}
	return *b.bucket(hash)
}

// find returns the topic of k; nil if there is none.
func (m *topics) find(k key) *topic {
	for t := m.first(k.text); t != nil; t = t.next {
		if t.key() == k {
			return t
		}
	}
	return nil
}

// insert adds a topic for k and returns it. There must be none for k yet.
func (m *topics) insert(k key) *topic {
	t := &topic{text: k.text, check: k.check, resource: k.resource}
	b := m.table(k.text)
	if b.count++; b.count > 2*len(b.buckets) {
		b.resize(max(minBuckets, 2*len(b.buckets)))
	}
	b.put(t)
	m.count.Add(1)
	return t
}

// remove removes t. It does nothing if t is not in m.
func (m *topics) remove(t *topic) {
	b := m.table(t.text)
	if len(b.buckets) == 0 {
		return
	}
	for at := b.bucket(t.text); *at != nil; at = &(*at).next {
		if *at != t {
			continue
		}
		*at, t.next = t.next, nil
		m.count.Add(-1)
		if b.count--; b.count == 0 {
			b.buckets = nil
		} else if n := len(b.buckets); n > minBuckets && b.count < n/2 {
			b.resize(n / 2)
		}
		return
	}
}

// put adds t at the front of its bucket.
func (b *topicTable) put(t *topic) {
	at := b.bucket(t.text)
	t.next, *at = *at, t
}

// resize moves the topics of b to n buckets.
func (b *topicTable) resize(n int) {
	old := b.buckets
	b.buckets = make([]*topic, n)
	for _, t := range old {
		for t != nil {
			next := t.next
			b.put(t)
			t = next
		}
	}
}

// all returns a sequence of all topics.
func (m *topics) all() iter.Seq[*topic] {
	return func(yield func(*topic) bool) {
		for i := range m.tables {
			for _, t := range m.tables[i].buckets {
				for ; t != nil; t = t.next {
					if !yield(t) {
						return
					}
				}
			}
		}
	}
}
