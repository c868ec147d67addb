// Drives golden/notes from web pages in Chromium, and prints what they saw as one JSON object, for browser_test.go to
// check. The one argument is the JSON of what is where, see plan in browser_test.go.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { connect, retry } from "./inspector.mjs";

const plan = JSON.parse(process.argv[2]);

/** Replaces a note in one step, so that no reader sees half of it. */
function edit(text) {
  const tmp = join(plan.dir, "alpha.tmp");
  writeFileSync(tmp, text);
  renameSync(tmp, join(plan.dir, "alpha.md"));
}

/** Opens a page that reaches this machine and nothing else. */
async function open(browser, url) {
  const context = await browser.newContext();
  context.setDefaultTimeout(plan.patience);
  context.setDefaultNavigationTimeout(plan.patience);
  const here = new Set(["127.0.0.1", new URL(url).hostname]);
  await context.route((to) => !here.has(to.hostname), (route) => route.abort());
  const page = await context.newPage();
  page.on("console", (m) => console.error(`${url}: ${m.type()}: ${m.text()}`));
  page.on("pageerror", (e) => console.error(`${url}: ${e}`));
  await page.exposeFunction("edit", edit);
  await page.goto(url);
  return { page, close: () => context.close() };
}

/** Calls a function of page.html, from a page of an origin. */
async function call(browser, origin, name, ...args) {
  const { page, close } = await open(browser, origin);
  const result = await page.evaluate(([name, args]) => window[name](...args), [name, args]);
  await close();
  return result;
}

/** Connects with the Inspector's page, and returns what it displays of the notes, before and after an edit. */
async function inspect(browser, url, text) {
  const { page, close } = await open(browser, url);
  await connect(page, plan.patience, "Resources");
  const resources = [];
  for (const name of ["readme", "index", "alpha", "beta", "note"]) { // note is the template, of a list of its own
    await page.getByRole("button", { name, exact: true }).waitFor();
    resources.push(name);
  }
  await page.getByRole("button", { name: "alpha", exact: true }).click();
  await page.getByText("The first letter.").first().waitFor();
  const subscribe = page.getByRole("button", { name: "Subscribe", exact: true });
  const subscribed = page.getByRole("button", { name: "Unsubscribe", exact: true }).first();
  await subscribe.waitFor();
  await retry(async () => { if (await subscribe.isVisible()) await subscribe.click(); }, subscribed, plan.patience);
  // The button may say so before the server has confirmed the subscription: then it is the next edit that is told.
  const told = page.getByText("notifications/resources/updated", { exact: true }).first();
  await retry(() => edit(text), told, plan.patience);
  await page.getByRole("button", { name: "Refresh", exact: true }).click();
  await page.getByText(text, { exact: true }).first().waitFor();
  await close();
  return { resources, shows: text };
}

const browser = await chromium.launch({
  executablePath: plan.chromium,
  timeout: plan.patience,
  args: ["--host-resolver-rules=MAP *.test 127.0.0.1", ...(plan.sandbox ? [] : ["--no-sandbox"])],
});
const report = {
  modern: await call(browser, plan.pages.allowed, "tryModern", plan.notes, "edited by a modern page"),
  legacy: await call(browser, plan.pages.allowed, "tryLegacy", plan.notes, "edited by a legacy page"),
  local: await call(browser, plan.pages.local, "tryModern", plan.notes, "edited by a local page"),
  token: await call(browser, plan.pages.allowed, "tryToken", plan.secured),
  foreign: await call(browser, plan.pages.foreign, "tryForeign", plan.notes),
  inspectors: {},
};
for (const [era, url] of Object.entries(plan.inspectors)) {
  edit("# Alpha\n\nThe first letter.\n");
  report.inspectors[era] = await inspect(browser, url, `edited for the ${era} Inspector`);
}
await browser.close();
console.log(JSON.stringify(report));
