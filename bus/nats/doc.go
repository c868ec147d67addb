// Package natsbus connects the replicas of a server by NATS: [Bus] is a replica.Bus on core NATS. [Sessions], [Tasks]
// and [Subscriptions] keep sessions, tasks and subscriptions of webhooks in buckets of JetStream's key-value store, and
// [Events] is a log of events in JetStream. All use a connection of nats.go, so credentials, TLS, the addresses of a
// cluster and everything else are options of nats.go; [Connect] adds those without which a replica would lose frames
// and not know it.
package natsbus
