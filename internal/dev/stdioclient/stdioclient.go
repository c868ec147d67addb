// Package stdioclient is a small MCP client for programs of this repository: it starts a server, writes one JSON-RPC
// message on each line of its standard input and reads its standard output. Params and results are encoded by
// encoding/json.
package stdioclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
)

// Message is one JSON-RPC message of either side.
type Message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int            `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is the error that a server answers with.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// Client is a connection to one server process. Its methods are safe for concurrent use.
type Client struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	notes chan Message
	ended chan struct{} // closed when the server's output has ended

	mu      sync.Mutex
	last    int                  // newest request id
	waiting map[int]chan Message // who waits for an answer
}

// Start runs a command and talks to it. The caller calls Close.
func Start(cmd *exec.Cmd) (*Client, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &Client{
		cmd: cmd, in: in,
		notes:   make(chan Message, 1024),
		ended:   make(chan struct{}),
		waiting: map[int]chan Message{},
	}
	go c.read(out)
	return c, nil
}

// read hands each line of the server to whoever waits for it, until the output ends.
func (c *Client) read(out io.Reader) {
	defer close(c.ended)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m Message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue
		}
		if m.Method != "" {
			c.notes <- m
			continue
		}
		c.mu.Lock()
		if m.ID != nil && c.waiting[*m.ID] != nil {
			c.waiting[*m.ID] <- m
			delete(c.waiting, *m.ID)
		}
		c.mu.Unlock()
	}
}

// Ask sends a request and does not wait for its answer, which comes on the channel.
func (c *Client) Ask(method string, params any) (id int, answer <-chan Message, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	ch := make(chan Message, 1)
	c.waiting[c.last] = ch
	return c.last, ch, c.writeLocked(Message{ID: new(c.last), Method: method}, params)
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writeLocked(Message{Method: method}, params)
}

func (c *Client) writeLocked(m Message, params any) error {
	var err error
	if m.Params, err = json.Marshal(params); err != nil {
		return err
	}
	m.JSONRPC = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(line, '\n'))
	return err
}

// Call sends a request and decodes the result of its answer into result. An answer that is an error gives an *Error.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	_, answer, err := c.Ask(method, params)
	if err != nil {
		return err
	}
	m, err := c.await(ctx, answer)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", method, err)
	case m.Error != nil:
		return fmt.Errorf("%s: %w", method, m.Error)
	}
	return json.Unmarshal(m.Result, result)
}

// Notification returns the next notification of the server.
func (c *Client) Notification(ctx context.Context) (Message, error) {
	return c.await(ctx, c.notes)
}

func (c *Client) await(ctx context.Context, ch <-chan Message) (Message, error) {
	select {
	case m := <-ch:
		return m, nil
	case <-ctx.Done():
		return Message{}, ctx.Err()
	case <-c.ended:
	}
	select { // it may have been the last thing the server wrote
	case m := <-ch:
		return m, nil
	default:
		return Message{}, errors.New("the server has ended")
	}
}

// Close ends the server's input and waits until it has ended.
func (c *Client) Close() error {
	closing := c.in.Close()
	<-c.ended
	return errors.Join(closing, c.cmd.Wait())
}
