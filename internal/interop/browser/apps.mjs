// Displays the app of golden/board in the page of the MCP Inspector, in Chromium, and prints what the frame of the app
// holds as one JSON object, for apps_test.go to check. The one argument is the JSON of what is where, see appPlan there.
import { chromium } from "playwright-core";

const plan = JSON.parse(process.argv[2]);

/** Returns the cards in a frame of the app: by column, their headings. */
function cards(frame) {
  return frame.locator(".column").evaluateAll((columns) => Object.fromEntries(columns.map((c) => [
    c.dataset.column, [...c.querySelectorAll(".card h3")].map((h) => h.textContent),
  ])));
}

/** Opens the app in the page of an Inspector, moves a card in it, and returns what it shows before and after. */
async function display(browser, url) {
  const context = await browser.newContext();
  context.setDefaultTimeout(plan.patience);
  context.setDefaultNavigationTimeout(plan.patience);
  await context.route((to) => to.hostname !== "127.0.0.1", (route) => route.abort());
  const page = await context.newPage();
  page.on("pageerror", (e) => console.error(`${url}: ${e}`));
  await page.goto(url);
  const connect = page.getByRole("switch", { name: /^Connect or disconnect/ });
  const tab = page.locator("label", { hasText: "Apps" });
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
  const tools = [];
  await page.getByRole("button", { name: /^show_board/ }).waitFor();
  for (const name of ["show_board", "refresh", "move"]) {
    if (await page.getByRole("button", { name: new RegExp(`^${name}\\b`) }).isVisible()) tools.push(name);
  }
  await page.getByRole("button", { name: /^show_board/ }).click();
  // The Inspector has a frame of another origin, and in that a frame with the page of the app.
  const frame = page.frameLocator("iframe").frameLocator("iframe");
  await frame.locator(".card").first().waitFor();
  const before = await cards(frame);
  const origin = await frame.locator("body").evaluate(() => window.origin);
  const network = await frame.locator("body").evaluate((_, to) => fetch(to).then(() => "reached", (e) => e.name), url);
  await frame.getByRole("button", { name: "Move to done" }).first().click();
  await frame.locator("[data-column=done] .card").first().waitFor();
  const after = await cards(frame);
  const state = await frame.locator("#state").textContent();
  await context.close();
  return { tools, before, after, origin, network, state };
}

const browser = await chromium.launch({
  executablePath: plan.chromium, timeout: plan.patience, args: plan.sandbox ? [] : ["--no-sandbox"],
});
const report = {};
for (const [era, url] of Object.entries(plan.inspectors)) report[era] = await display(browser, url);
await browser.close();
console.log(JSON.stringify(report));
