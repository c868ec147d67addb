// Package natsbus connects the replicas of a server by NATS: [Bus] is a replica.Bus on core NATS, and [Sessions] is a
// replica.SessionStore in a bucket of JetStream's key-value store. Both use a connection of nats.go, so credentials,
// TLS, the addresses of a cluster and everything else are options of nats.go; [Connect] adds those without which a
// replica would lose frames and not know it.
package natsbus
