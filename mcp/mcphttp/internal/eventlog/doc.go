// Package eventlog writes the streams of responses, and keeps events that a session may need again. The way of an
// event:
//
//  1. An [Opener] opens a response as a [Stream]. stream.go writes its events and comments, each with a deadline, and
//     counts why the stream ends. detach.go lets a stream that stays open leave net/http; leave_linux.go sees when its
//     client leaves. paced.go has the streams that cannot be resumed.
//  2. A session has [Streams]: that of its notifications, and one for each response, all of them a [Log].
//  3. [Log.Add] numbers an event, writes it to the stream at hand, if there is one, and keeps it (events.go).
//  4. retain.go decides what is kept, and for how long; what is kept counts for the client in package limits.
//  5. A client that comes back names the last event that it has: resume.go finds the [Log] and attaches a new stream.
//
// A Log is locked before its Streams. No lock of Streams is held during I/O.
package eventlog
