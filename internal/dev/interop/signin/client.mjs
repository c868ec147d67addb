// Signs in at the diary with a client of the TypeScript SDK, reads, steps up, writes, lets its token expire under a
// stream and goes on. Prints what it has seen as one JSON object, for signin_test.go to check.
//
//	node client.mjs v1|v2|v2-dpop URL SECONDS
import { setTimeout as sleep } from "node:timers/promises";
import { browse } from "./browser.mjs";

const [variant, url, seconds] = process.argv.slice(2);
const [sdk, proves] = variant.split("-");
const seen = { asked: [], scopes: [], types: [], refreshed: 0, registered: 0 };

/** Keeps what the SDK wants to be kept, and notes how it asks for consent. */
class Memory {
  redirectUrl = "http://localhost:3000/callback";
  #saved = {};

  get clientMetadata() {
    return { client_name: "diary test", redirect_uris: [this.redirectUrl], token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] };
  }
  saveDiscoveryState(state) { this.#saved.discovery = state; }
  discoveryState() { return this.#saved.discovery; }
  state() { return "state-of-the-test"; }
  clientInformation() { return this.#saved.client; }
  saveClientInformation(client) { this.#saved.client = client; seen.registered++; }
  // Version 1 refreshes where it should ask for more scopes, and fails: a host has to leave the refresh token out.
  keepsRefreshToken = sdk === "v2";
  tokens() {
    const { refresh_token, ...rest } = this.#saved.tokens ?? {};
    return this.keepsRefreshToken || !this.#saved.tokens ? this.#saved.tokens : rest;
  }
  saveTokens(tokens) {
    this.#saved.tokens = tokens;
    seen.scopes.push(tokens.scope);
    seen.types.push(tokens.token_type);
    if (!this.address) seen.refreshed++;
  }
  saveCodeVerifier(verifier) { this.#saved.verifier = verifier; }
  codeVerifier() { return this.#saved.verifier; }
  redirectToAuthorization(address) {
    this.address = address;
    seen.asked.push({ scope: address.searchParams.get("scope"), resource: address.searchParams.get("resource"),
      method: address.searchParams.get("code_challenge_method") });
  }
}

const sdks = {
  async v1() {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const { UnauthorizedError } = await import("@modelcontextprotocol/sdk/client/auth.js");
    return { Client, StreamableHTTPClientTransport, UnauthorizedError, finish: (t, params) => t.finishAuth(params.get("code")) };
  },
  async v2() {
    const { Client, StreamableHTTPClientTransport, UnauthorizedError, DpopSession } = await import("@modelcontextprotocol/client");
    if (proves) {
      const session = DpopSession.create();
      Memory.prototype.dpop = () => session;
    }
    return { Client, StreamableHTTPClientTransport, UnauthorizedError, finish: (t, params) => t.finishAuth(params) };
  },
};
const { Client, StreamableHTTPClientTransport, UnauthorizedError, finish } = await sdks[sdk]();
const memory = new Memory();

/** Does what may need a consent, with a transport of its own for each attempt. */
async function authorized(work) {
  for (let attempt = 0; ; attempt++) {
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: memory });
    const client = new Client({ name: "diary-test", version: "1" }, sdk === "v2" ? { versionNegotiation: { mode: "auto" } } : {});
    try {
      await client.connect(transport);
      return await work(client);
    } catch (e) {
      if (!(e instanceof UnauthorizedError) || attempt > 2) throw e;
      await finish(transport, await browse(memory.address));
      memory.address = null;
    } finally {
      await client.close().catch(() => {});
    }
  }
}

const read = async (client) => (await client.readResource({ uri: "diary:///entries" })).contents[0].text;
seen.tools = await authorized(async (c) => (await c.listTools()).tools.map((t) => t.name));
seen.before = await authorized(read);
seen.wrote = await authorized(async (c) => (await c.callTool({ name: "write", arguments: { text: "Sunny." } })).content[0].text);
seen.after = await authorized(read);
memory.keepsRefreshToken = true;
seen.later = await authorized(async (c) => {
  await sleep((Number(seconds) + 1) * 1000); // the token expires meanwhile, under a stream of a session
  return read(c);
});
console.log(JSON.stringify(seen));
process.exit(0);
