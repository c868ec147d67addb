package server

import (
	"errors"
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
	c := chooser{only: o.OnlyTags, except: o.ExceptTags, known: map[string]bool{}}
	for i := range f.Resources {
		c.choose(f.Resources[i].Tags, &f.Resources[i].Proto)
	}
	for i := range f.Tools {
		c.choose(f.Tools[i].Tags, &f.Tools[i].Proto)
	}
	for i := range f.Prompts {
		c.choose(f.Prompts[i].Tags, &f.Prompts[i].Proto)
	}
	f.withdraw()
	return errors.Join(c.check(c.only), c.check(c.except))
}

// chooser decides by tags.
type chooser struct {
	only, except []string
	known        map[string]bool
}

// choose switches a feature off that is not to be offered.
func (c *chooser) choose(tags []string, p *Proto) {
	for _, tag := range tags {
		c.known[tag] = true
	}
	if len(c.only) > 0 && !overlap(c.only, tags) || overlap(c.except, tags) {
		p.Off = true
	}
}

// check reports a tag that no feature has.
func (c *chooser) check(tags []string) error {
	for _, tag := range tags {
		if !c.known[tag] {
			return fmt.Errorf("mcp: Options.OnlyTags, ExceptTags: no feature has the tag %q", tag)
		}
	}
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
