package taskrun

// places says whose tasks may run. It counts two things, for each principal and in all: tasks, and the bytes of what
// was given to their handlers. It is guarded by Engine.mu.
//
// One principal has at most half of each, and at most four times what is left, so that two of them leave a tenth. An
// eighth is for principals of which nothing runs, so that those who run tasks never keep a newcomer waiting: only other
// newcomers do.
type places struct {
	most [kinds]int64
	used [kinds]int64
	of   map[string]*[kinds]int64 // by principal; none is without a task
}

// What places counts.
const (
	kindTasks = iota
	kindBytes
	kinds
)

// maxRunningBytes is how many bytes handlers of tasks are given at the same time: arguments, _meta, answers and
// checkpoints. A principal of which nothing runs may have a task of any size that there is room for.
const maxRunningBytes = 64 << 20

func newPlaces(tasks int) places {
	return places{most: [kinds]int64{int64(tasks), maxRunningBytes}, of: make(map[string]*[kinds]int64)}
}

// room reports whether a principal may run one more task, of some bytes.
func (p *places) room(principal string, bytes int64) bool {
	own := p.of[principal]
	for kind, n := range [kinds]int64{1, bytes} {
		left := p.most[kind] - p.used[kind]
		if n > left {
			return false
		}
		if own == nil {
			continue
		}
		all := own[kind] + n
		if all > max(1, p.most[kind]/2) || all > 4*(left-p.reserved(kind)) {
			return false
		}
	}
	return true
}

// reserved is how much of a kind is for principals of which nothing runs: an eighth, but never all.
func (p *places) reserved(kind int) int64 { return min((p.most[kind]+7)/8, p.most[kind]-1) }

// take counts a task of a principal.
func (p *places) take(principal string, bytes int64) {
	own := p.of[principal]
	if own == nil {
		own = new([kinds]int64)
		p.of[principal] = own
	}
	for kind, n := range [kinds]int64{1, bytes} {
		own[kind] += n
		p.used[kind] += n
	}
}

// give takes back take.
func (p *places) give(principal string, bytes int64) {
	own := p.of[principal]
	for kind, n := range [kinds]int64{1, bytes} {
		own[kind] -= n
		p.used[kind] -= n
	}
	if own[kindTasks] == 0 {
		delete(p.of, principal)
	}
}
