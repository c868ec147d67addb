package call

import (
	"encoding/binary"
	"encoding/json"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp/internal/canonical"
	"github.com/mcpgen/mcpgen/mcp/internal/content"
	"github.com/mcpgen/mcpgen/mcp/internal/seal"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// ErrState is the response to a request with a state that was changed, has expired, or belongs to another request. With
// [Shared.UseState] it is also the response to a state that was used before.
var ErrState = content.InvalidParams("/requestState: is not valid for this request, or no longer")

// statePurpose identifies the request that a state belongs to: the name of the server (servers may share keys), the
// method, the target, the caller, and the arguments in canonical form.
func (c *Call) statePurpose(method, args []byte) []byte {
	b := []byte("request state\x00")
	for _, part := range []string{c.req.Conn.Shared.Name, string(method), c.req.Target, c.Principal()} {
		b = append(wire.AppendString(b, part), ' ')
	}
	return canonical.Append(b, args, asWritten)
}

func asWritten(b, number []byte) []byte { return append(b, number...) }

// sealState seals answers together with the time at which they expire.
func (s *Shared) sealState(known wire.Map[json.RawMessage], purpose []byte, until time.Time) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(until.Unix()))
	b = wire.AppendMap(b, known, wire.AppendAny)
	return seal.Encode(s.Seal.Seal(b, purpose))
}

// ClockSkew is how far the clocks of replicas may differ.
const ClockSkew = 30 * time.Second

// openState returns the answers in a state. Clients may see the text of the error.
func (s *Shared) openState(state string, purpose []byte, now time.Time) (wire.Map[json.RawMessage], error) {
	sealed, err := seal.Decode(state)
	if err != nil {
		return nil, ErrState
	}
	b, err := s.Seal.Open(sealed, purpose)
	if err != nil || len(b) < 8 || now.Add(-ClockSkew).Unix() > int64(binary.BigEndian.Uint64(b)) {
		return nil, ErrState
	}
	d := wire.NewDecoder(b[8:])
	known := wire.DecodeMap(&d, (*wire.Decoder).RawCopy)
	if d.Err() != nil {
		return nil, ErrState
	}
	return known, nil
}

// stateUse lets one run of a handler use its state only once. It is nil if the server does not remember used states.
type stateUse struct {
	state    string
	once     sync.Once
	giveBack func() // nil if there is nothing to give back
	err      error
}

// take marks the state as used, when it is first called. It fails if the state was used before; clients may see the
// text of the error.
func (x *stateUse) take(c *Call) error {
	if x == nil {
		return nil
	}
	x.once.Do(func() { x.giveBack, x.err = (*c.req.Conn.Shared.UseState.Load())(c, x.state) })
	return x.err
}

// end makes the state usable again, after a run that asked more and so was not the last one.
func (x *stateUse) end() {
	if x == nil {
		return
	}
	x.once.Do(func() { x.err = ErrState }) // a goroutine that the handler has left running must not use the state
	if x.giveBack != nil {
		x.giveBack()
	}
}
