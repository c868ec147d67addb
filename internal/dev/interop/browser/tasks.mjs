// Calls a tool of golden/jobs that asks as a task, in the page of the MCP Inspector in Chromium, answers its question,
// and prints what the page displays as one JSON object, for tasks_test.go to check. The one argument is the JSON of what
// is where, see inspectPlan there.
import { eachInspector, turnOn } from "./inspector.mjs";

/**
 * Deletes the drafts by a task: the page displays that it waits for input, asks, and displays the end of the task and
 * its result, which is returned.
 */
async function purge(page, era, url, patience) {
  await page.getByRole("button", { name: /^purge/ }).first().click();
  await page.getByRole("textbox", { name: "prefix" }).fill("draft");
  // Clients of 2025-11-25 say which calls are tasks; in 2026-07-28 the server does.
  if (era === "legacy") {
    const choice = page.getByLabel("Run as task");
    await turnOn(choice, choice.and(page.locator(":checked")), patience);
  }
  await page.getByRole("button", { name: "Execute Tool" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Delete all documents that begin with draft?").waitFor();
  await page.getByText(/^input[ _]required$/i).first().waitFor();
  const box = dialog.getByRole("checkbox", { name: "Delete" });
  await turnOn(box, dialog.getByRole("checkbox", { checked: true }), patience);
  await dialog.getByRole("button", { name: "Submit" }).click();
  await page.getByText(/^completed$/i).first().waitFor();
  const result = page.getByText(/"result": \d/).first();
  await result.waitFor();
  const deleted = Number(/"result": (\d+)/.exec(await result.textContent())[1]);
  return deleted;
}

await eachInspector("Tools", purge);
