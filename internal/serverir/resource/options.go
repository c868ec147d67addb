package resource

import (
	"fmt"

	"github.com/mcpgen/mcpgen/internal/directive"
	"github.com/mcpgen/mcpgen/internal/serverir/resource/binding"
)

// notStruct reports options that only structs can have.
func (b *Builder) notStruct(r *binding.Resource) {
	for _, k := range []directive.Bool{r.Spec.Store, r.Spec.Source} {
		if k.V {
			b.Misfit(k.Arg, fmt.Sprintf("`%s` is for structs, and `%s` is a %s", k.Arg.Option, r.Decl.Name, r.Decl.Kind),
				"remove it")
		}
	}
	if r.Spec.List.V == "true" {
		b.Misfit(r.Spec.List.Arg, "`list` alone is for structs, whose values the server knows",
			"list=none, or a function with //mcp:list of="+r.Decl.Name)
	}
}

// polling sets the interval at which a resource is polled. It reports an interval without effect.
func (b *Builder) polling(r *binding.Resource) {
	poll := r.Spec.Poll
	switch {
	case !poll.Set():
	case poll.V <= 0:
		b.Misfit(poll.Arg, "`poll` needs an interval of more than 0", "poll=30s")
	case !r.Subscribe:
		b.Misfit(poll.Arg, fmt.Sprintf("no client can subscribe to `%s`, so it is never polled", r.Decl.Name),
			"add `subscribe`")
	case r.Fixed:
		b.Misfit(poll.Arg, fmt.Sprintf("`%s` never changes", r.Decl.Name), "remove it")
	default:
		r.PollMillis = max(1, poll.V.Milliseconds())
	}
}
