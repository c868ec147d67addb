package feature

import "slices"

// guarded calls look for every feature of f and its extensions that has a guard and is not off.
func (f *Features) guarded(look func(x Feature)) {
	each := func(x Feature) {
		if x.Guard != nil && !x.Served.Off {
			look(x)
		}
	}
	f.All(func(_ Kind, _ int, x Feature) { each(x) })
	if f.Extensions != nil {
		f.Extensions.Features(each)
	}
}

// NeedScopes reports whether any feature needs scopes or roles. Over a transport without authentication nobody could
// use such a feature.
func (f *Features) NeedScopes() (needs bool) {
	f.guarded(func(x Feature) {
		a := &x.Guard.Access
		needs = needs || a.Scopes != nil || a.AnyScope != nil || a.AnyRole != nil
	})
	return needs
}

// Scopes returns the scopes that features need, sorted. hidden are those without which a caller does not even learn
// that a feature exists; of alternative scopes it has the first.
func (f *Features) Scopes() (all, hidden []string) {
	f.guarded(func(x Feature) {
		for _, set := range x.Guard.Access.ScopeSets() {
			all = append(all, set...)
			if !x.Guard.Access.Shown && len(set) > 0 {
				hidden = append(hidden, set[0])
			}
		}
	})
	slices.Sort(all)
	slices.Sort(hidden)
	return slices.Compact(all), slices.Compact(hidden)
}
