package directive

// Event makes a struct the payload of an event: what happens in the world, of which clients hear by polling, on a
// stream or at a webhook. Generated code has what publishes it, its schemas and its codecs.
type Event struct {
	// Name is the name of the event; the default are the words of the Go name with dots between them:
	// incident.opened for IncidentOpened.
	Name String `option:"name" eg:"incident.opened"`
	// Title is the name that users see.
	Title String `option:"title" eg:"\"An incident was opened\""`
	// Desc is the description, in place of the doc comment.
	Desc Text `option:"desc" eg:"@OPENED.md"`
	// Modes are the ways in which clients get the event; the default is poll and push. A webhook needs a server that
	// knows its callers.
	Modes Enums `option:"modes" values:"poll,push,webhook"`
	// Args is the struct of the arguments with which clients subscribe. Without a match function each argument is
	// compared with the field of the payload that has the same name in JSON. An argument that was left out matches every
	// value, and a list of values matches each of them.
	Args Ref `option:"args" eg:"IncidentFilter"`
	// ID is the field with what identifies an occurrence, a string: publishing one twice is one event. Without it each
	// occurrence gets an id.
	ID Ref `option:"id" eg:"ID"`
	// Time is the field of type time.Time that says when it happened; the default is when it was published.
	Time Ref `option:"time" eg:"Opened"`
	// Retain is how long occurrences can be read again.
	Retain Duration `option:"retain" eg:"10m"`
	// Keep is how many occurrences can be read again; of more the oldest are dropped.
	Keep Int `option:"keep" eg:"10000"`
	// Poll is how long clients are asked to wait between two polls.
	Poll Duration `option:"poll" eg:"5s"`
	// Tags group features. A program selects features by tag with
	// mcp.Options.OnlyTags and ExceptTags. Clients do not see tags.
	Tags List `option:"tags" eg:"incidents"`
	Bind
}

// Match makes a method or function decide which occurrences of an event a subscription gets.
type Match struct {
	// Of is the event, by Go name or by its name for clients.
	Of Ref `option:"of,required" eg:"IncidentOpened"`
	Bind
}

// Shape makes a method or function return the payload of an event as a subscriber gets it: a copy, changed, such as
// without what it may not see. It runs after match.
type Shape struct {
	// Of is the event, by Go name or by its name for clients.
	Of Ref `option:"of,required" eg:"IncidentOpened"`
	Bind
}

// Replay makes a method or function return occurrences of an event from the history that the program has itself.
// Nothing else keeps occurrences of such an event: nothing is published, and the generated Announce method says that
// there are more. The event has id= and time=.
type Replay struct {
	// Of is the event, by Go name or by its name for clients.
	Of Ref `option:"of,required" eg:"IncidentOpened"`
	Bind
}
