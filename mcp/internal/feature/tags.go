package feature

import (
	"errors"
	"fmt"
)

// SelectTags removes the features that Options.OnlyTags and ExceptTags exclude, with their part of the capabilities:
// they exist for nobody, and no switch brings them back. f must belong to one server. A tag that no feature has is an
// error, because a misspelt tag would offer too much or nothing.
func (f *Features) SelectTags(only, except []string) error {
	if len(only) == 0 && len(except) == 0 {
		return nil
	}
	f.clone()
	c := tagFilter{only: only, except: except, known: map[string]bool{}}
	f.All(func(_ Kind, _ int, x Feature) { c.choose(x.tags, x.Served) })
	if f.Extensions != nil { // they choose by Host.Offers; here their tags only become known
		f.Extensions.Features(func(x Feature) { c.choose(x.tags, new(RevisionRange)) })
	}
	left := &f.Capabilities // also those of joined servers; the features that are left declare theirs again
	left.Completions, left.Logging, left.Extensions = nil, nil, nil
	withdrawAll(left)
	return errors.Join(c.check(c.only), c.check(c.except))
}

// tagFilter decides by tags which features a server offers.
type tagFilter struct {
	only, except []string
	known        map[string]bool
}

// choose sets p.Off of a feature that is not to be offered, and notes that its tags are known.
func (c *tagFilter) choose(tags []string, p *RevisionRange) {
	for _, tag := range tags {
		c.known[tag] = true
	}
	if !offers(c.only, c.except, tags) {
		p.Off = true
	}
}

// check returns an error for a tag that no feature has.
func (c *tagFilter) check(tags []string) error {
	for _, tag := range tags {
		if !c.known[tag] {
			return fmt.Errorf("mcp: Options.OnlyTags, ExceptTags: no feature has the tag %q", tag)
		}
	}
	return nil
}
