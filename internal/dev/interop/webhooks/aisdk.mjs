// A client of @ai-sdk/mcp with a callback. It takes the URL of a server, obeys the lines of its standard input
// (subscribe, refresh, unsubscribe) and prints a line of JSON for each result and for each event that its callback takes.
import http from 'node:http';
import readline from 'node:readline';
import { experimental_createMCPClient as createClient, experimental_createMCPEventWebhook as createWebhook } from '@ai-sdk/mcp';

const say = (kind, what) => console.log(JSON.stringify({ kind, ...what }));

const kept = new Map();
const store = {
  get: async (key) => kept.get(key),
  getById: async (id) => [...kept.values()].find((s) => s.id === id),
  set: async (s) => { kept.set(s.key, s); },
  update: async (key, patch) => { kept.set(key, { ...kept.get(key), ...patch }); },
  delete: async (key) => { kept.delete(key); },
};

const webhook = createWebhook({
  store,
  onEvent: async ({ event }) => say('event', { id: event.eventId, data: event.data }),
  onGap: async () => say('gap', {}),
  onTerminated: async ({ termination }) => say('terminated', { message: termination.error.message }),
  onError: (err) => say('error', { message: String(err) }),
});
const callback = http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const answer = await webhook(new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method, headers: request.headers, body: Buffer.concat(chunks),
  }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
});
await new Promise((resolve) => { callback.listen(0, '127.0.0.1', resolve); });

const client = await createClient({
  transport: { type: 'http', url: process.argv[2], headers: { authorization: 'Bearer ann' } },
  experimental_events: { store },
});
const events = client.experimental_events;
let id;
const commands = {
  subscribe: async () => {
    const url = `http://127.0.0.1:${callback.address().port}/hook`;
    const granted = await events.subscribe({
      name: 'incident.opened', arguments: { service: 'api' }, ttlMs: 600000,
      delivery: { mode: 'webhook', url, allowInsecureLocalhost: true },
    });
    id = granted.id;
    return granted;
  },
  refresh: () => events.refresh({ id }),
  unsubscribe: async () => { await events.unsubscribe({ id }); return {}; },
};
say('ready', { events: (await events.list()).events.map((e) => e.name) });
for await (const line of readline.createInterface({ input: process.stdin })) {
  try {
    say(line, await commands[line]());
  } catch (err) {
    say('error', { message: `${err} ${JSON.stringify(err)}` });
  }
}
process.exit(0);
