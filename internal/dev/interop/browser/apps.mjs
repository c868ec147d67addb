// Displays the app of golden/board in the page of the MCP Inspector, in Chromium, and prints what the frame of the app
// holds as one JSON object, for apps_test.go to check. The one argument is the JSON of what is where, see appPlan there.
import { eachInspector } from "./inspector.mjs";

/** Returns the cards in a frame of the app: by column, their headings. */
function cards(frame) {
  return frame.locator(".column").evaluateAll((columns) => Object.fromEntries(columns.map((c) => [
    c.dataset.column, [...c.querySelectorAll(".card h3")].map((h) => h.textContent),
  ])));
}

/** Opens the app in the page of an Inspector, moves a card in it, and returns what it shows before and after. */
async function display(page, era, url) {
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
  return { tools, before, after, origin, network, state };
}

await eachInspector("Apps", display);
