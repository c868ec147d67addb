package exam

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/fleet/internal/client"
	"github.com/mcpgen/mcpgen/fleet/internal/verdict"
	"github.com/mcpgen/mcpgen/fleet/serve"
	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/crm"
)

// told writes one value after the other, through each replica in turn. No later write makes up for one that nobody
// hears of.
func told(p *paper) {
	p.notes.Lock()
	defer p.notes.Unlock()
	writers := p.perm()
	for i := range 4 * len(writers) {
		w := writers[i%len(writers)]
		kind, n := "note", 1+p.random.Int64N(NotesOfAll)
		switch i % 4 {
		case 1:
			kind, n = "card", 1+p.random.Int64N(serve.Cards)
		case 2:
			n = 1 + p.random.Int64N(NotesOfListens)
		case 3:
			kind, n = "person", 1+p.random.Int64N(serve.People)
		}
		value, err := p.write(w, kind, n)
		p.mustf(err, "write %s %d through replica %d", kind, n, w)
		switch kind {
		case "note":
			p.known(map[string]string{URI(kind, n): value})
		case "card":
			p.known(map[string]string{board.CardURI(board.Todo, int(n)): value})
		default:
			p.truth(board.PersonURI("ops", n))
		}
		p.pause(200 * time.Millisecond)
	}
	for range 2 {
		n := 1 + p.random.Int64N(serve.Accounts)
		_, err := p.write(writers[0], "account", n)
		p.mustf(err, "write account %d", n)
		region, id := serve.AccountKey(n)
		p.truth(crm.AccountURI(region, id), crm.HistoryURI(region, id))
	}
}

// truth waits until everybody knows what the file has.
func (p *paper) truth(uris ...string) {
	all, err := p.State.Truth(p.ctx)
	p.mustf(err, "the truth")
	some := map[string]string{}
	for _, uri := range uris {
		some[uri] = all[uri]
	}
	p.known(some)
}

// burst writes a hundred notes as fast as it can, each once.
func burst(p *paper) {
	p.notes.Lock()
	defer p.notes.Unlock()
	var wg sync.WaitGroup
	var mu sync.Mutex
	want := map[string]string{}
	for w := range p.Replicas {
		wg.Go(func() {
			for n := int64(w + 1); n <= NotesOfListens; n += int64(len(p.Replicas)) {
				value, err := p.write(w, "note", n)
				if err != nil {
					p.wrongf(verdict.Refused, URI("note", n), "write through replica %d: %v", w, err)
					return
				}
				mu.Lock()
				want[URI("note", n)] = value
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	p.known(want)
}

// flood writes all notes in one transaction.
func flood(p *paper) {
	p.notes.Lock()
	defer p.notes.Unlock()
	for _, w := range p.perm()[:2] {
		value, err := p.write(w, "notes", NotesOfListens)
		p.mustf(err, "write notes through replica %d", w)
		want := map[string]string{}
		for n := range int64(NotesOfListens) {
			want[URI("note", n+1)] = value
		}
		p.known(want)
	}
}

// twins writes the same notes through two replicas at the same time.
func twins(p *paper) {
	p.notes.Lock()
	defer p.notes.Unlock()
	for range 3 {
		n := 1 + p.random.Int64N(NotesOfAll)
		var wg sync.WaitGroup
		for _, w := range p.perm()[:2] {
			wg.Go(func() {
				if _, err := p.write(w, "note", n); err != nil {
					p.wrongf(verdict.Refused, URI("note", n), "write through replica %d: %v", w, err)
				}
			})
		}
		wg.Wait()
		p.truth(URI("note", n))
		p.pause(200 * time.Millisecond)
	}
}

// reloaded writes a card three times in a row, so that the other replicas load it while it changes. Each must have the
// last value.
func reloaded(p *paper) {
	p.notes.Lock()
	defer p.notes.Unlock()
	for _, w := range p.perm() {
		n := 1 + p.random.Int64N(serve.Cards)
		uri := board.CardURI(board.Todo, int(n))
		var value string
		for range 3 {
			var err error
			value, err = p.write(w, "card", n)
			p.mustf(err, "write card %d through replica %d", n, w)
		}
		for i := range p.Replicas {
			var text string
			var err error
			has := func() bool {
				text, err = p.conn(i, client.Modern).Read(p.ctx, "", uri)
				return err == nil && strings.Contains(text, value)
			}
			if !p.until(has) {
				p.wrongf(verdict.Stale, uri, "replica %d has %s, %v, after several writes through replica %d, the last of them %s",
					i, text, err, w, value)
			}
		}
		p.known(map[string]string{uri: value})
	}
}

// lists changes a list, or two kinds of lists at once, and waits until everybody is told, listens and sessions at each
// replica.
func lists(p *paper) {
	p.lists.Lock()
	defer p.lists.Unlock()
	all := p.followers()
	time.Sleep(grace) // a stream begins with an announcement
	for i, w := range p.perm() {
		name := fmt.Sprintf("%s-%d", p.user, i)
		pin := map[string]any{"name": name}
		both := map[string]any{"name": name, "tool": true}
		neither := map[string]any{"name": name, "tool": true, "off": true}
		if !p.changes(all, w, pin, listKinds[:1]) || !p.changes(all, w, both, listKinds) {
			return
		}
		uris, err := p.conn(p.perm()[0], client.Modern).List(p.ctx, "")
		p.mustf(err, "list")
		if !slices.Contains(uris, "pin:///"+name) {
			p.wrongf(verdict.Missing, "pin:///"+name, "a list of %d entries after its change", len(uris))
		}
		if !p.changes(all, w, neither, listKinds) {
			return
		}
		p.pause(300 * time.Millisecond)
	}
}

// changes lets a replica change lists, and reports whether all are told of each kind.
func (p *paper) changes(all []*follower, w int, args map[string]any, kinds []string) (told bool) {
	for _, f := range all {
		for _, kind := range kinds {
			got, _ := f.inbox.Got(client.Is(kind))
			f.had[kind] = len(got)
		}
	}
	_, err := p.conn(w, client.Modern).Tool(p.ctx, "", "stick", args)
	p.mustf(err, "stick through replica %d", w)
	told = true
	for _, f := range all {
		for _, kind := range kinds {
			if told && !p.more(f.inbox, client.Is(kind), f.had[kind]) {
				p.wrongf(verdict.Unheard, kind, "%s was not told within %v of the change of %v through replica %d", f.what,
					p.bound(), args, w)
				told = false
			}
		}
	}
	return told
}

// more waits for one more message than there were.
func (p *paper) more(b *client.Inbox, match func(client.Incoming) bool, had int) bool {
	for begun := time.Now(); time.Since(begun) < p.bound() && p.ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		got, ended := b.Got(match)
		if len(got) > had {
			return true
		}
		if ended != nil {
			p.wrongf(verdict.Refused, "", "a stream has ended: %v", ended)
			return true
		}
	}
	return false
}
