// Opens pages of the MCP Inspector in Chromium, which are connected to a server.
import { chromium } from "playwright-core";

/** Opens the page of an Inspector, connects it, and chooses a tab that it shows then. */
async function open(plan, browser, url, tabName) {
  const context = await browser.newContext();
  context.setDefaultTimeout(plan.patience);
  context.setDefaultNavigationTimeout(plan.patience);
  await context.route((to) => to.hostname !== "127.0.0.1", (route) => route.abort());
  const page = await context.newPage();
  page.on("pageerror", (e) => console.error(`${url}: ${e}`));
  await page.goto(url);
  const connect = page.getByRole("switch", { name: /^Connect or disconnect/ });
  const tab = page.locator("label", { hasText: tabName });
  for (let wait = plan.patience / 16; ; wait *= 2) { // a click on a page that is still being put together is lost
    await connect.evaluate((input) => { if (!input.checked) input.click(); }); // a second click would disconnect
    try {
      await tab.waitFor({ timeout: wait });
      break;
    } catch (e) {
      if (wait >= plan.patience) throw e;
    }
  }
  await tab.click();
  return page;
}

/**
 * Calls visit(page, era, url) for each Inspector of the plan, which is the one argument of the program, as JSON. What it
 * returns is printed as one JSON object, by era.
 */
export async function eachInspector(tabName, visit) {
  const plan = JSON.parse(process.argv[2]);
  const browser = await chromium.launch({
    executablePath: plan.chromium, timeout: plan.patience, args: plan.sandbox ? [] : ["--no-sandbox"],
  });
  const report = {};
  for (const [era, url] of Object.entries(plan.inspectors)) {
    const page = await open(plan, browser, url, tabName);
    report[era] = await visit(page, era, url);
    await page.context().close();
  }
  await browser.close();
  console.log(JSON.stringify(report));
}
