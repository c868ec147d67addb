// Drives servers of golden/ and prints what it saw as one JSON object, for ts_test.go to check.
//
//	node client.mjs v1|v2 REVISION DIRECTORY PROGRAM
//	node client.mjs v1|v2 REVISION DIRECTORY NOTES-URL DESK-URL ASK-URL
//
// It is version 1 or version 2 of the TypeScript SDK. Version 1 speaks HTTP+SSE to URLs that end in /sse. A program is the notes server, reached over stdio. Notes are
// files of the directory.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [sdk, revision, dir, notes, desk, ask] = process.argv.slice(2);
const alpha = "notes:///alpha";
const beta = "notes:///beta";

/** Updates that have arrived, and whoever waits for the next one. */
class Updates {
  seen = [];
  #waiting = null;

  push(uri) {
    this.seen.push(uri);
    this.#waiting?.();
  }

  /** Resolves with the first update past the first n. */
  async after(n) {
    while (this.seen.length <= n) {
      await new Promise((resolve) => (this.#waiting = resolve));
    }
    return this.seen[n];
  }
}

/** Replaces a note in one step, so that no reader sees half of it. */
function edit(name, text) {
  const tmp = join(dir, `${name}.tmp`);
  writeFileSync(tmp, text);
  renameSync(tmp, join(dir, `${name}.md`));
}

/** The code of the error that a promise rejects with. */
async function errorOf(promise) {
  try {
    await promise;
    return null;
  } catch (e) {
    return { code: e.code, data: e.data };
  }
}

/** What the client can be asked for, and its answers to the travel desk. */
const abilities = { elicitation: revision < "2025-11-25" ? {} : { form: {}, url: {} }, sampling: {}, roots: {} };
const advise = () => ({ role: "assistant", model: "m", content: { type: "text", text: "Old." } });
const folders = () => ({ roots: [{ uri: "file:///trips" }] });

function fillIn({ params }) {
  if (params.mode === "url") return { action: "accept" };
  const content = params.message === "Who goes to Rome?" ? { name: "Ada" } : { class: "first" };
  return { action: "accept", content };
}

/** Makes a transport of version 1 ask for another revision than the newest that it knows. */
function asking(transport) {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (message.method === "initialize") message.params.protocolVersion = revision;
    return send(message, options);
  };
  return transport;
}

/**
 * What differs between the two versions. Each returns a function that connects to a server, and tells of updates if
 * it is given somebody to tell: { client, agreed, subscribe, unsubscribe, close }.
 */
const sdks = {
  async v1() {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    const types = await import("@modelcontextprotocol/sdk/types.js");
    return async (target, updates) => {
      const client = new Client({ name: "interop", version: "1" }, { capabilities: abilities });
      client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, (n) => updates?.push(n.params.uri));
      client.setRequestHandler(types.ElicitRequestSchema, fillIn);
      client.setRequestHandler(types.CreateMessageRequestSchema, advise);
      client.setRequestHandler(types.ListRootsRequestSchema, folders);
      const remote = target.startsWith("http");
      const RemoteTransport = target.endsWith("/sse") ? SSEClientTransport : StreamableHTTPClientTransport;
      const transport = remote
        ? new RemoteTransport(new URL(target))
        : new StdioClientTransport({ command: target, args: ["-dir", dir] });
      let agreed;
      const told = transport.setProtocolVersion?.bind(transport);
      transport.setProtocolVersion = (v) => {
        agreed = v;
        told?.(v);
      };
      await client.connect(asking(transport));
      return {
        client,
        agreed,
        subscribe: (uri) => client.subscribeResource({ uri }),
        unsubscribe: (uri) => client.unsubscribeResource({ uri }),
        async close() {
          if (remote) await transport.terminateSession?.();
          await client.close();
        },
      };
    };
  },

