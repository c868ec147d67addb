package attack

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// asks are what honest clients do, and how they tell right answers.
var asks = map[Asking]func(context.Context, *visit, *Row) error{
	Calls: askTool, Reads: askResource, Works: askTask, Lists: askList, Listens: askListen, Answers: askAnswer,
	Watches: askWatch,
}

// askTool calls a tool that returns its argument.
func askTool(_ context.Context, v *visit, row *Row) error {
	nonce := fmt.Sprintf("nonce %d", nonces.Add(1))
	kind, text := v.call(tool(row.tool(), fmt.Sprintf(`"text":%q`, nonce)), Reply)
	return right(kind, text, nonce)
}

// askResource reads a small resource.
func askResource(_ context.Context, v *visit, row *Row) error {
	kind, text := v.call(read(row.URI), Reply)
	return right(kind, text, `"contents"`)
}

// letters is a task of golden/jobs for so many people.
func letters(n int) Message {
	to := strings.TrimSuffix(strings.Repeat(`"a",`, n), ",")
	return Message{RPC: "tools/call", Params: `{"name":"send_letters","arguments":{"document":"minutes","to":[` +
		to + `]},"task":{"ttl":600000}}`}
}

// askTask makes a task and asks for its state until it has ended.
func askTask(ctx context.Context, v *visit, _ *Row) error {
	kind, text := v.call(letters(1), Reply)
	if err := right(kind, text, `"taskId"`); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	v.to.tasks = taskID.FindStringSubmatch(text)[1:]
	for late := time.Now().Add(v.patience); ctx.Err() == nil; time.Sleep(5 * time.Millisecond) {
		kind, text := v.call(request("tasks/get", `{"taskId":"$task"}`), Reply)
		if err := right(kind, text, `"status"`); err != nil {
			return fmt.Errorf("get: %w", err)
		}
		if strings.Contains(text, `"status":"completed"`) {
			return nil
		}
		if time.Now().After(late) {
			return fmt.Errorf("the task has not ended after %v: %s", v.patience, text)
		}
	}
	return ctx.Err()
}

// askList lists the tasks of the caller.
func askList(_ context.Context, v *visit, _ *Row) error {
	kind, text := v.call(request("tasks/list", "{}"), Reply)
	return right(kind, text, `"tasks"`)
}

// askListen opens a listen, or subscribes in a session.
func askListen(ctx context.Context, v *visit, _ *Row) error {
	return askWatch(ctx, v, &Row{URI: "watched:///h"})
}

// askWatch is askListen for the resource of a row.
func askWatch(_ context.Context, v *visit, row *Row) error {
	if !v.to.isModern() {
		kind, text := v.call(subscribe(row.URI), Reply)
		return right(kind, text, "{")
	}
	kind, text := v.call(listen(strconv.Quote(row.URI)), FirstEvent)
	if !strings.Contains(text, row.URI) {
		return fmt.Errorf("%s %.200s", kind, text)
	}
	return nil
}

// askAnswer answers a question.
func askAnswer(ctx context.Context, v *visit, _ *Row) error {
	m := tool("ask", "")
	p := placed{conn: v.c, to: v.to, from: honestAddress, asked: &m}
	r := &run{way: v.way, result: &Result{Replies: map[string]int{}}}
	kind, _, text := v.exchange(v.c, &v.to, m, FirstEvent)
	if p.answer = text; text == "" {
		return errors.New("not asked: " + kind)
	}
	r.answerQuestion(ctx, p)
	if r.result.Replies["200 result"] != 1 {
		return fmt.Errorf("%s %.200s: %v", kind, text, r.result.Replies)
	}
	return nil
}

// right reports an answer that is not the wanted one.
func right(kind, text, want string) error {
	if kind != "result" || !strings.Contains(text, want) {
		return fmt.Errorf("%s %.200s", kind, text)
	}
	return nil
}
