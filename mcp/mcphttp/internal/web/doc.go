// Package web has what all parts of the endpoint need of HTTP:
//
//   - headers.go: the names of the headers, and the values of responses that never change;
//   - accept.go: which types a request may have and a client takes;
//   - refusal.go: a [Refusal] is why a request is not handled; [Refuse] and [Explain] send it;
//   - deadlines.go: no response and no body takes longer than its client may take.
//
// A response of JSON goes through [WriteJSON], or through [WriteHead] and [Progressing] if it is large. A body that is
// not read to its end goes through [HangUp] before its response.
//
// It is the lowest package of the transport: it knows no session, no limit and no option.
package web
