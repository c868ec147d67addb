// Lets add-mcp install servers into the files of clients, and read the texts of mcpgen config from the same files. HOME
// is a new folder. Takes a JSON list of {agent, server, text}, and prints one of {theirs, ours, path}.
import { readFileSync, writeFileSync } from "node:fs";
import { listInstalledServers, removeServer, upsertServer } from "add-mcp";

const projects = ["claude-code", "vscode"]; // of which mcpgen config names the file of a project
const cwd = process.env.HOME;

async function read(agent) {
  const [found] = await listInstalledServers({ global: !projects.includes(agent), agents: [agent], cwd });
  if (found.error) throw new Error(`${agent}: ${found.error}`);
  return found.servers.map((s) => ({ name: s.serverName, config: s.config, key: s.configKey }));
}

const out = [];
for (const { agent, server, text } of JSON.parse(readFileSync(0, "utf8"))) {
  const done = upsertServer(agent, "notes", server, { local: projects.includes(agent), cwd });
  if (!done.success) throw new Error(`${agent}: ${done.error}`);
  const theirs = await read(agent);
  writeFileSync(done.path, text);
  out.push({ theirs, ours: await read(agent), path: done.path });
  removeServer(agent, "notes", { local: projects.includes(agent), cwd });
}
console.log(JSON.stringify(out));
