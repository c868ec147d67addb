module example.com/anchors

go 1.26.0

require (
	connectrpc.com/connect v1.21.1
	github.com/creachadair/jrpc2 v1.3.6
)

require (
	github.com/creachadair/mds v0.31.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)
