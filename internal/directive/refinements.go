package directive

// Limits are the valid values of a variable of a template or of an argument, and their form.
type Limits struct {
	// Default is the value if the variable or argument is absent.
	Default String `option:"default" schema:"default" eg:"100"`
	// Min is the smallest valid value, in the form of a value.
	Min String `option:"min" schema:"minimum" eg:"1"`
	// Max is the largest valid value, in the form of a value.
	Max String `option:"max" schema:"maximum" eg:"1000"`
	// Minlen is the smallest valid length in characters.
	Minlen Int `option:"minlen" schema:"minLength" eg:"1"`
	// Maxlen is the largest valid length in characters.
	Maxlen Int `option:"maxlen" schema:"maxLength" eg:"64"`
	// Pattern is a regular expression (RE2) that the whole value must match, for strings.
	Pattern Regexp `option:"pattern" schema:"pattern" eg:"[a-z]+"`
	// Layout is the layout of a time, as in package time.
	Layout String `option:"layout" eg:"2006-01-02"`
	// Example is a value that shows what is meant. Schemas have it as an example; the description of an argument of a
	// prompt, which has no schema, ends with it.
	Example String `option:"example" schema:"example" eg:"42"`
}

// Var refines one variable of a template.
type Var struct {
	// Name is the name of the variable.
	Name Word `option:"NAME,required" eg:"limit"`
	// Param is the Go parameter, if it has another name.
	Param Ref `option:"param" eg:"num"`
	Limits
	// Desc describes the variable.
	Desc Text `option:"desc" eg:"\"number within the project\""`
	// Required refuses requests without the variable.
	Required Bool `option:"required"`
	// Raw switches off the check of strings: see "What raw changes" in values.md. Values of a type with UnmarshalText are
	// never checked; the method decides which are valid.
	Raw Bool `option:"raw"`
	// Complete is the source of completions: list takes the values of the listed instances, enum those of the type,
	// which is the default for enums and bools; none switches completion off.
	Complete Enum `option:"complete" values:"list,enum,none"`
}

// PromptArg refines one argument of a prompt, or of a tool that takes each argument as a parameter.
type PromptArg struct {
	// Name is the name of the argument.
	Name Word `option:"NAME,required" eg:"tone"`
	// Param is the Go parameter, if it has another name.
	Param Ref `option:"param" eg:"level"`
	// Title is the name shown to people.
	Title String `option:"title" schema:"title" eg:"\"Tone of voice\""`
	// Desc describes the argument.
	Desc Text `option:"desc" eg:"\"number within the project\""`
	// Required refuses requests without the argument, although its type is optional.
	Required Bool `option:"required" schema:"required"`
	Limits
	// Complete is the source of completions: enum takes the values of the type, which is the default for enums and
	// bools; none switches completion off.
	Complete Enum `option:"complete" values:"enum,none"`
}

// Annotate sets the annotations of a resource, which tell clients its audience and its importance.
type Annotate struct {
	// Audience is the intended audience.
	Audience Enums `option:"audience,code=MCP601" values:"user,assistant"`
	// Priority is the importance, from 0 (optional) to 1 (required).
	Priority Unit `option:"priority,code=MCP601" eg:"0.8"`
	// Modified is the time of the last change of the content.
	Modified Time `option:"modified" eg:"2026-01-31T12:00:00Z"`
}

// Icon adds an image that clients may show. It may be repeated.
type Icon struct {
	// Src is the URI of the image, with the scheme https or data.
	Src String `option:"src,required" eg:"https://example.com/book.svg"`
	// Mime is the media type of the image.
	Mime MIME `option:"mime" eg:"image/svg+xml"`
	// Sizes are the sizes in pixels for which the image is intended.
	Sizes Sizes `option:"sizes" eg:"48x48,any"`
	// Theme is the background for which the image is intended.
	Theme Enum `option:"theme" values:"light,dark"`
}

