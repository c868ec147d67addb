package schema

import (
	"maps"
	"slices"
)

// Over returns these exceptions of an extension with those of the core beneath them, which apply to what the extension
// takes from the core. Entries that are used are marked in e.
func (e *Exceptions) Over(core *Exceptions) *Exceptions {
	out := *core
	out.From, out.Since, out.Prefix, out.used = e.From, e.Since, e.Prefix, e.used
	out.Types, out.Names = over(e.Types, core.Types), over(e.Names, core.Names)
	out.Defaults, out.Breaks = over(e.Defaults, core.Defaults), e.Breaks
	out.Mixins = slices.Concat(e.Mixins, core.Mixins)
	out.Aliases = slices.Concat(e.Aliases, core.Aliases)
	out.KeepEmpty = slices.Concat(e.KeepEmpty, core.KeepEmpty)
	out.Enums = slices.Concat(e.Enums, core.Enums)
	out.SkipMethods = e.SkipMethods
	out.Downgrades = slices.Concat(e.Downgrades, core.Downgrades)
	out.Order = slices.Concat(e.Order, core.Order)
	out.Groups = nil
	return &out
}

func over(own, core map[string]string) map[string]string {
	out := maps.Clone(core)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, own)
	return out
}

// Sender returns who sends a method of an extension, "" if the table does not say.
func (e *Exceptions) Sender(method string) string {
	from, ok := e.From[method]
	e.mark(ok, "from "+method)
	return from
}
