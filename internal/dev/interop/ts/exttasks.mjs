// Drives the tasks of golden/jobs with the official package for tasks, @modelcontextprotocol/ext-tasks, on version 2 of
// the TypeScript SDK, and prints what it saw as one JSON object, for ts_exttasks_test.go to check. The package has one
// interface for the tasks of both revisions.
//
//	node exttasks.mjs 2025-11-25|2026-07-28 PROGRAM|URL
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";

const [revision, target] = process.argv.slice(2);
const modern = revision === "2026-07-28";
const clientInfo = { name: "interop", version: "2" };
const capabilities = { elicitation: { form: {} } };

/** Sends requests around the SDK, whose schemas of 2026-07-28 know no tasks. The package leaves that to its user. */
class RawRequests {
  #waiting = new Map();
  #next = 0;
  notified = []; // statuses of notifications about tasks
  refused = null; // the answer to a listen, which only comes when it fails

  constructor(transport) {
    this.transport = transport;
    const toSDK = transport.onmessage;
    transport.onmessage = (message, extra) => {
      if (message.method?.startsWith("notifications/tasks")) this.notified.push(message.params.status);
      const resolve = this.#waiting.get(message.id);
      if (!resolve || message.method) return toSDK(message, extra);
      this.#waiting.delete(message.id);
      const { error, result } = message;
      resolve(error ? { kind: "error", error } : { kind: "result", result });
    };
  }

  dispatch = (request) =>
    new Promise((resolve, reject) => {
      const id = `raw-${this.#next++}`;
      this.#waiting.set(id, resolve);
      this.transport.send({ jsonrpc: "2.0", id, ...request }).catch(reject);
    });
}

const client = new Client(
  clientInfo,
  modern
    ? { capabilities, versionNegotiation: { mode: { pin: revision } } }
    : { capabilities, supportedProtocolVersions: [revision] },
);
const transport = target.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args: ["-pace", "100ms"] });
await client.connect(transport);
const raw = new RawRequests(transport);
const asked = [];
const session = createTaskSessionFromClient(client, {
  endpointId: "jobs",
  onError: (e) => console.error(e),
  async onInputRequest(request, { scope, delivery, inputId }) {
    asked.push({ kind: request.kind, message: request.params.message, scope, delivery, inputId });
    return { action: "accept", content: { delete: true } };
  },
  ...(modern && {
    rawDispatch: raw.dispatch,
    v2RequestFraming: { protocolVersion: revision, clientInfo, clientCapabilities: capabilities },
  }),
});

/** Starts a tool as a task. */
function start(name, args = {}) {
  return session.callTool(name, args, { task: { preference: "require", retentionMs: 60000 } });
}

/** What an execution tells until its task has ended. */
async function follow(execution) {
  const seen = { kind: execution.kind, id: execution.handle?.taskId, statuses: [] };
  const { outcome } = await execution.settle({
    onEvent({ type, task }) {
      if (type === "task" && seen.statuses.at(-1) !== task.status) seen.statuses.push(task.status);
    },
  });
  seen.outcome = outcome.status;
  seen.result = outcome.result?.structuredContent ?? {};
  seen.isError = outcome.result?.isError ?? false;
  seen.error = outcome.error?.message;
  return seen;
}

const report = { capabilities: session.capabilities };
report.count = await follow(await start("count_words"));
report.purge = await follow(await start("purge", { prefix: "draft" }));
report.asked = asked;
report.failing = await follow(await start("send_letters", { document: "none", to: ["Ada"] }));

// A task that is cancelled. In 2026-07-28 a listen tells of it; sessions are told of all their tasks.
const long = await start("send_letters", { document: "minutes", to: Array(1000).fill("Ada") }); // it takes 100 seconds
const controller = session.task(long.handle.taskId);
if (modern) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const params = { _meta, notifications: { taskIds: [long.handle.taskId] } };
  raw.dispatch({ method: "subscriptions/listen", params }).then((r) => (raw.refused = r));
}
await long.cancel();
report.cancelled = (await controller.snapshot()).status;
while (!raw.notified.includes("cancelled") && !raw.refused) await new Promise((resolve) => setTimeout(resolve, 10));
report.refused = raw.refused;
report.unknown = await session.task("unknown").snapshot().catch((e) => e.code);
if (session.capabilities.inventory === "server-list") {
  report.listed = (await session.listTasks()).tasks.map((t) => t.status).sort();
}

// A task that goes on when nothing follows it any more, and is asked about by its id.
const letters = await start("send_letters", { document: "minutes", to: ["Ada", "Bob"] });
await letters.detach();
report.detached = (await session.task(letters.handle.taskId).result()).result?.content[0].text;
await session.close();
await client.close();
console.log(JSON.stringify(report));