// Cache sets how long, and for whom, clients may cache a response.
type Cache struct {
	// TTL is how long a response may be reused.
	TTL Duration `option:"ttl" eg:"30s"`
	// Scope is private (for the same caller) or public (for all callers).
	Scope Enum `option:"scope" values:"public,private"`
}

// Access limits a feature to some callers. For others it does not exist: it is in no list, and its use is the same
// error as the use of an unknown name. All lines apply together, also those of the server and of the receiver type.
type Access struct {
	// None removes the rules of the defaults. It is the warning MCP703 until //mcp:allow gives the reason.
	None Bool `option:"none"`
	// Scopes are scopes that the caller must have, all of them.
	Scopes List `option:"scopes" eg:"crm.read"`
	// Anyscope are scopes of which the caller must have one.
	Anyscope List `option:"anyscope" eg:"crm.read,crm.admin"`
	// Roles are roles of which the caller must have one.
	Roles List `option:"roles" eg:"editor,owner"`
	// Policy is a method of the receiver, or a function: func(ctx, mcp.Caller, variables…) error. An error
	// refuses the caller.
	Policy Ref `option:"policy" eg:"OwnTickets"`
	// Hide is on by default. With hide=false the feature is listed for all callers, and the error of a refused caller
	// gives the reason.
	Hide Bool `option:"hide"`
}

// Limit limits the cost of calls of a feature. Each option overrides that of a default.
type Limit struct {
	// Timeout is the longest duration of a call. Then its response is an error and its context ends.
	Timeout Duration `option:"timeout" eg:"5s"`
	// Rate is how many calls are allowed in a period. Further calls are refused, with the time to wait.
	Rate Rate `option:"rate" eg:"60/m"`
	// Burst is how many calls are allowed at once; the default is the number in the rate.
	Burst Int `option:"burst" eg:"10"`
	// By is what a rate counts: the calls of each user (the default), of each connection or session, or all calls.
	By Enum `option:"by" values:"user,client,global"`
	// Concurrency is how many calls may run at the same time. Further calls are refused.
	Concurrency Int `option:"concurrency" eg:"4"`
	// Bytes is the largest size of a result as JSON. A larger result is an error.
	Bytes Bytes `option:"bytes" eg:"2MiB"`
}

// Availability limits a feature to versions of the server and to revisions of the protocol.
type Availability struct {
	// Since is the first version of the server with the feature.
	Since String `option:"since" eg:"1.2"`
	// Until is the first version of the server without the feature.
	Until String `option:"until" eg:"2.0"`
	// Proto is the range of protocol revisions with the feature.
	Proto Range `option:"proto" eg:"2025-11-25.."`
	// Deprecated is a text for the description that clients get, and says what to use instead.
	Deprecated Text `option:"deprecated" eg:"\"use reports://v2\""`
}

// Meta adds entries to _meta. Each key has a reverse-DNS prefix and a slash.
type Meta struct {
	// Entries are the keys and values.
	Entries Pairs `option:"KEY=VALUE,required" eg:"com.example/owner=finance"`
}

// Alias serves the same resource at a second URI or template.
type Alias struct {
	// URI is the second URI or template.
	URI URI `option:"uri,required" eg:"notes:///by-slug/{slug}"`
}

// Use runs middleware of the program around a feature, and around its completions. The generated middleware
// interface has a method for each name.
type Use struct {
	// Names are the names of the methods, outermost first. They begin with an upper-case letter.
	Names Words `option:"NAME,required" eg:"Audit"`
}

// Allow suppresses one warning or note on a declaration.
type Allow struct {
	// Code is the code of the diagnostic.
	Code Word `option:"CODE,required" eg:"MCP702"`
	// Reason is the reason, for readers of the source.
	Reason Words `option:"REASON,required" eg:"checked against the index"`
}

// Toggle generates a method that switches the feature on and off at run time.
type Toggle struct{}
