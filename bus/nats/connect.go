package natsbus

import (
	"errors"
	"fmt"
	neturl "net/url"
	"time"

	"github.com/nats-io/nats.go"
)

// Connect connects to one of the servers of url, which may be a list with commas. The options of the caller come after
// those of this package:
//
//   - a frame that cannot be sent at once is an error and not kept (nats.ReconnectBufSize(-1)), because a server that
//     comes back would hand it to itself before the other replicas have subscribed again;
//   - the connection is made again for ever, at first too (nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true)), so
//     a replica starts without a server, and is ready when there is one;
//   - a server that says nothing is given up after 15 seconds (nats.PingInterval, nats.MaxPingsOutstanding), and a
//     write after 2 seconds (nats.FlusherTimeout);
//   - a subscription that the server refuses is an error (nats.PermissionErrOnSubscribe(true)).
//
// Wrong credentials end the connection when the server has refused them twice, unless the caller adds
// nats.IgnoreAuthErrorAbort(). The caller closes the connection, after the server of this package's user.
func Connect(url string, options ...nats.Option) (*nats.Conn, error) {
	conn, err := nats.Connect(url, append([]nats.Option{
		nats.ReconnectBufSize(-1),
		nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(250*time.Millisecond, 250*time.Millisecond),
		nats.PingInterval(5 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.FlusherTimeout(2 * time.Second),
		nats.PermissionErrOnSubscribe(true),
	}, options...)...)
	if bad := (*neturl.Error)(nil); errors.As(err, &bad) { // its text has the URL, and with it the password
		return nil, errors.New("natsbus: the URL of a server cannot be read: want nats://host:port, with special " +
			"characters of a password as in url.UserPassword")
	}
	return conn, err
}

// check returns an error that names the options without which a connection does not do.
func check(conn *nats.Conn) error {
	if conn == nil {
		return errors.New("natsbus: there is no connection")
	}
	var problems []error
	for _, c := range []struct {
		wrong        bool
		option, says string
	}{
		{conn.Opts.ReconnectBufSize >= 0, "nats.ReconnectBufSize(-1)", "frames would get lost while Publish succeeds"},
		{!conn.Opts.AllowReconnect || conn.Opts.MaxReconnect >= 0, "nats.MaxReconnects(-1)",
			"the connection would not be made again"},
		{conn.Opts.NoEcho, "nats.NoEcho() left out", "a replica must hear itself"},
		{!conn.Opts.PermissionErrOnSubscribe, "nats.PermissionErrOnSubscribe(true)",
			"a subscription that the server refuses would look like a quiet one"},
	} {
		if c.wrong {
			problems = append(problems, fmt.Errorf("natsbus: connect with %s, as Connect does: %s", c.option, c.says))
		}
	}
	return errors.Join(problems...)
}
