package sessiontest

import (
	"bytes"
	"strings"

	"github.com/mcpgen/mcpgen/mcp/replica"
)

// testOneRecord: each handle sees at once what the other one has done.
func testOneRecord(f *fixture) {
	id := newID()
	f.missing(f.one, id)
	v1 := f.save(f.one, id, 0, "first", long)
	f.expect(f.one, id, "first", v1)
	f.expect(f.two, id, "first", v1)
	v2 := f.save(f.two, id, v1, "second", long)
	f.expect(f.one, id, "second", v2)
	v3 := f.save(f.two, id, v2, "second", long) // the same bytes are a new version
	f.expect(f.one, id, "second", v3)
	f.missing(f.one, newID())
}

// testChanged: a record is made once, and replaced only with its version.
func testChanged(f *fixture) {
	id := newID()
	f.refuse(f.one, id, 1)
	f.refuse(f.one, id, 1<<62)
	f.missing(f.two, id)
	v1 := f.save(f.one, id, 0, "first", long)
	f.refuse(f.one, id, 0)
	f.refuse(f.two, id, 0)
	f.expect(f.two, id, "first", v1)
	v2 := f.save(f.two, id, v1, "second", long)
	for _, wrong := range []uint64{0, v1, v2 + 1, v2 - 1, 1<<64 - 1} {
		f.refuse(f.one, id, wrong)
	}
	f.expect(f.one, id, "second", v2)
}

// testDeleted: a deleted record is gone for all, and can be deleted again.
func testDeleted(f *fixture) {
	id, other := newID(), newID()
	remove := func(s replica.SessionStore) {
		f.Helper()
		if err := s.Delete(f.limit(), id); err != nil {
			f.Fatalf("Delete: %v", err)
		}
	}
	remove(f.one)
	kept := f.save(f.one, other, 0, "other", long)
	v := f.save(f.one, id, 0, "first", long)
	remove(f.two)
	f.missing(f.one, id)
	f.refuse(f.one, id, v)
	f.missing(f.one, id)
	remove(f.one)
	remove(f.two)
	f.expect(f.two, other, "other", kept)
	again := f.save(f.one, id, 0, "again", long)
	f.expect(f.two, id, "again", again)
}

// testVersions: the versions of a deleted record do not fit a record that is made later under its id.
func testVersions(f *fixture) {
	id := newID()
	seen := make(map[uint64]bool)
	for range 5 {
		v := f.save(f.one, id, 0, "first", long)
		w := f.save(f.two, id, v, "second", long)
		if seen[v] || seen[w] {
			f.Fatal("a record has a version that one before it had")
		}
		for old := range seen {
			f.refuse(f.one, id, old)
		}
		seen[v], seen[w] = true, true
		f.expect(f.one, id, "second", w)
		if err := f.two.Delete(f.limit(), id); err != nil {
			f.Fatalf("Delete: %v", err)
		}
	}
}

// testIDs: ids of all characters of base64url, and of lengths up to the largest, are kept apart.
func testIDs(f *fixture) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	base := newID()
	longest := base + strings.Repeat("-_", replica.MaxID)[:replica.MaxID-len(base)-1]
	ids := []string{longest + "a", longest + "b", base, base + "-", base + "_", "-" + base, "_" + base, "--" + base,
		strings.ToUpper(base) + "x", strings.ToLower(base) + "x", base[:20], base + alphabet}
	for _, c := range alphabet {
		ids = append(ids, base+string(c)+"x")
	}
	versions := make(map[string]uint64)
	for _, id := range ids {
		if len(id) > replica.MaxID {
			f.Fatalf("the test has an id of %d bytes", len(id))
		}
		versions[id] = f.save(f.one, id, 0, "record of "+id, long)
	}
	for _, id := range ids {
		f.expect(f.two, id, "record of "+id, versions[id])
	}
	for _, id := range ids {
		if err := f.one.Delete(f.limit(), id); err != nil {
			f.Fatalf("Delete: %v", err)
		}
		f.missing(f.two, id)
	}
}

// testRecords: records of all bytes and sizes come back as they were.
func testRecords(f *fixture) {
	var all strings.Builder
	for i := range 512 {
		all.WriteByte(byte(i))
	}
	for _, record := range []string{"", "\x00", "\n", "\r\n", "0", "nil", "{}", "\xff\xfe", all.String(),
		strings.Repeat("x", 64<<10), strings.Repeat(all.String(), replica.MaxRecord/512)} {
		id := newID()
		v := f.save(f.one, id, 0, record, long)
		f.expect(f.two, id, record, v)
		v = f.save(f.two, id, v, record+"!"[:min(1, replica.MaxRecord-len(record))], long)
		f.expect(f.one, id, record+"!"[:min(1, replica.MaxRecord-len(record))], v)
		v = f.save(f.one, id, v, "", long)
		f.expect(f.two, id, "", v)
	}
}

// testCopies: the caller may use its memory again, and change what Load returns.
func testCopies(f *fixture) {
	id := newID()
	memory := []byte("as it was saved")
	v, err := f.one.Save(f.limit(), id, 0, memory, long)
	if err != nil {
		f.Fatalf("Save: %v", err)
	}
	copy(memory, bytes.Repeat([]byte("x"), len(memory)))
	f.expect(f.one, id, "as it was saved", v)
	got, _, err := f.one.Load(f.limit(), id)
	if err != nil {
		f.Fatalf("Load: %v", err)
	}
	copy(got, bytes.Repeat([]byte("y"), len(got)))
	f.expect(f.one, id, "as it was saved", v)
	f.expect(f.two, id, "as it was saved", v)
}
