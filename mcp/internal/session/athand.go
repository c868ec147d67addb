package session

import (
	"context"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/call"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// AtHand is what becomes known of the request at hand, step by step. It is a part of a [Worker]. The end of Run empties
// all of it at once.
type AtHand struct {
	Call       *call.Call                  // nil until code of the user is about to run
	term       uint64                      // of the lease; 0 until Enter
	own        *Internal                   // the request, if it is one of the server itself
	clientMeta *protocol.RequestMetaObject // says who the client is, and what it declares
	uri        string                      // for the data of errors
	maxResult  int64                       // bytes that the result may have; 0 for any number
	observed   *observation                // nil if there is no observer
	code       int                         // of the error of the response; 0 for a result
	dropped    bool                        // the request was cancelled before it began and gets no response
}

// observation is the state of the current request that only the observer needs.
type observation struct {
	settled bool            // there is a response
	values  context.Context // from the observer, for the handler
	fault   *wire.Error     // of the response; nil if that is a result
}

// SentBy sets the _meta of the current request.
func (r *AtHand) SentBy(meta *protocol.RequestMetaObject) { r.clientMeta = meta }

// ClientMeta returns the _meta that SentBy was given for the current request.
func (r *AtHand) ClientMeta() *protocol.RequestMetaObject { return r.clientMeta }

// AtURI sets the URI of the resource that the current request is about. The data of an error response contains it.
func (r *AtHand) AtURI(uri string) { r.uri = uri }

// URI returns what AtURI was given.
func (r *AtHand) URI() string { return r.uri }

// LimitResult limits the result of the current request to n bytes; 0 means no limit of its own.
func (r *AtHand) LimitResult(n int64) { r.maxResult = n }
