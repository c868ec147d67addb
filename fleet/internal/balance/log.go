package balance

import (
	"io"
	"log"
)

// discard is for what the proxy says about replicas that have died, which is no news here.
var discard = log.New(io.Discard, "", 0)
