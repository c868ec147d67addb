package live

import (
	"slices"
	"sort"
)

// blockSize is half the number of items at which a block is cut in two.
const blockSize = 256

// item is a key of an ordered, with its value.
type item[K, V any] struct {
	key   K
	value V
}

// ordered is a map that is sorted by its keys. The items are in blocks, so that an insertion moves only the items of
// one block.
type ordered[K, V any] struct {
	compare func(a, b K) int
	blocks  [][]item[K, V] // none is empty
}

// find returns the block of key and the index in it. If found is false, they are the place at which to insert key:
// perhaps the end of the last block, or 0 and 0 if there is no block.
func (o *ordered[K, V]) find(key K) (block, at int, found bool) {
	block = sort.Search(len(o.blocks), func(i int) bool {
		b := o.blocks[i]
		return o.compare(b[len(b)-1].key, key) >= 0
	})
	if block == len(o.blocks) && block > 0 {
		return block - 1, len(o.blocks[block-1]), false
	}
	if block == len(o.blocks) {
		return 0, 0, false
	}
	at, found = slices.BinarySearchFunc(o.blocks[block], key, func(e item[K, V],
		key K) int {
		return o.compare(e.key, key)
	})
	return block, at, found
}

func (o *ordered[K, V]) get(key K) (v V, ok bool) {
	block, at, found := o.find(key)
	if !found {
		return v, false
	}
	return o.blocks[block][at].value, true
}

// put adds an item or replaces its value.
func (o *ordered[K, V]) put(key K, v V) {
	block, at, found := o.find(key)
	switch {
	case found:
		o.blocks[block][at].value = v
		return
	case len(o.blocks) == 0:
		o.blocks = [][]item[K, V]{{{key, v}}}
		return
	}
	b := slices.Insert(o.blocks[block], at, item[K, V]{key, v})
	o.blocks[block] = b
	if len(b) == 2*blockSize {
		o.blocks[block] = slices.Clone(b[:blockSize])
		o.blocks = slices.Insert(o.blocks, block+1, slices.Clone(b[blockSize:]))
	}
}

// remove removes key, which must be in o.
func (o *ordered[K, V]) remove(key K) {
	block, at, _ := o.find(key)
	o.blocks[block] = slices.Delete(o.blocks[block], at, at+1)
	if len(o.blocks[block]) == 0 {
		o.blocks = slices.Delete(o.blocks, block, block+1)
	}
}

// after returns the first n items whose keys are greater than *key, or fewer if there are fewer. With a nil key it
// begins with the first item.
func (o *ordered[K, V]) after(key *K, n int) []item[K, V] {
	block, at := 0, 0
	if key != nil {
		var found bool
		if block, at, found = o.find(*key); found {
			at++
		}
	}
	var out []item[K, V]
	for ; block < len(o.blocks) && len(out) < n; block, at = block+1, 0 {
		rest := o.blocks[block][at:]
		out = append(out, rest[:min(len(rest), n-len(out))]...)
	}
	return out
}
