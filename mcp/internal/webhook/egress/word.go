package egress

import "errors"

// Word returns what clients are told of an answer or an error: one of the words of event.Status.LastError, and nothing
// of the text of the error. "" means that the callback has accepted the message.
func Word(answer *Answer, err error) string {
	if err != nil {
		reason := Unreachable
		if e := (*Error)(nil); errors.As(err, &e) {
			reason = e.Reason
		}
		switch reason {
		case Timeout:
			return "timeout"
		case TLS:
			return "tls_error"
		default:
			return "connection_refused" // an address that is refused too: strangers learn nothing of this network
		}
	}
	switch {
	case answer.Status >= 200 && answer.Status < 300:
		return ""
	case answer.Status >= 500:
		return "http_5xx"
	}
	return "http_4xx" // a redirect too: it is the callback that has to change
}
