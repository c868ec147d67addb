package server

import "errors"

// errCallEnded is returned for a message that comes too late: the request has been answered or
// cancelled, or belongs to no connection.
var errCallEnded = errors.New("mcp: the request has ended")

// tell writes a message that belongs to this request and goes out before its answer: progress, a
// log message, a question. It is refused once the request has been answered or cancelled, so that
// nothing follows the answer; in a batch too, where answers wait for each other. It blocks while
// the client does not read, for as long as the transport allows. frame is given away.
func (c *Call) tell(frame []byte) error {
	if c.conn == nil {
		return errCallEnded
	}
	if c.lane != nil {
		return c.lane.tell(frame, func() bool { return c.state.Load() == callRunning })
	}
	late := false
	err := c.conn.out.respond(append(frame, '\n'), func() bool {
		late = c.state.Load() != callRunning
		return !late
	})
	if err != nil {
		c.conn.fail(err)
		return err
	}
	if late {
		return errCallEnded
	}
	return nil
}
