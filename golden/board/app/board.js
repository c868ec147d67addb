// Shows the cards of the board, and moves them. The page talks JSON-RPC with the window that displays it, which passes
// calls of tools on to the server.
"use strict";

const waiting = new Map(); // requests without an answer, by id
let lastId = 0;

function send(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function request(method, params) {
  return new Promise((resolve, reject) => {
    const id = ++lastId;
    waiting.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

window.addEventListener("message", (event) => {
  const m = event.data;
  if (event.source !== window.parent || m?.jsonrpc !== "2.0") return;
  if (m.method === undefined) {
    const of = waiting.get(m.id);
    waiting.delete(m.id);
    if (m.error) of?.reject(new Error(m.error.message));
    else of?.resolve(m.result);
    return;
  }
  switch (m.method) {
    case "ui/notifications/tool-result":
      take(m.params);
      break;
    case "ui/notifications/host-context-changed":
      adapt(m.params);
      break;
    case "ui/resource-teardown":
    case "ping":
      send({ id: m.id, result: {} });
      break;
    default:
      if (m.id !== undefined) send({ id: m.id, error: { code: -32601, message: "Method not found" } });
  }
});

/** Takes over the colours and the fonts of the host. */
function adapt(context) {
  const root = document.documentElement;
  if (context?.theme) root.style.colorScheme = context.theme;
  for (const [name, value] of Object.entries(context?.styles?.variables ?? {})) {
    if (value !== undefined) root.style.setProperty(name, value);
  }
}

/** Takes the result of a tool that returns the board. */
function take(result) {
  if (result.isError) return say(result.content?.[0]?.text ?? "The tool has failed.");
  if (result.structuredContent?.columns) draw(result.structuredContent.columns);
}

function say(text) {
  document.getElementById("state").textContent = text;
}

function element(name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text) e.textContent = text;
  return e;
}

function draw(columns) {
  const board = document.getElementById("board");
  board.replaceChildren(...columns.map((column) => {
    const box = element("section", "column");
    box.dataset.column = column.name;
    box.append(element("h2", "", column.name));
    for (const card of column.cards ?? []) {
      const c = element("article", "card");
      c.dataset.number = card.number;
      const others = columns.filter((o) => o.name !== column.name);
      c.append(element("h3", "", `${card.number}. ${card.title}`), element("p", "", card.body), ...others.map((o) => {
        const b = element("button", "", `Move to ${o.name}`);
        b.addEventListener("click", () => move(card.number, o.name));
        return b;
      }));
      box.append(c);
    }
    return box;
  }));
  board.setAttribute("aria-busy", "false");
  const count = columns.reduce((n, c) => n + (c.cards?.length ?? 0), 0);
  say(`${count} cards.`);
  resized();
}

async function move(number, to) {
  try {
    await request("tools/call", { name: "move", arguments: { number, to } });
    take(await request("tools/call", { name: "refresh", arguments: {} }));
  } catch (e) {
    say(e.message);
  }
}

function resized() {
  const { width, height } = document.documentElement.getBoundingClientRect();
  send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
}

request("ui/initialize", {
  appCapabilities: {},
  appInfo: { name: "board", version: "1.0.0" },
  protocolVersion: "2026-01-26",
}).then((result) => {
  adapt(result.hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
  resized();
}, (e) => say(e.message));
