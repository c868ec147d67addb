package files

import (
	"context"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// keptBytes limits the memory for kept names of one directory, and keptInAll that for all directories of a nameKeeper,
	// in bytes. A name counts with its length and nameOverhead.
	keptBytes, keptInAll = 8 << 20, 16 << 20
	nameOverhead         = 32
	// keptFor is how long names are kept.
	keptFor = time.Minute
)

// sortedNames has the names of a directory that clients may see and that are greater than the field from, sorted. If
// whole is false, it has only the first of these names. It does not change once it is kept.
type sortedNames struct {
	root  *os.Root
	path  string
	from  string
	names []string
	whole bool      // names has all of them
	bytes int       // memory for the names
	began time.Time // when reading began
}

// behind returns the names of n that are greater than the parameter after. more says that the directory has names
// beyond those of n. known is false if n lacks the names that follow next.
func (n *sortedNames) behind(after string) (names []string, more, known bool) {
	if after < n.from || !n.whole && (len(n.names) == 0 || after >= n.names[len(n.names)-1]) {
		return nil, false, false
	}
	i, found := slices.BinarySearch(n.names, after)
	if found {
		i++
	}
	return n.names[i:], !n.whole, true
}

// nameKeeper reads directories, and keeps the names in large directories for a while. Systems do not sort directories,
// so without kept names each page of a list would have to read a whole directory to find the names after the previous
// page. The zero value is ready for use. It is safe for concurrent use.
type nameKeeper struct {
	read atomic.Int64 // names that were read
	most int          // takes the place of keptBytes in tests; 0 for keptBytes

	mu      sync.Mutex
	kept    []*sortedNames // oldest first
	bytes   int            // of kept
	expiry  *time.Timer
	reading chan struct{} // has an element while a large directory is read; made when first needed
}

// names returns the names in a directory that are greater than the parameter after, sorted: all of them, or only the
// first ones if more is true. A directory that cannot be read has no names. If after is not empty, the names may have
// been read up to keptFor ago. The error is that of ctx.
func (k *nameKeeper) names(ctx context.Context, root *os.Root, path, after string) (names []string, more bool,
	err error) {
	if after != "" {
		if names, more, known := k.find(root, path, after, time.Now().Add(-keptFor)); known {
			return names, more, nil
		}
	}
	began := time.Now()
	d, err := root.OpenFile(path, os.O_RDONLY|dirFlags, 0)
	if err != nil {
		return nil, false, nil // it is gone, or this process may not read it
	}
	defer func() { _ = d.Close() }()
	names, ended := k.batch(d, nil, after)
	if !ended {
		names, ended = k.batch(d, names, after)
	}
	if ended {
		slices.Sort(names)
		return names, false, ctx.Err()
	}
	// The directory is large, and only one large directory is read at a time. If another call has read the same directory
	// while this one waited, its names are used.
	reading := k.slot()
	select {
	case reading <- struct{}{}:
		defer func() { <-reading }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	if names, more, known := k.find(root, path, after, began); known {
		return names, more, nil
	}
	n := &sortedNames{root: root, path: path, from: after, began: began}
	if err := k.rest(ctx, d, n, names); err != nil {
		return nil, false, err
	}
	k.keep(n)
	return n.names, !n.whole, nil
}

// batch reads the next names of a directory. It appends those that clients may see and that are greater than the
// parameter after. ended says that there are no further names.
func (k *nameKeeper) batch(d *os.File, names []string, after string) (more []string, ended bool) {
	batch, err := d.Readdirnames(nameBatch)
	k.read.Add(int64(len(batch)))
	for _, name := range batch {
		if name > after && servableName(name) {
			names = append(names, name)
		}
	}
	return names, err != nil || len(batch) == 0 // io.EOF, or the directory is gone
}

// rest reads d, a directory, to its end, and sets the fields of n. names has the names that were already read. If the
// names take more than keptBytes, the last ones are left out.
func (k *nameKeeper) rest(ctx context.Context, d *os.File, n *sortedNames, names []string) error {
	n.whole = true
	most := k.most
	if most <= 0 {
		most = keptBytes
	}
	for ended := false; !ended; {
		at := len(names)
		names, ended = k.batch(d, names, n.from)
		for _, name := range names[at:] {
			n.bytes += len(name) + nameOverhead
		}
		if n.bytes > 2*most || ended {
			slices.Sort(names)
			names = n.cut(names, most)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	n.names = slices.Clip(names)
	return nil
}

// cut removes the last names, so that the others take no more than limit bytes. It keeps at least one name.
func (n *sortedNames) cut(names []string, limit int) []string {
	n.bytes = 0
	for i, name := range names {
		if n.bytes += len(name) + nameOverhead; n.bytes > limit && i > 0 {
			n.bytes -= len(name) + nameOverhead
			n.whole = false
			clear(names[i:])
			return names[:i]
		}
	}
	return names
}

// slot returns k.reading. Whoever reads a large directory first sends an element to it, and receives one afterwards.
func (k *nameKeeper) slot() chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reading == nil {
		k.reading = make(chan struct{}, 1)
	}
	return k.reading
}

// find returns the kept names of a directory that are greater than the parameter after. known is false if there are
// none that were read at the time since or later.
func (k *nameKeeper) find(root *os.Root, path, after string, since time.Time) (names []string, more, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range slices.Backward(k.kept) {
		if n.root == root && n.path == path && !n.began.Before(since) {
			if names, more, known = n.behind(after); known {
				return names, more, true
			}
		}
	}
	return nil, false, false
}

// keep keeps n for keptFor. It drops the oldest names if all together take more than keptInAll.
func (k *nameKeeper) keep(n *sortedNames) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropLocked(func(old *sortedNames) bool {
		return old.root == n.root && old.path == n.path && old.from >= n.from && (n.whole || old.from == n.from)
	})
	k.kept = append(k.kept, n)
	k.bytes += n.bytes
	oldest := 0
	for over := k.bytes - keptInAll; over > 0; oldest++ {
		over -= k.kept[oldest].bytes
	}
	k.dropLocked(func(*sortedNames) bool { oldest--; return oldest >= 0 })
	if k.expiry == nil {
		k.expiry = time.AfterFunc(keptFor, k.expire)
	}
}

// dropLocked drops the kept names for which useless returns true.
func (k *nameKeeper) dropLocked(useless func(*sortedNames) bool) {
	k.kept = slices.DeleteFunc(k.kept, func(n *sortedNames) bool {
		drop := useless(n)
		if drop {
			k.bytes -= n.bytes
		}
		return drop
	})
}

// expire drops names older than keptFor, and runs again after keptFor if others are left.
func (k *nameKeeper) expire() {
	k.mu.Lock()
	defer k.mu.Unlock()
	oldest := time.Now().Add(-keptFor)
	k.dropLocked(func(n *sortedNames) bool { return n.began.Before(oldest) })
	k.expiry = nil
	if len(k.kept) > 0 {
		k.expiry = time.AfterFunc(keptFor, k.expire)
	}
}
