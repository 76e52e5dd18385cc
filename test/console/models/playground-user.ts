// Steps in the console's playground shared by its tests: choosing a model, pressing buttons, reading answers and code.
import type { BrowserContextOptions, Page } from "playwright-core";
import { type ConsoleWorld, openConsole, type Visitor } from "../visitor.ts";

/** The figures under an answer that is counted in tokens. */
export const SPENT = /tokens · \$0\.\d+ · \$0\.\d+ charged · .* in total/;

/** Opens the playground with a model, and with an operation if the model has several. */
export async function openModel(
  world: ConsoleWorld,
  model: string,
  operation?: string,
  look?: BrowserContextOptions,
): Promise<Visitor> {
  const visitor = await openConsole(world, `/playground?model=${encodeURIComponent(model)}`, look);
  await visitor.page.getByLabel("Model 1", { exact: true }).waitFor();
  if (operation) await visitor.page.getByLabel("Operation").selectOption({ label: operation });
  return visitor;
}

export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

export const findAnswer = (page: Page) => page.getByRole("region", { name: "Answer" });

/** The answer's text once its figures appear, which name the model. */
export async function readAnswer(page: Page, model: string): Promise<string> {
  const answer = findAnswer(page);
  await answer.getByText(model).waitFor();
  return answer.innerText();
}

export async function readCurl(page: Page): Promise<string> {
  await press(page, "View as code");
  const code = await page.getByRole("dialog").locator("pre").innerText();
  await page.keyboard.press("Escape");
  return code;
}
