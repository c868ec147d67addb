package mcpevent

// Equal is a field of events that is compared with an argument for being equal.
type Equal[E, F any] struct {
	// Wants returns the values that the arguments of a subscription accept in this field, of the type that Has returns;
	// none if they accept any. [Wanted], [WantedText], [WantedAt] and [WantedList] make them.
	Wants func(F) []any
	// Has returns the value of an event.
	Has func(*E) any
}

// Wanted is the value of an argument that is always compared.
func Wanted[T comparable](v T) []any { return []any{v} }

// WantedText is the value of an argument that is compared if it is not empty.
func WantedText[T ~string](v T) []any {
	if v == "" {
		return nil
	}
	return []any{v}
}

// WantedAt is the value of an argument that is compared if there is one.
func WantedAt[T comparable](v *T) []any {
	if v == nil {
		return nil
	}
	return []any{*v}
}

// WantedList are the values of an argument of which any is wanted.
func WantedList[T comparable](list []T) (all []any) {
	for _, v := range list {
		all = append(all, v)
	}
	return all
}

// compare gives an entry the fields that are compared.
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
