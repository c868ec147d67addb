package tasks

// MaxFollowed is maxFollowed.
const MaxFollowed = maxFollowed

// PrincipalOf is principalOf.
var PrincipalOf = principalOf

// Asked returns how many tasks have questions on their way to a client.
func (t *Tasks) Asked() int {
	t.asked.mu.Lock()
	defer t.asked.mu.Unlock()
	return len(t.asked.tasks)
}
