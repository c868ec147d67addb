package wire

import "encoding/json"

// Notification is a notification of an extension that a server sends. Generated code makes it from a struct with
// //mcp:notification.
type Notification struct {
	// Extension is the id of the extension, and Method the method on the wire.
	Extension, Method string
	// Since is the first version of the extension with the notification; "" for all.
	Since string
	// Topic is where the notification is published, for clients that listen; "" if it is only sent within a request.
	Topic string
	// Params returns the params, a JSON object.
	Params func() (json.RawMessage, error)
}

// FormSchema is a form whose answer is a T. Generated code makes it from a struct with //mcp:form.
type FormSchema[T any] struct {
	// Schema describes the fields to clients: the JSON text of a flat object schema, as the newest
	// revision has it.
	Schema string
	// Decode reads the fields that the user filled in, a JSON object, and checks them.
	Decode func(d *Decoder, v *T)
}
