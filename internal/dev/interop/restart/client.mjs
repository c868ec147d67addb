// A client of a server over HTTP that calls the tool search for each line of its input, and prints a line with the
// result, or with the error. Arguments: the library and the URL.
import { createInterface } from "node:readline";

const [, , library, url] = process.argv;

async function typescript() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const client = new Client({ name: "interop", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return (text) => client.callTool({ name: "search", arguments: { query: text } });
}

async function langchain() {
  const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
  const client = new MultiServerMCPClient({ mcpServers: { notes: { transport: "http", url } } });
  const [search] = (await client.getTools()).filter((t) => t.name.endsWith("search"));
  return (text) => search.invoke({ query: text });
}

async function mcpClient() {
  const { MCPClient } = await import("mcp-client");
  const client = new MCPClient({ name: "interop", version: "1.0.0" });
  await client.connect({ type: "httpStream", url });
  return (text) => client.callTool({ name: "search", arguments: { query: text } });
}

const call = await { typescript, langchain, "mcp-client": mcpClient }[library]();
for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(await call(line)));
  } catch (e) {
    console.log(`error: ${e}`);
  }
}
process.exit(0);
