package directive

// Var refines one template variable.
type Var struct {
	// Name is the variable.
	Name Word `option:"NAME,required" eg:"limit"`
	// Param is the Go parameter, if its name differs.
	Param Ref `option:"param" eg:"num"`
	// Default is the value of a variable that is absent.
	Default String `option:"default" eg:"100"`
	// Min is the smallest value allowed, written like a value of the variable.
	Min String `option:"min" eg:"1"`
	// Max is the largest value allowed, written like a value of the variable.
	Max String `option:"max" eg:"1000"`
	// Minlen is the smallest length in characters.
	Minlen Int `option:"minlen" eg:"1"`
	// Maxlen is the largest length in characters.
	Maxlen Int `option:"maxlen" eg:"64"`
	// Pattern is a regular expression (RE2) that the whole value matches, for texts.
	Pattern Regexp `option:"pattern" eg:"[a-z]+"`
	// Layout is the form of a time, as in package time.
	Layout String `option:"layout" eg:"2006-01-02"`
	// Desc describes the variable.
	Desc Text `option:"desc" eg:"\"number within the project\""`
	// Required refuses a request without the variable.
	Required Bool `option:"required"`
	// Raw switches off the screening of paths. A type with its own UnmarshalText
	// is never screened: what it takes is its own business.
	Raw Bool `option:"raw"`
	// Complete says where proposals come from.
	Complete Enum `option:"complete" values:"list,enum,none"`
}

// PromptArg refines one argument of a prompt, or of a tool that takes each argument as a parameter.
type PromptArg struct {
	// Name is the argument.
	Name Word `option:"NAME,required" eg:"tone"`
	// Param is the Go parameter, if its name differs.
	Param Ref `option:"param" eg:"level"`
	// Title is the name shown to people.
	Title String `option:"title" eg:"\"Tone of voice\""`
	// Desc says what to enter.
	Desc Text `option:"desc" eg:"\"number within the project\""`
	// Default is the value of an argument that is left out.
	Default String `option:"default" eg:"friendly"`
	// Required refuses a request without the argument, which its type would allow.
	Required Bool `option:"required"`
	// Min is the smallest value allowed, written like a value of the argument.
	Min String `option:"min" eg:"1"`
	// Max is the largest value allowed, written like a value of the argument.
	Max String `option:"max" eg:"1000"`
	// Minlen is the smallest length in characters.
	Minlen Int `option:"minlen" eg:"1"`
	// Maxlen is the largest length in characters.
	Maxlen Int `option:"maxlen" eg:"64"`
	// Pattern is a regular expression (RE2) that the whole value matches, for texts.
	Pattern Regexp `option:"pattern" eg:"[a-z]+"`
	// Layout is the form of a time, as in package time.
	Layout String `option:"layout" eg:"2006-01-02"`
	// Complete says where proposals come from; none switches off those of the type.
	Complete Enum `option:"complete" values:"enum,none"`
}

// Annotate tells clients for whom a resource is and how important it is.
type Annotate struct {
	// Audience is who the content is for.
	Audience Enums `option:"audience,code=MCP601" values:"user,assistant"`
	// Priority runs from 0 (optional) to 1 (needed).
	Priority Unit `option:"priority,code=MCP601" eg:"0.8"`
	// Modified is when the content last changed.
	Modified Time `option:"modified" eg:"2026-01-31T12:00:00Z"`
}

// Icon adds an image that clients may show. It may be repeated.
type Icon struct {
	// Src is the address of the image, https: or data:.
	Src String `option:"src,required" eg:"https://example.com/book.svg"`
	// Mime is the media type of the image.
	Mime MIME `option:"mime" eg:"image/svg+xml"`
	// Sizes are the sizes in pixels for which the image is made.
	Sizes Sizes `option:"sizes" eg:"48x48,any"`
	// Theme is the background for which the image is made.
	Theme Enum `option:"theme" values:"light,dark"`
}

// Cache says how long, and for whom, an answer stays good.
type Cache struct {
	// TTL is how long an answer may be reused.
	TTL Duration `option:"ttl" eg:"30s"`
	// Scope is private for one caller or public for all.
	Scope Enum `option:"scope" values:"public,private"`
}

// Access says who may use a feature. To others it does not exist: it is in no list, and using it is the same
// error as using what was never declared. Lines add up, those of the server and of the receiver type too.
type Access struct {
	// None drops what the defaults ask for, which is a warning until it is allowed with a reason.
	None Bool `option:"none"`
	// Scopes must all be granted.
	Scopes List `option:"scopes" eg:"crm.read"`
	// Anyscope needs one of its scopes.
	Anyscope List `option:"anyscope" eg:"crm.read,crm.admin"`
	// Roles needs one of its roles.
	Roles List `option:"roles" eg:"editor,owner"`
	// Policy is a method of the receiver, or a function: func(ctx, mcp.Caller, variables…) error. Its error
	// refuses the caller.
	Policy Ref `option:"policy" eg:"OwnTickets"`
	// Hide is on by default. With hide=false the feature is in the lists of all, and whoever may not use it is told so.
	Hide Bool `option:"hide"`
}

// Limit bounds what a feature may cost. Each option overrides that of a default.
type Limit struct {
	// Timeout ends the context of a call, and answers it with an error.
	Timeout Duration `option:"timeout" eg:"5s"`
	// Rate is the number of calls in a time. Further ones are refused, and told when to try again.
	Rate Rate `option:"rate" eg:"60/m"`
	// Burst is how many calls may come at once, as many as in the rate if it is left out.
	Burst Int `option:"burst" eg:"10"`
	// By is who shares a rate: each user (the default), each connection or session, or all together.
	By Enum `option:"by" values:"user,client,global"`
	// Concurrency is the number of calls that run at the same time. Further ones are refused.
	Concurrency Int `option:"concurrency" eg:"4"`
	// Bytes bounds the size of a result as JSON. A larger one is an error.
	Bytes Bytes `option:"bytes" eg:"2MiB"`
}

// Availability says in which versions a feature exists.
type Availability struct {
	// Since is the first version of the server with the feature. In versions before it clients do not see it.
	Since String `option:"since" eg:"1.2"`
	// Until is the first version without it. From there on clients do not see it.
	Until String `option:"until" eg:"2.0"`
	// Proto is the range of protocol revisions that offer it.
	Proto Range `option:"proto" eg:"2025-11-25.."`
	// Deprecated says what to use instead, in the description that clients get.
	Deprecated Text `option:"deprecated" eg:"\"use reports://v2\""`
}

// Meta adds entries to _meta. Each key has a reverse-DNS prefix and a slash.
type Meta struct {
	// Entries are the pairs.
	Entries Pairs `option:"KEY=VALUE,required" eg:"com.example/owner=finance"`
}

// Alias gives a second template to the same function.
type Alias struct {
	// URI is the other address.
	URI URI `option:"uri,required" eg:"notes:///by-slug/{slug}"`
}

// Use wraps a feature in middleware of the program. The generator emits an
// interface with one method per name.
type Use struct {
	// Names are the methods, outermost first.
	Names Words `option:"NAME,required" eg:"Audit"`
}

// Allow suppresses one diagnostic here and says why.
type Allow struct {
	// Code is the diagnostic.
	Code Word `option:"CODE,required" eg:"MCP702"`
	// Reason is for the next reader.
	Reason Words `option:"REASON,required" eg:"checked against the index"`
}

// Toggle generates a method that switches the feature on and off.
type Toggle struct{}
