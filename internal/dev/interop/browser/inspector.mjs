// Opens pages of the MCP Inspector in Chromium, which are connected to a server.
import { chromium } from "playwright-core";

/** Does what should make an element visible, and does it again, less and less often, until it is. */
export async function retry(act, element, patience) {
  for (let wait = patience / 16; ; wait *= 2) {
    await act();
    try {
      return await element.waitFor({ timeout: wait });
    } catch (e) {
      if (wait >= patience) throw e;
    }
  }
}

/**
 * Turns a switch or a checkbox on, and again until an element is visible that shows that it is. The input itself is told
 * to click: a switch has no size to click at, and a checkbox moves while its dialog opens. What an input is told while
 * the page is still being put together is lost; told again when it is on, it would be turned off.
 */
export function turnOn(input, element, patience) {
  return retry(() => input.evaluate((input) => { if (!input.checked) input.click(); }), element, patience);
}

/** Connects the page of an Inspector, and chooses a tab that it shows then. */
export async function connect(page, patience, tabName) {
  const tab = page.locator("label", { hasText: tabName });
  await turnOn(page.getByRole("switch", { name: /^Connect or disconnect/ }), tab, patience);
  await tab.click();
}

/** Opens the page of an Inspector, connects it, and chooses a tab that it shows then. */
async function open(plan, browser, url, tabName) {
  const context = await browser.newContext();
  context.setDefaultTimeout(plan.patience);
  context.setDefaultNavigationTimeout(plan.patience);
  await context.route((to) => to.hostname !== "127.0.0.1", (route) => route.abort());
  const page = await context.newPage();
  page.on("pageerror", (e) => console.error(`${url}: ${e}`));
  await page.goto(url);
  await connect(page, plan.patience, tabName);
  return page;
}

/**
 * Calls visit(page, era, url, patience) for each Inspector of the plan, which is the one argument of the program, as
 * JSON. What it returns is printed as one JSON object, by era.
 */
export async function eachInspector(tabName, visit) {
  const plan = JSON.parse(process.argv[2]);
  const browser = await chromium.launch({
    executablePath: plan.chromium, timeout: plan.patience, args: plan.sandbox ? [] : ["--no-sandbox"],
  });
  const report = {};
  for (const [era, url] of Object.entries(plan.inspectors)) {
    const page = await open(plan, browser, url, tabName);
    report[era] = await visit(page, era, url, plan.patience);
    await page.context().close();
  }
  await browser.close();
  console.log(JSON.stringify(report));
}
