package everything_test

const (
	cached   = `"cacheScope":"(private|public)",.*"ttlMs":[0-9]+`
	declares = `"capabilities":\{`
	versions = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	noVersion  = `"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}`
	noAbility  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	wrongLevel = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}`
	withTasks = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`
	nobody     = `"ref":{"type":"ref/prompt","name":"nobody"},"argument":{"name":"a","value":""}`
	oddToken   = `"_meta":{"progressToken":true}`
	wantParams = `"error":\{"code":-32602`
	wantMethod = `"error":\{"code":-32601`
	result     = `"result":\{`
)

// rows are in the order of the files of the table.
var rows = []row{
	{"msg-error-form", "ABCDE", "no/such", "", `"error":\{"code":-[0-9]+,"message":"[^"]+"`, ""},
	{"msg-response-id", "ABCDE", "tools/list", "", `^\{"jsonrpc":"2.0","id":[0-9]+,"result":`, ""},
	{"msg-result", "DE", "tools/list", "", `"result":\{"tools"`, `"error"`},
	{"msg-result-or-error", "ABC", "no/such", "", `"error"`, `"result"`},
	{"code-retired", "E", "resources/read", `"uri":"test://nope"`, `"code":-32602`, `-32002`},
	{"result-type", "E", "tools/list", "", `"resultType":"complete"`, ""},
	{"schema-dialect", "DE", "tools/list", "", `"\$schema":"https://json-schema.org/draft/2020-12/schema"`, ""},
	{"meta-required", "E", "tools/list", noVersion, `"error"`, ""},
	{"meta-required", "E", "tools/list", noAbility, wantParams, ""},
	{"meta-capability", "E", "tools/call", `"name":"test_missing_capability"`,
		`"code":-32021,.*"requiredCapabilities":\{"sampling":\{\}\}`, ""},
	{"meta-server-info", "E", "tools/list", "", `"io.modelcontextprotocol/serverInfo":\{"name":"everything"`, ""},

	{"ping-answer", "ABCD", "ping", "", `"result":\{\}`, ""},
	{"ping-removed", "E", "ping", "", wantMethod, ""},
	{"init-first", "ABCD", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"1"}`, `"code":-32600`, ""},
	{"version-unsupported", "E", "tools/list", versions, `"code":-32022,.*"supported":\["2026-07-28"`, ""},
	{"version-discover", "E", "server/discover", "", `"supportedVersions":\["2026-07-28"`, ""},
	{"version-discover-info", "E", "server/discover", "", `serverInfo":\{"name":"everything","version":"1.0.0"`, ""},
	{"removed-methods", "E", "initialize", "", wantMethod, ""},
	{"removed-methods", "E", "logging/setLevel", `"level":"info"`, wantMethod, ""},
	{"removed-methods", "E", "resources/subscribe", `"uri":"test://watched-resource"`, wantMethod, ""},
	{"removed-methods", "E", "resources/unsubscribe", `"uri":"test://watched-resource"`, wantMethod, ""},
	{"progress-token", "ABCDE", "tools/list", oddToken, wantParams, ""},

	{"ask-nonempty", "E", "tools/call", `"name":"test_input_required_result_elicitation",` + able,
		`"inputRequests":\{"user_name".*"requestState":"`, ""},
	{"ask-in-results", "E", "tools/call", `"name":"test_input_required_result_elicitation",` + able,
		`"resultType":"input_required"`, ""},
	{"ask-undeclared", "E", "tools/call", `"name":"test_input_required_result_elicitation"`, `"code":-32021`,
		`inputRequests`},
	{"ask-state-integrity", "E", "tools/call", `"name":"test_input_required_result_elicitation",` + able +
		`,"requestState":"forged"`, wantParams, ""},
	{"ask-where", "E", "tools/list", able + `,"requestState":"forged"`, result, `"resultType":"input_required"`},
	{"cache-no-hints", "E", "tools/call", `"name":"test_input_required_result_elicitation",` + able, "input_required",
		`ttlMs|cacheScope`},

	{"subscribe-answer", "ABCD", "resources/subscribe", `"uri":"test://watched-resource"`, `"result":\{\}`, ""},
	{"subscribe-answer", "ABCD", "resources/subscribe", `"uri":"test://static-text"`, `"error"`, ""},
	{"subscribe-answer", "ABCD", "resources/unsubscribe", `"uri":"test://watched-resource"`, `"result":\{\}`, ""},

	{"res-list", "ABCDE", "resources/list", "", `"resources":\[\{"uri":"`, ""},
	{"res-list-templates", "ABCDE", "resources/list", "", `"resources":`, `uriTemplate`},
	{"res-templates", "ABCDE", "resources/templates/list", "", `"uriTemplate":"test://template/\{id\}/data"`, `"uri":`},
	{"res-read", "ABCDE", "resources/read", `"uri":"test://static-text"`, `"contents":\[\{.*"text":"`, `"blob"`},
	{"res-encoding", "ABCDE", "resources/read", `"uri":"test://static-binary"`, `"blob":"iVBORw0KGgo`, `"text"`},
	{"res-unlisted", "ABCDE", "resources/read", `"uri":"test://template/7/data"`, `"contents"`, ""},
	{"res-not-found", "ABCD", "resources/read", `"uri":"test://nope"`, `"code":-32002,.*"uri":"test://nope"`, ""},
	{"res-not-found", "E", "resources/read", `"uri":"test://nope"`, `"code":-32602,.*"uri":"test://nope"`, ""},
	{"res-not-found-draft", "ABCDE", "resources/read", `"uri":"test://nope"`, `"error"`, `-32001`},
	{"res-empty", "E", "resources/read", `"uri":"test://nope"`, `"error"`, `"contents"`},
	{"res-validate", "ABCDE", "resources/read", `"uri":"test://template/%zz/data"`, `"error"`, ""},
	{"res-traversal", "ABCDE", "resources/read", `"uri":"test://template/..%2f..%2fetc/data"`, wantParams, ""},
	{"res-fields", "ABCDE", "resources/list", "", `"uri":"[^"]+","name":"[^"]+"`, ""},

	{"tool-list", "ABCDE", "tools/list", "", `"tools":\[\{"name":"`, ""},
	{"tool-schema", "DE", "tools/list", "", `"inputSchema":\{`, `"inputSchema":(null|\{\})`},
	{"tool-unknown", "ABCDE", "tools/call", `"name":"nope"`, wantParams, ""},
	{"tool-name-case", "DE", "tools/call", `"name":"TEST_SIMPLE_TEXT"`, wantParams, ""},
	{"tool-arguments-error", "DE", "tools/call", `"name":"test_elicitation","arguments":{}`, `"isError":true`, ""},
	{"tool-validate", "ABC", "tools/call", `"name":"test_elicitation","arguments":{}`, wantParams, ""},
	{"tool-error", "ABCDE", "tools/call", `"name":"test_error_handling"`, `"content":\[\{.*"isError":true`, `"error":`},
	{"prompt-list", "ABCDE", "prompts/list", "", `"prompts":\[\{"name":"`, ""},
	{"prompt-media", "ABCDE", "prompts/get", `"name":"test_prompt_with_image"`,
		`"type":"image","mimeType":"image/png","data":"[A-Za-z0-9+/]+=*"`, ""},
	{"prompt-embedded", "ABCDE", "prompts/get", `"name":"test_prompt_with_embedded_resource",` +
		`"arguments":{"resourceUri":"test://static-text"}`,
		`"type":"resource","resource":\{.*"uri":"test://static-text"`, ""},
	{"prompt-errors", "ABCDE", "prompts/get", `"name":"nope"`, wantParams, ""},
	{"prompt-validate", "ABCDE", "prompts/get", `"name":"test_prompt_with_arguments"`, wantParams, ""},
	{"completion-errors", "ABCDE", "completion/complete", nobody, wantParams, ""},

	{"log-level", "ABCD", "logging/setLevel", `"level":"info"`, `"result":\{\}`, ""},
	{"log-level", "ABCD", "logging/setLevel", `"level":"loud"`, wantParams, ""},
	{"log-level-unknown", "E", "tools/call", `"name":"test_simple_text",` + wrongLevel, wantParams, ""},
	{"page-invalid", "ABCDE", "tools/list", `"cursor":"nope"`, wantParams, ""},
	{"cache-hints", "E", "server/discover", "", cached, ""},
	{"cache-hints", "E", "tools/list", "", cached, ""},
	{"cache-hints", "E", "prompts/list", "", cached, ""},
	{"cache-hints", "E", "resources/list", "", cached, ""},
	{"cache-hints", "E", "resources/templates/list", "", cached, ""},
	{"cache-hints", "E", "resources/read", `"uri":"test://static-text"`, cached, ""},

	{"task-undeclared-request", "E", "tools/call", `"name":"failing_job"`, `"code":-32021`, ""},
	{"task-hint", "E", "tools/call", `"name":"greet","arguments":{"name":"Ada"},"task":{"ttl":1}`, `Hello, Ada`, `taskId`},
	{"task-forbidden", "D", "tools/call", `"name":"test_simple_text","task":{"ttl":60000}`, wantMethod, ""},
	{"task-required", "D", "tools/call", `"name":"failing_job"`, wantMethod, ""},
	{"task-working", "D", "tools/call", `"name":"slow_compute","arguments":{"seconds":1},"task":{"ttl":60000}`,
		`"task":\{.*"status":"working"`, ""},
	{"task-id", "D", "tools/call", `"name":"slow_compute","arguments":{"seconds":1},"task":{"ttl":60000}`,
		`"taskId":"[A-Za-z0-9_-]{22,}"`, ""},
	{"task-ext-declared", "E", "tasks/get", `"taskId":"nobody"`, `"code":-32021`, ""},
	{"task-errors", "E", "tasks/get", `"taskId":"nobody",` + withTasks, wantParams, ""},
	{"task-errors", "D", "tasks/get", `"taskId":"nobody"`, wantParams, ""},
	{"task-ext-methods", "E", "tasks/list", withTasks, wantMethod, ""},
	{"task-ext-methods", "E", "tasks/result", `"taskId":"nobody",` + withTasks, wantMethod, ""},
	{"task-capability", "E", "server/discover", "", declares + `.*"io.modelcontextprotocol/tasks":\{\}`,
		`"tasks":\{"cancel`},

	{"skill-capability", "E", "server/discover", "", `"io.modelcontextprotocol/skills":\{`, ""},
	{"skill-unknown", "E", "skills/get", `"uri":"skill://nobody/SKILL.md",` + withSkills, wantParams, ""},
	{"skill-directory", "E", "resources/directory/read", `"uri":"skill://release-notes/SKILL.md",` + withSkills,
		wantParams, ""},
}

const (
	able = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	withSkills = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/skills":{}}}}`
)
