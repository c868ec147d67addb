package feature

import "slices"

// guarded calls visit for each feature of f and its extensions that has a guard and is not off.
func (f *Features) guarded(visit func(x Feature)) {
	each := func(x Feature) {
		if x.Guard != nil && !x.Served.Off {
			visit(x)
		}
	}
	f.All(func(_ Kind, _ int, x Feature) { each(x) })
	if f.Extensions != nil {
		f.Extensions.Features(each)
	}
}

// NeedScopes reports whether a feature requires scopes or roles. Without authentication nobody could use such a
// feature.
func (f *Features) NeedScopes() (needs bool) {
	f.guarded(func(x Feature) {
		a := &x.Guard.Access
		needs = needs || a.Scopes != nil || a.AnyScope != nil || a.AnyRole != nil
	})
	return needs
}

// Scopes returns all scopes that features require, sorted. hidden has the scopes without which a caller cannot even
// know that a feature exists. Of alternative scopes it has only the first.
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
