// A client of the fleet harness (module fleet): it subscribes to resources, reads each that may have changed, and
// prints what it sees, one JSON object in each line. It ends with its input.
//
//	node fleet.mjs v1|v2 URL PATIENCE-MS PAUSE-MS URI...
//
// It is version 1 of the TypeScript SDK, with a session, or version 2 without. When the SDK says that a session or a
// stream is over, it opens another one.
const [sdk, url, patience, pause, ...uris] = process.argv.slice(2);
const options = { timeout: Number(patience) };
process.stdin.resume().on("end", () => process.exit(0));

const say = (e, more) => process.stdout.write(JSON.stringify({ e, ...more }) + "\n");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads what may have changed, one resource at a time. */
class Reader {
  #dirty = new Set();
  #wake = () => {};

  mark(...list) {
    for (const uri of list) this.#dirty.add(uri);
    this.#wake();
  }

  /** Reads with a client until a promise is resolved. */
  async run(client, over) {
    let done = false;
    over.then(() => {
      done = true;
      this.#wake();
    });
    while (!done) {
      const [uri] = this.#dirty;
      if (uri === undefined) {
        await new Promise((resolve) => (this.#wake = resolve));
        continue;
      }
      this.#dirty.delete(uri);
      try {
        const { contents } = await client.readResource({ uri }, options);
        if (!done) say("read", { uri, text: contents[0].text });
        await sleep(Number(pause));
      } catch (err) {
        this.#dirty.add(uri);
        if (err.code === -32001) say("lost", { uri });
        if (err.code === 404) return;
        await sleep(200);
      }
    }
  }
}

const clientInfo = { name: "fleet", version: "1" };
const reader = new Reader();

/** One session of version 1. */
async function session(n) {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { ResourceUpdatedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
  let end;
  const over = new Promise((resolve) => (end = resolve));
  let streams = false; // the stream of the session was open: from then on the SDK opens it again, or gives up visibly
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    async fetch(to, init) {
      if (init?.method !== "GET") return fetch(to, init);
      try {
        const response = await fetch(to, init);
        if (response.ok) streams = true;
        else if (!streams) end();
        return response;
      } catch (err) {
        if (!streams) end();
        throw err;
      }
    },
  });
  const client = new Client(clientInfo);
  client.onerror = (err) => /Maximum reconnection/.test(err.message) && end();
  client.onclose = end;
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    say("updated", { n, uri: params.uri });
    reader.mark(params.uri);
  });
  say("session", { n });
  try {
    await client.connect(transport, options);
    for (const uri of uris) {
      await client.subscribeResource({ uri }, options);
      reader.mark(uri);
    }
    await reader.run(client, over);
  } finally {
    client.onclose = undefined;
    await client.close().catch(() => {});
  }
}

/** One listen of version 2. */
async function listen(client, n) {
  say("listen", { n });
  const stream = await client.listen({ resourceSubscriptions: uris }, options);
  reader.mark(...uris);
  await reader.run(client, stream.closed);
}

async function version2() {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  let n = 0;
  for (;;) {
    const client = new Client(clientInfo, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      say("updated", { n, uri: params.uri });
      reader.mark(params.uri);
    });
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(url)), options);
      for (;;) {
        await listen(client, ++n).catch(() => {});
        await sleep(200);
      }
    } catch {
      await sleep(200); // no replica has answered
    }
  }
}

if (sdk === "v2") await version2();
for (let n = 1; ; n++) {
  await session(n).catch(() => {});
  await sleep(200);
}
