package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// message is a JSON-RPC message of either side.
type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      int             `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// client talks to one server process, a request at a time.
type client struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *json.Decoder
	last int // newest request id
}

// start runs a server. The caller calls close.
func start(cmd *exec.Cmd) (*client, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &client{cmd: cmd, in: in, out: json.NewDecoder(out)}, cmd.Start()
}

func (c *client) send(m message) error {
	m.JSONRPC = "2.0"
	return json.NewEncoder(c.in).Encode(m)
}

// ask sends a request and does not wait for its response.
func (c *client) ask(method string, params any) error {
	c.last++
	return c.send(message{ID: c.last, Method: method, Params: params})
}

// call sends a request and decodes the result of its response. Notifications before the response are left out.
func (c *client) call(method string, params, result any) error {
	if err := c.ask(method, params); err != nil {
		return err
	}
	for {
		var m message
		switch err := c.out.Decode(&m); {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case m.Error != nil:
			return fmt.Errorf("%s: error %s", method, m.Error)
		case m.Method == "" && m.ID == c.last:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// notification returns the next message of the server, which must be a notification of this method.
func (c *client) notification(method string) (message, error) {
	var m message
	if err := c.out.Decode(&m); err != nil {
		return m, fmt.Errorf("%s: %w", method, err)
	}
	if m.Method != method {
		return m, fmt.Errorf("got %s, want %s", m.Method, method)
	}
	return m, nil
}

// close ends the server's input and waits until it has ended.
func (c *client) close() error {
	return errors.Join(c.in.Close(), c.cmd.Wait())
}
