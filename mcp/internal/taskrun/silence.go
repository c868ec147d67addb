package taskrun

import "time"

// silence knows since when records have not changed, by the clock of this process alone: it notes the greatest version
// of the store now and then. A record whose version is not above one that was noted a lease ago has an owner that is
// silent.
type silence struct {
	seen []sight // the oldest first
}

type sight struct {
	at      time.Time
	version uint64
}

// sightEvery is the least time between two versions that are noted.
const sightEvery = claimEvery / 4

// note notes the greatest version at a time; 0 is unknown.
func (s *silence) note(now time.Time, version uint64) {
	if version == 0 {
		return
	}
	if n := len(s.seen); n > 0 {
		switch last := s.seen[n-1]; {
		case version < last.version: // the store has lost what it had
			s.seen = nil
		case now.Sub(last.at) < sightEvery:
			return
		}
	}
	s.seen = append(s.seen, sight{now, version})
	for len(s.seen) > 1 && now.Sub(s.seen[1].at) >= leaseTime {
		s.seen = s.seen[1:]
	}
}

// still returns the greatest version that was noted at least a lease before now; 0 if there is none.
func (s *silence) still(now time.Time) (version uint64) {
	for _, x := range s.seen {
		if now.Sub(x.at) >= leaseTime {
			version = x.version
		}
	}
	return version
}