  async v2() {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const modern = revision === "2026-07-28";
    return async (target, updates) => {
      const client = new Client(
        { name: "interop", version: "2" },
        modern
          ? { capabilities: abilities, versionNegotiation: { mode: { pin: revision } } }
          : { capabilities: abilities, supportedProtocolVersions: [revision] },
      );
      client.setNotificationHandler("notifications/resources/updated", (n) => updates?.push(n.params.uri));
      client.setRequestHandler("elicitation/create", fillIn);
      client.setRequestHandler("sampling/createMessage", advise);
      client.setRequestHandler("roots/list", folders);
      const remote = target.startsWith("http");
      const transport = remote
        ? new StreamableHTTPClientTransport(new URL(target))
        : new StdioClientTransport({ command: target, args: ["-dir", dir] });
      await client.connect(transport);
      const listens = new Map();
      const connected = {
        client,
        agreed: client.getNegotiatedProtocolVersion(),
        async close() {
          if (remote && !modern) await transport.terminateSession();
          await client.close();
        },
      };
      if (!modern) {
        connected.subscribe = (uri) => client.subscribeResource({ uri });
        connected.unsubscribe = (uri) => client.unsubscribeResource({ uri });
        return connected;
      }
      connected.subscribe = async (uri) => {
        const listen = await client.listen({ resourceSubscriptions: [uri] });
        listens.set(uri, listen);
        return listen.honoredFilter;
      };
      connected.unsubscribe = (uri) => listens.get(uri).close();
      return connected;
    };
  },
};

/** The text of the one content of a resource. */
async function read(client, uri) {
  const { contents } = await client.readResource({ uri });
  return contents.length === 1 ? contents[0].text : contents;
}

/** Lists, completes and gets prompts. */
async function seePrompts({ client }, report) {
  report.prompts = (await client.listPrompts()).prompts.map((p) => p.name);
  const got = await client.getPrompt({ name: "review", arguments: { project: "OPS", number: "1" } });
  report.messages = got.messages.map((m) => `${m.role} ${m.content.type} ${m.content.text ?? m.content.resource?.uri}`);
  if (revision === "2024-11-05") return; // has no capability for completions, which clients insist on
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name: "review" },
    argument: { name: "tone", value: "fr" },
  });
  report.tones = completion.values;
}

/** Lists and reads the notes, and calls the tool. */
async function seeNotes({ client }, report) {
  report.resources = (await client.listResources()).resources.map((r) => r.uri);
  report.templates = (await client.listResourceTemplates()).resourceTemplates.map((r) => r.uriTemplate);
  report.note = await read(client, alpha);
  report.readme = await read(client, "docs:///readme");
  report.index = await read(client, "notebook:///index");
  report.missing = await errorOf(client.readResource({ uri: "notes:///gamma" }));
  report.tools = (await client.listTools()).tools.map((t) => t.name);
  const found = await client.callTool({ name: "search", arguments: { query: "second" } });
  report.search = found.structuredContent ?? JSON.parse(found.content[0].text);
  if (revision === "2024-11-05") return;
  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: "notes:///{name}" },
    argument: { name: "name", value: "al" },
  });
  report.completions = completion.values;
}

/** Subscribes to both notes, edits them, and ends one subscription. */
async function seeEdits({ client, subscribe, unsubscribe }, updates, report) {
  report.honored = await subscribe(alpha);
  await subscribe(beta);
  edit("alpha", "edited\n");
  report.updated = await updates.after(0);
  report.edited = await read(client, alpha);
  await unsubscribe(alpha);
  await read(client, beta); // a server on stdio has read the end of the subscription once it answers this
  const before = updates.seen.length;
  edit("alpha", "edited again\n");
  edit("beta", "one\n");
  await updates.after(before);
  edit("beta", "another\n"); // a look at the files after alpha's edit
  await updates.after(before + 1);
  report.afterUnsubscribe = updates.seen.slice(before);
}

async function run() {
  const connect = await sdks[sdk]();
  const updates = new Updates();
  const toNotes = await connect(notes, updates);
  const report = {
    revision: toNotes.agreed,
    serverInfo: toNotes.client.getServerVersion(),
    capabilities: toNotes.client.getServerCapabilities(),
  };
  await seeNotes(toNotes, report);
  await seeEdits(toNotes, updates, report);
  await toNotes.close();
  if (desk) {
    const toDesk = await connect(desk);
    await seePrompts(toDesk, report);
    await toDesk.close();
  }
  if (ask && revision >= "2025-06-18") {
    const toAsk = await connect(ask);
    report.booked = (await toAsk.client.callTool({ name: "book", arguments: { to: "Rome" } })).structuredContent;
    if (revision >= "2025-11-25") report.paid = !(await toAsk.client.callTool({ name: "pay", arguments: {} })).isError;
    report.advice = (await toAsk.client.callTool({ name: "advise", arguments: { to: "Rome" } })).content[0].text;
    await toAsk.close();
  }
  return report;
}

console.log(JSON.stringify(await run()));
