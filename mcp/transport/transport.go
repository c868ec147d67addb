package transport

import (
	"errors"

	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ErrClosed is returned by ReadMessage and WriteMessage after Close of the same conn.
var ErrClosed = errors.New("transport: conn is closed")

// Conn carries JSON-RPC messages in both directions, one JSON text per message: an object, or an array for the batches
// of revision 2025-03-26.
//
// One goroutine may read while another one writes. Reads must not overlap each other, nor writes each other; the
// goroutine that reads or writes may change from call to call.
type Conn interface {
	// ReadMessage reads the next message into buf[:0], growing it when needed, and returns it. The result belongs to
	// the caller. An error comes with buf[:0], so that a caller can keep its buffer.
	//
	// The error is io.EOF at the end of input and ErrClosed after Close. It is a *MessageError for one message that
	// cannot be delivered: the conn stays usable and the next call reads the next message. Every other error is final.
	ReadMessage(buf []byte) ([]byte, error)

	// WriteMessage writes one message; msg is neither changed nor kept. A single newline at the end of msg is not part of
	// the message; with it, transports that write lines need not copy msg.
	//
	// It fails when the peer has closed the connection, or did not read the message within the write timeout of the
	// transport. All later calls fail too.
	WriteMessage(msg []byte) error

	// Close releases the conn and, where the medium allows it, unblocks ReadMessage and WriteMessage. It may be called
	// at any time, from any goroutine, more than once; later calls do nothing and return nil.
	Close() error
}

// MessageError is the error of one incoming message that was dropped because it violates a rule of the transport, such
// as the size limit. Later messages are not affected.
type MessageError struct {
	// Err is the error to respond with. The id of the message is not known.
	Err *wire.Error
}

// Error returns the text of the response.
func (e *MessageError) Error() string { return "transport: " + e.Err.Message }

// Unwrap returns the JSON-RPC error.
func (e *MessageError) Unwrap() error { return e.Err }

// Stopper is implemented by conns whose process can be asked to stop, for example with SIGINT and SIGTERM.
type Stopper interface {
	// Stopped returns a channel that is closed when the process is asked to stop; nil if that cannot happen. All calls
	// return the same channel. Conns may begin to catch signals at the first call.
	Stopped() <-chan struct{}
}

// Named is implemented by conns that have a name for logs.
type Named interface {
	// Name returns a short name of the medium, such as "stdio".
	Name() string
}
