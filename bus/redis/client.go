package redisbus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// check returns an error that names an option that the client should have, or must not have. It knows the clients of
// go-redis; others are taken as they are.
func check(client redis.UniversalClient) error {
	deadlines, primary := true, true
	switch c := client.(type) {
	case nil:
		return errors.New("redisbus: there is no client")
	case *redis.Client:
		deadlines = c.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		o := c.Options()
		deadlines, primary = o.ContextTimeoutEnabled, !o.ReadOnly && !o.RouteByLatency && !o.RouteRandomly
	case *redis.Ring:
		return errors.New("redisbus: the servers of a redis.Ring know nothing of each other: use one server, or a cluster")
	}
	if !deadlines {
		return errors.New("redisbus: set ContextTimeoutEnabled in the options of the client: " +
			"without it a server that hangs holds a call longer than its ctx")
	}
	if !primary {
		return errors.New("redisbus: leave ReadOnly, RouteByLatency and RouteRandomly out of the options of the client: " +
			"a replica of Redis may not have the last change yet")
	}
	return nil
}

// keys are those of some things, which begin with the same prefix, so that a cluster keeps all of them on one server.
type keys struct {
	client redis.UniversalClient
	prefix string // in braces, with a colon
}

func keysOf(client redis.UniversalClient, prefix, things string) (keys, error) {
	if err := check(client); err != nil {
		return keys{}, err
	}
	if prefix == "" || strings.ContainsAny(prefix, "{}") {
		return keys{}, fmt.Errorf("redisbus: the prefix of the keys of %s is %q: want a text without braces", things,
			prefix)
	}
	return keys{client, "{" + prefix + "}:"}, nil
}

// run runs a script, unless ctx has ended.
func (k keys) run(ctx context.Context, script *redis.Script, args ...any) *redis.Cmd {
	if err := ctx.Err(); err != nil {
		c := redis.NewCmd(ctx)
		c.SetErr(err)
		return c
	}
	return script.Run(ctx, k.client, []string{k.prefix}, args...)
}

// expire removes records that have expired, by a script that removes some of them and returns how many.
func (k keys) expire(ctx context.Context, script *redis.Script, now time.Time, limit int) (removed int, err error) {
	const most = 100 // in one script, because nobody else is served meanwhile
	for removed < limit {
		wanted := min(limit-removed, most)
		n, err := k.run(ctx, script, now.UnixMilli(), wanted).Int()
		if err != nil {
			return removed, failed(err)
		}
		if removed += n; n < wanted {
			break
		}
	}
	return removed, nil
}
