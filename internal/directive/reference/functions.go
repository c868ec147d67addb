package reference

import (
	"fmt"

	"github.com/mcpgen/mcpgen/internal/directive"
)

// functions hold the signature of the function of each directive, and a text about it.
var functions = map[string][]string{
	"resource": {directive.ReadForm,
		"The variables are those of the template, by name and in any order. T is a string, []byte, an io.Reader, " +
			"a type that encoding/json supports, an encoding.TextMarshaler that is not a struct, mcp.Content, " +
			"[]mcp.Content or iter.Seq2[mcp.Content, error]. The errors mcp.ErrNotFound and fs.ErrNotExist, and a nil " +
			"pointer, mean that there is no such resource."},
	"tool": {directive.ToolForm,
		"A tool with its own schema is " + directive.RawToolForm + ". Out is one of: " + directive.ToolResults + "."},
	"prompt": {directive.PromptForm,
		"The parameters are the arguments of the prompt; they are required unless they are pointers or have a " +
			"default. Other result types are mcp.Message and mcp.PromptResult."},
	"list": {fmt.Sprintf(directive.ListForm, "NoteRef"),
		"NoteRef is the generated type for a resource Note, with a field for each variable."},
	"watch": {directive.WatchForm,
		"The function is called for the first subscriber of a URI, and reads the state of the resource before it " +
			"returns. The sequence runs until the last subscriber has left. Each value publishes an update; an error " +
			"is logged. A function that panics, or a sequence that ends earlier, is called again after two seconds, " +
			"then after up to a minute, and publishes an update each time."},
	"complete": {directive.CompleteForm,
		"The earlier variables are other variables of the template or arguments of the prompt, by name, as strings: " +
			"the values that the user has chosen, or \"\". Clients before 2025-06-18 cannot send them. The function " +
			"filters by prefix itself; clients get the first 100 values."},
	"match": {directive.MatchForm,
		"It is called for each occurrence and each subscription, with arguments that were read when the client subscribed. " +
			"It must not block."},
	"shape": {directive.ShapeForm,
		"An event without arguments is shaped by func(who mcp.Caller, e *E) E. The result is what the subscriber gets; " +
			"what e points to is for all of them and must not be changed."},
	"replay": {directive.ReplayForm,
		"Of an event without arguments it is func(ctx, cursor string, limit int). The cursor is one that the function has " +
			"returned; if it is empty, the result has the cursor of the end, and no events. The function returns only events " +
			"that f asks for, unless there is a match function, too."},
	"method": {directive.MethodForm,
		"A notification is " + directive.NotificationForm + ". A filter is " + directive.FilterForm + ". Params may be " +
			"left out. Without a Result the result is an empty object. Errors are those of the protocol: clients get the " +
			"text of mcp.Public and mcp.Errorf."},
	"type": {directive.TypeForm,
		"T is a named type of any package. An error of the reading function refuses the arguments, at the place of the " +
			"value; clients get its text if it was made with mcp.Public or mcp.Errorf. An error of the writing function " +
			"fails the call."},
	"access": {directive.PolicyForm,
		"This is the function that policy= names. The variables are any of the template, by name."},
	"use": {"func(c *mcp.Call, p mcp.Params, next mcp.Next) (mcp.Result, error)",
		"Each NAME is a method of the generated interface."},
}

// specials lists the parameters that get their values from the runtime.
const specials = "In addition to the signature under Function, functions may take parameters of these types, " +
	"anywhere after the context: `mcp.Caller` (the caller), `mcp.Peer` (requests to the user or the model), " +
	"`mcp.Progress`, `*slog.Logger` (log messages to the client) and `*mcp.Call` (the request). List functions and " +
	"completion functions take `mcp.Caller` only.\n"
