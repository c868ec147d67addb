package call

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generated/protocol"
	"github.com/mcpgen/mcpgen/mcp/internal/era"
	"github.com/mcpgen/mcpgen/mcp/wire"
)

// Levels of the protocol that log/slog has no name for (server/utilities/logging). Levels between
// two names count as the lower one.
const (
	levelNotice    = slog.LevelInfo + 2
	levelCritical  = slog.LevelError + 4
	levelAlert     = slog.LevelError + 8
	levelEmergency = slog.LevelError + 12
)

// logLevels are the levels of the protocol, the most severe first.
var logLevels = [...]struct {
	from slog.Level
	name protocol.LoggingLevel
}{
	{levelEmergency, protocol.LoggingLevelEmergency},
	{levelAlert, protocol.LoggingLevelAlert},
	{levelCritical, protocol.LoggingLevelCritical},
	{slog.LevelError, protocol.LoggingLevelError},
	{slog.LevelWarn, protocol.LoggingLevelWarning},
	{levelNotice, protocol.LoggingLevelNotice},
	{slog.LevelInfo, protocol.LoggingLevelInfo},
	{math.MinInt, protocol.LoggingLevelDebug},
}

// LogNothing is a level that no message reaches.
const LogNothing = slog.Level(math.MaxInt32)

// LevelNamed returns the log/slog level of a level of the protocol. It reports false for an unknown name.
func LevelNamed(name protocol.LoggingLevel) (slog.Level, bool) {
	for _, l := range logLevels {
		if l.name == name {
			return l.from, true
		}
	}
	return LogNothing, false
}

// levelName returns the name that the protocol has for a level.
func levelName(l slog.Level) protocol.LoggingLevel {
	for _, known := range logLevels {
		if l >= known.from {
			return known.name
		}
	}
	return protocol.LoggingLevelDebug
}

// Logger returns a logger that sends its messages to the client of the request, until the response is sent. A legacy
// session sets the level with logging/setLevel; from 2026-07-28 on each request has its own. A client that has set none
// gets no messages. The server must declare the capability, as generated servers do for handlers with a *slog.Logger
// parameter. Clients show the messages to users and models, so they must not contain secrets. The first 100 messages of
// a request are sent at once, later ones at most every 20 milliseconds. Those between are dropped; the next one says
// how many, as "dropped".
func (c *Call) Logger() *slog.Logger { return slog.New(&logHandler{call: c.Own()}) }

// logLevel returns the least severe level that the client wants for this request at present.
func (c *Call) logLevel() slog.Level {
	switch {
	case c.req.Conn == nil || !c.req.Conn.Shared.Logs:
		return LogNothing
	case !era.IsModern(c.rev):
		return slog.Level(c.req.Conn.LogLevel.Load())
	case c.req.Meta == nil:
		return LogNothing
	}
	level, _ := LevelNamed(c.req.Meta.LogLevel)
	return level
}

// logHandler sends records to the client of one request.
type logHandler struct {
	call   *Call
	attrs  []groupedAttr
	groups []string // that later attributes belong to
}

// groupedAttr is an attribute with the names of the groups around it.
type groupedAttr struct {
	groups []string
	attr   slog.Attr
}

var _ slog.Handler = (*logHandler)(nil)

// Enabled implements slog.Handler.
func (h *logHandler) Enabled(_ context.Context, l slog.Level) bool {
	return l >= h.call.logLevel() && h.call.Running()
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *h
	next.attrs = slices.Clip(next.attrs)
	for _, a := range attrs {
		next.attrs = append(next.attrs, groupedAttr{h.groups, a})
	}
	return &next
}

// WithGroup implements slog.Handler.
func (h *logHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	next := *h
	next.groups = append(slices.Clip(next.groups), name)
	return &next
}

// Handle implements slog.Handler. Messages after the response are dropped.
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	dropped, send := takeLog(h.call)
	if !send {
		return nil
	}
	data := map[string]any{}
	if dropped > 0 {
		data["dropped"] = dropped
	}
	for _, p := range h.attrs {
		addAttr(data, p.groups, p.attr)
	}
	r.Attrs(func(a slog.Attr) bool {
		addAttr(data, h.groups, a)
		return true
	})
	data[slog.MessageKey] = r.Message
	p := protocol.LoggingMessageNotificationParams{
		Level: levelName(r.Level), Logger: h.call.req.Target, Data: encodeLog(data),
	}
	b := wire.AppendNotification(nil, protocol.MethodNotificationsMessage)
	b = p.AppendJSON(b, h.call.rev)
	_ = h.call.Send(append(b, '}'))
	return nil
}

// addAttr adds an attribute to an object, inside of groups. It replaces an attribute of the same name.
func addAttr(data map[string]any, groups []string, a slog.Attr) {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			groups = append(slices.Clip(groups), a.Key)
		}
		for _, inner := range v.Group() {
			addAttr(data, groups, inner)
		}
		return
	}
	if a.Equal(slog.Attr{}) {
		return
	}
	for _, name := range groups {
		group, ok := data[name].(map[string]any)
		if !ok {
			group = map[string]any{}
			data[name] = group
		}
		data = group
	}
	data[a.Key] = logValue(v)
}

// logValue converts a value to one for which encoding/json writes readable text.
func logValue(v slog.Value) any {
	switch v.Kind() {
	case slog.KindDuration:
		return v.Duration().String()
	case slog.KindTime:
		return v.Time().Format(time.RFC3339Nano)
	case slog.KindFloat64:
		if !finite(v.Float64()) {
			return v.String()
		}
	case slog.KindAny:
		return anyLogValue(v)
	}
	return v.Any()
}

// anyLogValue is logValue for values of types that log/slog does not know: errors become their text, and a value
// without a JSON form is written as fmt does.
func anyLogValue(v slog.Value) any {
	x := v.Any()
	_, marshals := x.(json.Marshaler)
	if err, ok := x.(error); ok && !marshals {
		return err.Error()
	}
	b, err := json.Marshal(x)
	if err != nil {
		return v.String()
	}
	return json.RawMessage(b)
}

// encodeLog encodes an object whose values all have a JSON form.
func encodeLog(data map[string]any) json.RawMessage {
	b, err := json.Marshal(data)
	if err != nil {
		return wire.AppendString(nil, err.Error())
	}
	return b
}
