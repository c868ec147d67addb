package validator

// namedOtherwise are methods of extensions without a schema whose names do not begin with the extension's identifier,
// since the extension's specification names them so.
var namedOtherwise = map[string]string{
	"skills/list":              skillsID,
	"skills/get":               skillsID,
	"resources/directory/read": skillsID,

	"events/list": eventsID, "events/poll": eventsID, "events/stream": eventsID,
	"events/subscribe": eventsID, "events/unsubscribe": eventsID,
	"notifications/events/active": eventsID, "notifications/events/event": eventsID,
	"notifications/events/heartbeat": eventsID, "notifications/events/error": eventsID,
	"notifications/events/terminated": eventsID,
}
