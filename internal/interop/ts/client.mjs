// Drives the notes server over stdio and prints what it saw as one JSON object, for ts_test.go to check.
//
//	node client.mjs legacy|modern SERVER DIRECTORY
//
// "legacy" is version 1 of the TypeScript SDK, which opens with initialize; "modern" is version 2, pinned to
// revision 2026-07-28.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [era, server, dir] = process.argv.slice(2);
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

/** What differs between the two clients: how to connect, listen for updates, subscribe and unsubscribe. */
const eras = {
  async legacy(updates) {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const types = await import("@modelcontextprotocol/sdk/types.js");
    const client = new Client({ name: "interop", version: "1" });
    client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, (n) => updates.push(n.params.uri));
    let revision;
    const transport = new StdioClientTransport({ command: server, args: ["-dir", dir] });
    transport.setProtocolVersion = (v) => (revision = v);
    await client.connect(transport);
    return {
      client,
      revision,
      subscribe: (uri) => client.subscribeResource({ uri }),
      unsubscribe: (uri) => client.unsubscribeResource({ uri }),
    };
  },

  async modern(updates) {
    const { Client } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const client = new Client(
      { name: "interop", version: "2" },
      { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    client.setNotificationHandler("notifications/resources/updated", (n) => updates.push(n.params.uri));
    await client.connect(new StdioClientTransport({ command: server, args: ["-dir", dir] }));
    const listens = new Map();
    return {
      client,
      revision: client.getNegotiatedProtocolVersion(),
      async subscribe(uri) {
        const listen = await client.listen({ resourceSubscriptions: [uri] });
        listens.set(uri, listen);
        return listen.honoredFilter;
      },
      unsubscribe: (uri) => listens.get(uri).close(),
    };
  },
};

/** The text of the one content of a resource. */
async function read(client, uri) {
  const { contents } = await client.readResource({ uri });
  return contents.length === 1 ? contents[0].text : contents;
}

async function run() {
  const updates = new Updates();
  const { client, revision, subscribe, unsubscribe } = await eras[era](updates);
  const report = { revision, serverInfo: client.getServerVersion(), capabilities: client.getServerCapabilities() };
  report.resources = (await client.listResources()).resources.map((r) => r.uri);
  report.templates = (await client.listResourceTemplates()).resourceTemplates.map((r) => r.uriTemplate);
  report.note = await read(client, alpha);
  report.readme = await read(client, "docs:///readme");
  report.index = await read(client, "notebook:///index");
  report.missing = await errorOf(client.readResource({ uri: "notes:///gamma" }));
  const completed = await client.complete({
    ref: { type: "ref/resource", uri: "notes:///{name}" },
    argument: { name: "name", value: "al" },
  });
  report.completions = completed.completion.values;
  report.tools = (await client.listTools()).tools.map((t) => t.name);
  report.search = (await client.callTool({ name: "search", arguments: { query: "second" } })).structuredContent;

  report.honored = await subscribe(alpha);
  await subscribe(beta);
  edit("alpha", "edited\n");
  report.updated = await updates.after(0);
  report.edited = await read(client, alpha);
  await unsubscribe(alpha);
  await read(client, beta); // the server has read the end of the subscription once it answers this
  const before = updates.seen.length;
  edit("alpha", "edited again\n");
  edit("beta", "one\n");
  await updates.after(before);
  edit("beta", "another\n"); // a look at the files after alpha's edit
  await updates.after(before + 1);
  report.afterUnsubscribe = updates.seen.slice(before);
  await client.close();
  return report;
}

console.log(JSON.stringify(await run()));
