// Drives the tasks of golden/jobs with version 1 of the TypeScript SDK, in 2025-11-25, and prints what it saw as one
// JSON object, for ts_tasks_test.go to check.
//
//	node tasks.mjs PROGRAM|URL
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  TaskStatusNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

const target = process.argv[2];
const remote = target.startsWith("http");
const capabilities = { elicitation: { form: {} }, tasks: {} };
const client = new Client({ name: "interop", version: "1" }, { capabilities });
const tasks = client.experimental.tasks;
const told = new Map(); // statuses of notifications, by task
let wake = () => {};
client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => {
  told.set(params.taskId, [...(told.get(params.taskId) ?? []), params.status]);
  wake();
});
client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { delete: true } }));
await client.connect(
  remote
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args: ["-pace", "100ms"] }),
);

/** Resolves once a notification has told that a task is in a status. */
async function notified(id, status) {
  while (!told.get(id)?.includes(status)) await new Promise((resolve) => (wake = resolve));
  return status;
}

/** What callToolStream yields for a tool. */
async function stream(name, args) {
  const seen = { types: [] };
  const call = { name, arguments: args };
  for await (const m of tasks.callToolStream(call, CallToolResultSchema, { task: { ttl: 60000 } })) {
    if (seen.types.at(-1) !== m.type) seen.types.push(m.type);
    if (m.type === "taskCreated") seen.id = m.task.taskId;
    if (m.type === "result") seen.result = m.result.structuredContent ?? m.result.content[0]?.text;
    if (m.type === "error") seen.error = m.error.message;
  }
  return seen;
}

const report = { capabilities: client.getServerCapabilities().tasks };
report.support = (await client.listTools()).tools.map((t) => t.execution?.taskSupport ?? "none");
report.count = await stream("count_words", {});
report.counted = await notified(report.count.id, "completed");
report.purge = await stream("purge", { prefix: "draft" });
report.purged = await notified(report.purge.id, "completed");
const failing = await stream("send_letters", { document: "none", to: ["Ada"] });
report.failed = await notified(failing.id, "failed");
report.failure = (await tasks.getTaskResult(failing.id, CallToolResultSchema)).isError;
const again = await tasks.getTaskResult(report.count.id, CallToolResultSchema);
report.related = again._meta["io.modelcontextprotocol/related-task"].taskId === report.count.id;
report.rebuilt = await stream("rebuild", {});
const many = { document: "minutes", to: Array(1000).fill("Ada") }; // which takes 100 seconds
for await (const m of tasks.callToolStream({ name: "send_letters", arguments: many }, CallToolResultSchema, { task: {} })) {
  if (m.type !== "taskCreated") continue;
  const { taskId } = m.task;
  report.cancelled = (await tasks.cancelTask(taskId)).status;
  report.got = (await tasks.getTask(taskId)).status;
  await notified(taskId, "cancelled");
  break;
}
if (report.capabilities.list) report.listed = (await tasks.listTasks()).tasks.map((t) => t.status);
await client.close();
console.log(JSON.stringify(report));
