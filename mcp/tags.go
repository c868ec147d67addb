package mcp

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generated/protocol"
)

// selectTags takes out of f, which belongs to this server, what the options do not offer: it then exists for
// nobody, and no switch brings it back. Capabilities that nothing is left for go with it. A tag that no feature
// has is an error, because a misspelt one would offer too much or nothing.
func (o *Options) selectTags(f *Features) error {
	if len(o.OnlyTags) == 0 && len(o.ExceptTags) == 0 {
		return nil
	}
	f.Resources, f.Tools, f.Prompts = slices.Clone(f.Resources), slices.Clone(f.Tools), slices.Clone(f.Prompts)
	known := map[string]bool{}
	selectFrom := func(tags []string, p *Proto) {
		for _, tag := range tags {
			known[tag] = true
		}
		has := func(tag string) bool { return slices.Contains(tags, tag) }
		if len(o.OnlyTags) > 0 && !slices.ContainsFunc(o.OnlyTags, has) || slices.ContainsFunc(o.ExceptTags, has) {
			p.Off = true
		}
	}
	for i := range f.Resources {
		selectFrom(f.Resources[i].Tags, &f.Resources[i].Proto)
	}
	for i := range f.Tools {
		selectFrom(f.Tools[i].Tags, &f.Tools[i].Proto)
	}
	for i := range f.Prompts {
		selectFrom(f.Prompts[i].Tags, &f.Prompts[i].Proto)
	}
	for _, tag := range slices.Concat(o.OnlyTags, o.ExceptTags) {
		if !known[tag] {
			return fmt.Errorf("mcp: Options.OnlyTags, ExceptTags: no feature has the tag %q", tag)
		}
	}
	f.withdraw()
	return nil
}

// withdraw drops the capabilities of f that none of its features needs any more.
func (f *Features) withdraw() {
	c := &f.Capabilities
	resources, subscribes, completes, tools, prompts := false, false, false, false, false
	for i := range f.Resources {
		if r := &f.Resources[i]; !r.Proto.Off {
			resources, subscribes, completes = true, subscribes || r.Subscribe, completes || len(r.Complete) > 0
		}
	}
	for i := range f.Tools {
		tools = tools || !f.Tools[i].Proto.Off
	}
	for i := range f.Prompts {
		if p := &f.Prompts[i]; !p.Proto.Off {
			prompts, completes = true, completes || len(p.Complete) > 0
		}
	}
	switch {
	case !resources:
		c.Resources = nil
	case !subscribes && c.Resources != nil:
		c.Resources = &protocol.ServerCapabilitiesResources{ListChanged: c.Resources.ListChanged}
	}
	if !tools {
		c.Tools = nil
	}
	if !prompts {
		c.Prompts = nil
	}
	if !completes {
		c.Completions = nil
	}
}
