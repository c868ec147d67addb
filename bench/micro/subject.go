package main

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/bench/internal/work"
)

// subject is one server, ready to be asked in memory. run sends the request n times, each one
// after the answer to the one before, and returns the last answer.
type subject interface {
	run(request *work.Message, n int) (last []byte, err error)
}

// library makes the servers of one library. They stay up until the process ends.
type library struct {
	name string
	make func(kind work.Kind, era work.Era) (subject, error)

	mu   sync.Mutex
	have map[string]subject
}

// subject returns the server for an operation, opened once.
func (l *library) subject(op work.Op) (subject, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := fmt.Sprint(op.Server, op.Era)
	if s := l.have[key]; s != nil {
		return s, nil
	}
	s, err := l.make(op.Server, op.Era)
	if err != nil {
		return nil, err
	}
	if op.Era == work.Legacy {
		if _, err := s.run(work.NewMessage([]byte(work.Handshake[0])), 1); err != nil {
			return nil, err
		}
	}
	if l.have == nil {
		l.have = make(map[string]subject)
	}
	l.have[key] = s
	return s, nil
}

// verify asks once and looks at the answer.
func verify(s subject, op work.Op) error {
	last, err := s.run(work.NewMessage([]byte(op.Request)), 1)
	if err != nil {
		return err
	}
	return right(op, last)
}

// right reports what is wrong with an answer.
func right(op work.Op, answer []byte) error {
	if !bytes.Contains(answer, []byte(op.Want)) {
		return fmt.Errorf("%s %s: wrong answer: %.300s", op.Name, op.Era, answer)
	}
	return nil
}
