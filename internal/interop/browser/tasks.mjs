// Calls a tool of golden/jobs that asks as a task, in the page of the MCP Inspector in Chromium, answers its question,
// and prints what the page displays as one JSON object, for tasks_test.go to check. The one argument is the JSON of what
// is where, see inspectPlan there.
import { chromium } from "playwright-core";

const plan = JSON.parse(process.argv[2]);

/**
 * Deletes the drafts by a task: the page displays that it waits for input, asks, and displays the end of the task and
 * its result, which is returned.
 */
async function purge(browser, era, url) {
  const context = await browser.newContext();
  context.setDefaultTimeout(plan.patience);
  context.setDefaultNavigationTimeout(plan.patience);
  await context.route((to) => to.hostname !== "127.0.0.1", (route) => route.abort());
  const page = await context.newPage();
  page.on("pageerror", (e) => console.error(`${url}: ${e}`));
  await page.goto(url);
  const connect = page.getByRole("switch", { name: /^Connect or disconnect/ });
  const tab = page.locator("label", { hasText: "Tools" });
  for (let wait = plan.patience / 16; ; wait *= 2) { // a click on a page that is still being put together is lost
    await connect.evaluate((input) => input.click());
    try {
      await tab.waitFor({ timeout: wait });
      break;
    } catch (e) {
      if (wait >= plan.patience) throw e;
    }
  }
  await tab.click();
  await page.getByRole("button", { name: /^purge/ }).first().click();
  await page.getByRole("textbox", { name: "prefix" }).fill("draft");
  // Clients of 2025-11-25 say which calls are tasks; in 2026-07-28 the server does.
  if (era === "legacy") await page.locator("label", { hasText: "Run as task" }).first().click();
  await page.getByRole("button", { name: "Execute Tool" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Delete all documents that begin with draft?").waitFor();
  await page.getByText(/^input[ _]required$/i).first().waitFor();
  await dialog.getByRole("checkbox", { name: "Delete" }).check({ force: true });
  await dialog.getByRole("button", { name: "Submit" }).click();
  await page.getByText(/^completed$/i).first().waitFor();
  const result = page.getByText(/"result": \d/).first();
  await result.waitFor();
  const deleted = Number(/"result": (\d+)/.exec(await result.textContent())[1]);
  await context.close();
  return deleted;
}

const browser = await chromium.launch({
  executablePath: plan.chromium, timeout: plan.patience, args: plan.sandbox ? [] : ["--no-sandbox"],
});
const report = {};
for (const [era, url] of Object.entries(plan.inspectors)) report[era] = await purge(browser, era, url);
await browser.close();
console.log(JSON.stringify(report));
