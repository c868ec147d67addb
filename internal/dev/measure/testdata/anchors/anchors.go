// Package anchors imports packages of others whose figures are known.
package anchors

import (
	_ "connectrpc.com/connect"
	_ "github.com/creachadair/jrpc2"
)
