package marker

// Var refines one template variable.
type Var struct {
	// Name is the variable.
	Name Word `key:"NAME,required" eg:"limit"`
	// Param is the Go parameter, if its name differs.
	Param Ref `key:"param" eg:"num"`
	// Default is the value of a variable that is absent.
	Default String `key:"default" eg:"100"`
	// Min is the smallest value allowed, written like a value of the variable.
	Min String `key:"min" eg:"1"`
	// Max is the largest value allowed, written like a value of the variable.
	Max String `key:"max" eg:"1000"`
	// Minlen is the smallest length in characters.
	Minlen Int `key:"minlen" eg:"1"`
	// Maxlen is the largest length in characters.
	Maxlen Int `key:"maxlen" eg:"64"`
	// Pattern is a regular expression (RE2) that the whole value matches, for texts.
	Pattern Regexp `key:"pattern" eg:"[a-z]+"`
	// Layout is the form of a time, as in package time.
	Layout String `key:"layout" eg:"2006-01-02"`
	// Desc describes the variable.
	Desc Text `key:"desc" eg:"\"number within the project\""`
	// Required refuses a request without the variable.
	Required Bool `key:"required"`
	// Raw switches off the screening of paths. A type with its own UnmarshalText
	// is never screened: what it takes is its own business.
	Raw Bool `key:"raw"`
	// Complete says where proposals come from.
	Complete Enum `key:"complete" values:"list,enum,none"`
}

// PromptArg refines one argument of a prompt, or of a tool that takes each argument as a parameter.
type PromptArg struct {
	// Name is the argument.
	Name Word `key:"NAME,required" eg:"tone"`
	// Param is the Go parameter, if its name differs.
	Param Ref `key:"param" eg:"level"`
	// Title is the name shown to people.
	Title String `key:"title" eg:"\"Tone of voice\""`
	// Desc says what to enter.
	Desc Text `key:"desc" eg:"\"number within the project\""`
	// Default is the value of an argument that is left out.
	Default String `key:"default" eg:"friendly"`
	// Required refuses a request without the argument, which its type would allow.
	Required Bool `key:"required"`
	// Min is the smallest value allowed, written like a value of the argument.
	Min String `key:"min" eg:"1"`
	// Max is the largest value allowed, written like a value of the argument.
	Max String `key:"max" eg:"1000"`
	// Minlen is the smallest length in characters.
	Minlen Int `key:"minlen" eg:"1"`
	// Maxlen is the largest length in characters.
	Maxlen Int `key:"maxlen" eg:"64"`
	// Pattern is a regular expression (RE2) that the whole value matches, for texts.
	Pattern Regexp `key:"pattern" eg:"[a-z]+"`
	// Layout is the form of a time, as in package time.
	Layout String `key:"layout" eg:"2006-01-02"`
	// Complete says where proposals come from; none switches off those of the type.
	Complete Enum `key:"complete" values:"enum,none"`
}

// Annotate tells clients for whom a resource is and how important it is.
type Annotate struct {
	// Audience is who the content is for.
	Audience Enums `key:"audience,code=MCP601" values:"user,assistant"`
	// Priority runs from 0 (optional) to 1 (needed).
	Priority Unit `key:"priority,code=MCP601" eg:"0.8"`
	// Modified is when the content last changed.
	Modified Time `key:"modified" eg:"2026-01-31T12:00:00Z"`
}

// Icon adds an image that clients may show. It may be repeated.
type Icon struct {
	// Src is the address of the image, https: or data:.
	Src String `key:"src,required" eg:"https://example.com/book.svg"`
	// Mime is the media type of the image.
	Mime MIME `key:"mime" eg:"image/svg+xml"`
	// Sizes are the sizes in pixels for which the image is made.
	Sizes Sizes `key:"sizes" eg:"48x48,any"`
	// Theme is the background for which the image is made.
	Theme Enum `key:"theme" values:"light,dark"`
}

// Cache says how long, and for whom, an answer stays good.
type Cache struct {
	// TTL is how long an answer may be reused.
	TTL Duration `key:"ttl" eg:"30s"`
	// Scope is private for one caller or public for all.
	Scope Enum `key:"scope" values:"public,private"`
}

// Access says who may use a feature. To others it does not exist: it is in no list, and using it is the same
// error as using what was never declared. Lines add up, those of the server and of the receiver type too.
type Access struct {
	// None drops what the defaults ask for, which is a warning until it is allowed with a reason.
	None Bool `key:"none"`
	// Scopes must all be granted.
	Scopes List `key:"scopes" eg:"crm.read"`
	// Anyscope needs one of its scopes.
	Anyscope List `key:"anyscope" eg:"crm.read,crm.admin"`
	// Roles needs one of its roles.
	Roles List `key:"roles" eg:"editor,owner"`
	// Policy is a method of the receiver, or a function: func(ctx, mcp.Caller, variables…) error. Its error
	// refuses the caller.
	Policy Ref `key:"policy" eg:"OwnTickets"`
	// Hide is on by default. With hide=false the feature is in the lists of all, and whoever may not use it is told so.
	Hide Bool `key:"hide"`
}

// Limit bounds what a feature may cost. Each key overrides that of a default.
type Limit struct {
	// Timeout ends the context of a call, and answers it with an error.
	Timeout Duration `key:"timeout" eg:"5s"`
	// Rate is the number of calls in a time. Further ones are refused, and told when to try again.
	Rate Rate `key:"rate" eg:"60/m"`
	// Burst is how many calls may come at once, as many as in the rate if it is left out.
	Burst Int `key:"burst" eg:"10"`
	// By is who shares a rate: each user (the default), each connection or session, or all together.
	By Enum `key:"by" values:"user,client,global"`
	// Concurrency is the number of calls that run at the same time. Further ones are refused.
	Concurrency Int `key:"concurrency" eg:"4"`
	// Bytes bounds the size of a result as JSON. A larger one is an error.
	Bytes Bytes `key:"bytes" eg:"2MiB"`
}

// Life says in which versions a feature exists.
type Life struct {
	// Since is the first version of the server with the feature. In versions before it clients do not see it.
	Since String `key:"since" eg:"1.2"`
	// Until is the first version without it. From there on clients do not see it.
	Until String `key:"until" eg:"2.0"`
	// Proto is the range of protocol revisions that offer it.
	Proto Range `key:"proto" eg:"2025-11-25.."`
	// Deprecated says what to use instead, in the description that clients get.
	Deprecated Text `key:"deprecated" eg:"\"use reports://v2\""`
}

// Meta adds entries to _meta. Each key has a reverse-DNS prefix and a slash.
type Meta struct {
	// Entries are the pairs.
	Entries Pairs `key:"KEY=VALUE,required" eg:"com.example/owner=finance"`
}

// Alias gives a second template to the same function.
type Alias struct {
	// URI is the other address.
	URI URI `key:"uri,required" eg:"notes:///by-slug/{slug}"`
}

// Use wraps a feature in middleware of the program. The generator emits an
// interface with one method per name.
type Use struct {
	// Names are the methods, outermost first.
	Names Words `key:"NAME,required" eg:"Audit"`
}

// Allow suppresses one diagnostic here and says why.
type Allow struct {
	// Code is the diagnostic.
	Code Word `key:"CODE,required" eg:"MCP702"`
	// Reason is for the next reader.
	Reason Words `key:"REASON,required" eg:"checked against the index"`
}

// Toggle generates a method that switches the feature on and off.
type Toggle struct{}
