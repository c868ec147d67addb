package served

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/mcpgen/mcpgen/golden/board"
	"github.com/mcpgen/mcpgen/golden/files"
	"github.com/mcpgen/mcpgen/golden/guides"
	"github.com/mcpgen/mcpgen/golden/guides/ops"
	"github.com/mcpgen/mcpgen/golden/jobs"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/mcp/mcphttp"
)

// servers are the servers that attacks are made on, by the names of their packages below golden.
var servers = map[string]func(root *os.Root, pace time.Duration, opts *mcp.Options) (mcphttp.Server, error){
	"": func(root *os.Root, _ time.Duration, opts *mcp.Options) (mcphttp.Server, error) {
		return NewServedServer(ServedImpl{Files: &Files{Root: root}}, opts)
	},
	"files": func(root *os.Root, _ time.Duration, opts *mcp.Options) (mcphttp.Server, error) {
		return files.NewFilesServer(files.FilesImpl{Handbook: &files.Handbook{Pages: root}}, opts)
	},
	"jobs": func(_ *os.Root, pace time.Duration, opts *mcp.Options) (mcphttp.Server, error) {
		a := jobs.New(pace, jobs.Document{Name: "minutes", Text: "We met and left."},
			jobs.Document{Name: "draft-1", Text: "To be done"}, jobs.Document{Name: "draft-2", Text: "To be done as well"})
		return jobs.NewJobsServer(jobs.JobsImpl{Archive: a}, opts)
	},
	"guides": func(_ *os.Root, _ time.Duration, opts *mcp.Options) (mcphttp.Server, error) {
		o, err := ops.NewOpsServer(ops.OpsImpl{}, nil)
		if err != nil {
			return nil, err
		}
		return guides.NewGuidesServer(guides.GuidesImpl{Ops: o}, opts)
	},
	"board": newBoard,
}

// newBoard has many cards, people and attachments.
func newBoard(_ *os.Root, _ time.Duration, opts *mcp.Options) (mcphttp.Server, error) {
	const many = 5000
	cards, attachments, people := board.NewCardStore(), board.NewAttachmentStore(), new(board.Directory)
	var errs []error
	for i := range many {
		errs = append(errs, cards.Put(board.Card{Column: board.Todo, No: i + 1, Title: "Card", Body: "Water the plants."}))
		people.Put(board.Person{Team: "ops", ID: int64(i), Name: "Ada"})
	}
	large := board.Meta{Name: "large.bin", Type: "application/octet-stream"}
	errs = append(errs, attachments.Put(board.Attachment{Meta: large, Data: make([]byte, 4<<20)}))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return board.NewBoardServer(board.BoardImpl{
		Card: cards, Attachment: attachments, Person: people, Slot: board.NewSlotStore(), Day: board.NewDayStore(),
		Machine: board.NewMachineStore(), Desk: &board.Desk{Cards: cards, Now: time.Now},
	}, opts)
}

// serveTLS serves HTTP/2 with an http.Server of the program and a certificate, until the process gets SIGINT.
func serveTLS(addr, cert, key string, srv mcphttp.Server, opts *mcphttp.Options) error {
	h, err := mcphttp.Handler(srv, opts)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(mcphttp.Path, h)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return err
	}
	hs := &http.Server{Handler: mux,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "serving address=%s\n", l.Addr())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- mcphttp.Serve(hs, l, srv, opts) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	_ = srv.Base().Close()
	return hs.Close()
}
