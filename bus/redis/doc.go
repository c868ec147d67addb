// Package redisbus connects the replicas of a server by Redis: [Bus] is a replica.Bus on a channel of publish and
// subscribe, and [Sessions] is a replica.SessionStore in keys with a time to live. Both use a client of go-redis, so
// credentials, TLS, Sentinel, Cluster and everything else are its options.
package redisbus
