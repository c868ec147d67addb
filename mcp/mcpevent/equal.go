package mcpevent

// Equal compares a field of an event with an argument.
type Equal[E, F any] struct {
	// Wants returns the values that the arguments of a subscription accept in this field, of the type that Has returns; it
	// returns none if the arguments accept any value. [Wanted], [WantedText], [WantedAt] and [WantedList] make them.
	Wants func(F) []any
	// Has returns the value of this field in an event.
	Has func(*E) any
}

// Wanted returns the value of an argument that is always compared.
func Wanted[T comparable](v T) []any { return []any{v} }

// WantedText returns the value of an argument that is compared unless it is empty.
func WantedText[T ~string](v T) []any {
	if v == "" {
		return nil
	}
	return []any{v}
}

// WantedAt returns the value of an argument that is compared unless it is nil.
func WantedAt[T comparable](v *T) []any {
	if v == nil {
		return nil
	}
	return []any{*v}
}

// WantedList returns the values of an argument. An event must have one of them, unless there are none.
func WantedList[T comparable](list []T) (all []any) {
	for _, v := range list {
		all = append(all, v)
	}
	return all
}

// compare sets Wants and Has in the entry of d, if t has Equal and Match.
func (t *Type[E, F]) compare(d *declared) {
	if len(t.Equal) == 0 || t.Match == nil {
		return
	}
	d.entry.Wants = func(filter any) [][]any {
		list := make([][]any, len(t.Equal))
		for i := range t.Equal {
			list[i] = t.Equal[i].Wants(*filter.(*F))
		}
		return list
	}
	d.entry.Has = func(value any) []any {
		list := make([]any, len(t.Equal))
		for i := range t.Equal {
			list[i] = t.Equal[i].Has(value.(*E))
		}
		return list
	}
}
