package directive

// Extension declares an extension of the protocol that the server defines. The variable, a struct or a map, has the
// settings that clients get with the capability; an empty struct means none.
type Extension struct {
	// ID is a vendor prefix, which is a domain in reverse, a slash and a name.
	ID String `option:"id,required" eg:"com.example/locks"`
	// Revisions are the versions of the extension that the server speaks, as dates, oldest first. Clients name the one
	// that they speak as "revision" in their settings; those that name none speak the first.
	Revisions List `option:"revisions" eg:"2026-08-01,2026-09-15"`
	Bind
}

// Method makes a method or function serve a request of an extension, for clients that have declared the extension.
// Other clients get the error -32021, or before 2026-07-28 the error -32601.
type Method struct {
	// Extension is the extension, by the name of its variable or by its id. It may be left out if the server has one
	// extension.
	Extension Ref `option:"extension" eg:"Locks"`
	// Name is the method on the wire. The default is made from the id of the extension and the Go name:
	// com.example/locks/acquire, or notifications/com.example/locks/acquire for a notification.
	Name String `option:"name" eg:"com.example/locks/acquire"`
	// Notification makes it a notification, which has no response.
	Notification Bool `option:"notification"`
	// Filter makes it a member of the filter of subscriptions/listen, since 2026-07-28. Params are the value of the
	// member, and the result is the names of the topics that the client follows.
	Filter Bool `option:"filter"`
	// Undeclared also serves clients that have not declared the extension.
	Undeclared Bool `option:"undeclared"`
	// Since is the first version of the extension with the method. For clients of older ones there is no such method.
	Since String `option:"since" eg:"2026-09-15"`
	Bind
}

// Notification makes a struct the params of a notification of an extension, which mcp.Call.Notify sends to the client
// of a request before the response. Clients that have not declared the extension do not get it.
type Notification struct {
	// Extension is the extension, by the name of its variable or by its id. It may be left out if the server has one
	// extension.
	Extension Ref `option:"extension" eg:"Locks"`
	// Name is the method on the wire. The default is made from the id of the extension and the Go name:
	// notifications/com.example/locks/released.
	Name String `option:"name" eg:"notifications/com.example/locks/released"`
	// Topic is the field with the name of the topic, a string. The generated server has a method that sends the
	// notification to the clients whose listens follow that topic.
	Topic Ref `option:"topic" eg:"Name"`
	// Since is the first version of the extension with the notification. Clients of older ones do not get it.
	Since String `option:"since" eg:"2026-09-15"`
	Bind
}

// Experimental declares an experimental capability of the server. The variable, a struct or a map, has its
// settings; an empty struct means none.
type Experimental struct {
	// Name is the name of the capability.
	Name String `option:"name,required" eg:"com.example/preview"`
	Bind
}
