// Calls the extension of golden/search with version 1 or 2 of the TypeScript SDK, by requests of its own, and prints
// what it saw as one JSON object, for ts_extensions_test.go to check. Version 2 has a client for skills too, which
// verifies those of golden/everything.
//
//	node extensions.mjs v1|v2 REVISION extensions|experimental SEARCH-PROGRAM|URL EVERYTHING-PROGRAM|URL
import { z } from "zod";

const [sdk, revision, member, search, everything] = process.argv.slice(2);
const id = "com.example/search";
const clientInfo = { name: "interop", version: "1" };
const Hit = z.object({ name: z.string(), opened: z.number().optional() });
const Hits = z.object({ pages: z.array(Hit), more: z.boolean() });
const Size = z.object({ pages: z.number() });

/** Connects a client with some capabilities. */
async function connect(target, capabilities) {
  const remote = target.startsWith("http");
  if (sdk === "v1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const client = new Client(clientInfo, { capabilities });
    await client.connect(
      remote ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target }),
    );
    return client;
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const negotiation =
    revision === "2026-07-28"
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { supportedProtocolVersions: [revision] };
  const client = new Client(clientInfo, { capabilities, ...negotiation });
  await client.connect(
    remote ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target }),
  );
  return client;
}

/** The code of the error that a promise rejects with, or the status of HTTP if that is all it has; 0 without one. */
function code(promise) {
  return promise.then(() => 0, (e) => e.data?.status ?? e.code);
}

const report = {};

const client = await connect(search, { [member]: { [id]: { maxHits: 3 } } });
const { experimental, extensions } = client.getServerCapabilities();
report.experimental = experimental?.[id];
report.extensions = extensions?.[id];
await client.notification({ method: `notifications/${id}/opened`, params: { name: "help" } });
for (let i = 0; i < 1000 && !report.hits?.pages[0].opened; i++) { // nothing says that the notification is handled first
  report.hits = await client.request({ method: `${id}/query`, params: { words: ["pages"], order: "opening" } }, Hits);
}
report.size = await client.request({ method: `${id}/count`, params: {} }, Size);
report.invalid = await code(client.request({ method: `${id}/query`, params: { words: [] } }, Hits));
report.unknown = await code(client.request({ method: `${id}/none`, params: {} }, Hits));
await client.close();

const other = await connect(search, {});
report.undeclared = await code(other.request({ method: `${id}/query`, params: { words: ["pages"] } }, Hits));
report.open = await other.request({ method: `${id}/count`, params: {} }, Size);
await other.close();

if (sdk === "v2") {
  const { SkillsClient } = await import("@modelcontextprotocol/client/ext/skills");
  const host = await connect(everything, {});
  const client = new SkillsClient(host);
  const { skills } = await client.list(); // which refuses all if one is not valid
  report.skills = { supported: client.supported, names: [], files: [], directory: [] };
  for (const skill of skills) {
    const { body, frontmatter } = await client.read(skill);
    report.skills.names.push(`${frontmatter.name} ${body.length > 0}`);
    for (const { uri } of skill.resources) {
      const file = await client.read(skill, uri);
      report.skills.files.push(`${file.uri} ${file.verified}`);
    }
    report.skills.got = (await client.get(skill.uri)).skill.uri;
  }
  if (client.directoryRead) {
    const { resources } = await client.readDirectory("skill://release-notes");
    report.skills.directory = resources.map((r) => r.uri).sort();
  }
  await host.close();
}
console.log(JSON.stringify(report));
