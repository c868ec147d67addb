package relay

import "context"

// bus is what a relay needs of replica.Bus, which says what its methods do.
type bus interface {
	Publish(ctx context.Context, frame []byte) error
	Subscribe(ctx context.Context, receive func(frame []byte), gap func()) error
}

// Opener is what a server gets for a bus: it connects the replica. The Bus of c is that of the opener.
type Opener interface {
	OpenRelay(c Config) Connection
}

// Connection is a [Relay] as its server sees it. It is an interface, so that programs without a bus are not linked with
// relays.
type Connection interface {
	// Note, NoteLists and Direct send to the other replicas.
	Note(s Signal)
	NoteLists(l Lists)
	Direct(to string, payload []byte) error
	// The next ones tell how the replica is connected.
	Origin() string
	State() State
	Fenced() bool
	Heard() int
	Stats() Stats
	// Close and Abandon end the connection.
	Close()
	Abandon()
}
