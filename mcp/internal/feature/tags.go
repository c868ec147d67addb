package feature

import (
	"errors"
	"fmt"
)

// SelectTags removes the features that the options OnlyTags and ExceptTags exclude, and the capabilities that only
// these features need. They exist for no client, and cannot be switched on. f must belong to one server. SelectTags
// returns an error for a tag that no feature has, because a misspelt tag would offer too much or nothing.
func (f *Features) SelectTags(only, except []string) error {
	if len(only) == 0 && len(except) == 0 {
		return nil
	}
	f.clone()
	c := tagFilter{only: only, except: except, known: map[string]bool{}}
	f.All(func(_ Kind, _ int, x Feature) { c.choose(x.tags, x.Served) })
	if f.Extensions != nil { // extensions use Host.Offers; here their tags are only recorded
		f.Extensions.Features(func(x Feature) { c.choose(x.tags, new(RevisionRange)) })
	}
	left := &f.Capabilities // joined servers had some set; the features that are left declare theirs again
	left.Completions, left.Logging, left.Extensions = nil, nil, nil
	withdrawAll(left)
	return errors.Join(c.check(c.only), c.check(c.except))
}

// tagFilter decides by their tags which features a server offers.
type tagFilter struct {
	only, except []string
	known        map[string]bool
}

// choose sets p.Off if a feature with these tags is not to be offered. It records the tags as known.
func (c *tagFilter) choose(tags []string, p *RevisionRange) {
	for _, tag := range tags {
		c.known[tag] = true
	}
	if !offers(c.only, c.except, tags) {
		p.Off = true
	}
}

// check returns an error if one of tags is not known: no feature has it.
func (c *tagFilter) check(tags []string) error {
	for _, tag := range tags {
		if !c.known[tag] {
			return fmt.Errorf("mcp: Options.OnlyTags, ExceptTags: no feature has the tag %q", tag)
		}
	}
	return nil
}
