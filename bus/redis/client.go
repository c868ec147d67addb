package redisbus

import (
	"errors"
	"fmt"
	"strings"

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

// keysOf returns with what the keys of some things begin, so that a cluster keeps all of them on one server.
func keysOf(client redis.UniversalClient, prefix, things string) (string, error) {
	if err := check(client); err != nil {
		return "", err
	}
	if prefix == "" || strings.ContainsAny(prefix, "{}") {
		return "", fmt.Errorf("redisbus: the prefix of the keys of %s is %q: want a text without braces", things, prefix)
	}
	return "{" + prefix + "}:", nil
}
