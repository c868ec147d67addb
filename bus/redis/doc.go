// Package redisbus connects the replicas of a server by Redis: [Bus] is a replica.Bus on a channel of publish and
// subscribe, [Sessions] is a replica.SessionStore in keys with a time to live, and [Tasks] is a task.Store. [Events] is
// a log of events, and [Subscriptions] a store of webhook subscriptions. All use a client of go-redis, so credentials,
// TLS, Sentinel, Cluster and everything else are its options.
package redisbus
