package wire

// AppendRequest appends the beginning of a request. The caller appends the params, an object, and the closing brace.
func AppendRequest(b []byte, id ID, method string) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = id.AppendJSON(b)
	return appendMethod(b, method)
}

// AppendNotification appends the beginning of a notification. The caller appends the params, an object, and the closing
// brace.
func AppendNotification(b []byte, method string) []byte {
	return appendMethod(append(b, `{"jsonrpc":"2.0"`...), method)
}

func appendMethod(b []byte, method string) []byte {
	b = append(b, `,"method":`...)
	b = AppendString(b, method)
	return append(b, `,"params":`...)
}

// AppendResult appends the beginning of a successful response. The caller appends the result and the closing brace.
func AppendResult(b []byte, id ID) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = id.AppendJSON(b)
	return append(b, `,"result":`...)
}

// AppendError appends a whole error response. A zero id means that the id of the request could not be read. With
// nullID, a zero id is written as null, as older revisions want it; otherwise the member is left out.
func AppendError(b []byte, id ID, nullID bool, e *Error) []byte {
	b = append(b, `{"jsonrpc":"2.0"`...)
	if !id.IsZero() || nullID {
		b = append(b, `,"id":`...)
		b = id.AppendJSON(b)
	}
	b = append(b, `,"error":`...)
	b = e.AppendJSON(b)
	return append(b, '}')
}
