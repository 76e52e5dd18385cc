// The playground beyond chat in a browser: each operation is run, and its answer shown with its cost and as curl.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { OPERATIONS } from "../../../src/core/models/card.ts";
import { findBarriers, HAS_BROWSER, isTooWide, startConsoleWorld, VISIT_MS } from "../visitor.ts";
import { findAnswer, openModel, press, readAnswer, readCurl, SPENT } from "./playground-user.ts";

setDefaultTimeout(VISIT_MS);

const world = await startConsoleWorld();

afterAll(() => world.stop());

describe.skipIf(!HAS_BROWSER)("the playground beyond chat (skipped without Chromium)", () => {
  test("two texts are compared by their embeddings, in the form chosen by the model's operation", async () => {
    const model = "OpenAI#text-embedding-3-small";
    const { page, leave } = await openModel(world, model);
    expect(await page.getByLabel("Operation").count()).toBe(0);
    const input = page.getByLabel("Input", { exact: true });
    await input.fill("a cat on a sofa\n\na cat on a sofa");
    await press(page, "Compare");
    const same = await readAnswer(page, model);
    expect(same).toMatch(/Cosine similarity\s+1\.0000\s+Dimensions\s+256/);
    expect(same).toMatch(SPENT);
    await input.fill("a cat on a sofa\nit's quite another thing");
    await press(page, "Compare");
    await findAnswer(page)
      .getByText(/^0\.\d{4}$/)
      .waitFor();
    const code = await readCurl(page);
    expect(code).toStartWith(`curl ${world.gateway.url}/v1/embeddings \\\n`);
    expect(code).toContain("it'\\''s quite another thing");
    await leave();
  });

  test("documents are ranked, best first", async () => {
    const { page, leave } = await openModel(world, "Cohere#rerank-v3.5");
    await page.getByLabel("Query").fill("which bear is white");
    await page.getByLabel("Documents").fill("a train\n\na bear that is white\nthe bear");
    await press(page, "Rank");
    await readAnswer(page, "Cohere#rerank-v3.5");
    const ranked = await findAnswer(page).getByRole("listitem").allInnerTexts();
    expect(ranked.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
      expect.stringMatching(/^a bear that is white 0\.\d{3}$/),
      expect.stringMatching(/^the bear 0\.\d{3}$/),
      "a train 0.000",
    ]);
    await leave();
  });

  test("a text is moderated, most likely category first", async () => {
    const { page, leave } = await openModel(world, "OpenAI#omni-moderation-latest");
    await page.getByLabel("Input").fill("I will attack.");
    await press(page, "Moderate");
    await findAnswer(page).getByText("Flagged: violence, violence/graphic.").waitFor();
    const [first] = await findAnswer(page).getByRole("listitem").allInnerTexts();
    expect(first).toMatch(/^violence flagged\s+0\.950$/);
    await page.getByLabel("Input").fill("Good morning.");
    await press(page, "Moderate");
    await findAnswer(page).getByText("No category was flagged.").waitFor();
    await leave();
  });

  test("a text is completed by a model with several operations", async () => {
    const { page, leave } = await openModel(world, "Local#sim-complete", "Completion");
    await page.getByLabel("Prompt").fill("once upon a time");
    await page.getByLabel("Max tokens").fill("256");
    expect(await readCurl(page)).toContain('"max_tokens": 256');
    await press(page, "Complete");
    const text = await readAnswer(page, "Local#sim-complete");
    expect(text).toMatch(/and so on\.\s+Local#sim-complete\s+\d+ → \d+ tokens/);
    await page.getByLabel("Operation").selectOption({ label: "Chat" });
    await page.getByLabel("Message").waitFor();
    await press(page, "Compare");
    expect(await page.getByLabel("Operation").count()).toBe(0);
    await page.getByLabel("Model 2", { exact: true }).fill("rerank");
    await page.getByText("Nothing matches").waitFor();
    await leave();
  });

  test("an interaction is asked in Google's form, and its steps are shown", async () => {
    const { page, leave } = await openModel(world, "OpenAI#gpt-4.1", "Interaction");
    await page.getByLabel("Input", { exact: true }).fill("say: good day");
    expect(await readCurl(page)).toStartWith(`curl ${world.gateway.url}/v1/interactions \\\n`);
    await press(page, "Send");
    const text = await readAnswer(page, "OpenAI#gpt-4.1");
    expect(text).toContain("good day");
    expect(text).toMatch(SPENT);
    await leave();
  });

  test("a request can be edited as JSON as well, with fields that the form doesn't have", async () => {
    const { page, leave } = await openModel(world, "Cohere#rerank-v3.5");
    const run = page.getByRole("button", { name: "Rank", exact: true });
    await page.getByText("More fields").click();
    await page.getByLabel("Top n").fill("0");
    await page.getByText("Takes a whole number from 1.").waitFor();
    expect(await run.isDisabled()).toBe(true);
    await page.getByLabel("Top n").fill("1");
    await press(page, "JSON");
    const json = page.getByLabel("Request", { exact: true });
    expect(JSON.parse(await json.inputValue())).toMatchObject({ query: "What is a panda?", top_n: 1 });
    await json.fill("{");
    await page.getByText("This is not a JSON object.").waitFor();
    expect(await run.isDisabled()).toBe(true);
    await json.fill(
      '{"query": "bear", "documents": ["a bear\\nthat is white", "a train"], "custom": {"a": 1}}',
    );
    expect(await readCurl(page)).toMatch(/"documents": \[\s+"a bear\\nthat is white",[\s\S]*"custom": \{/);
    await press(page, "Form");
    expect(await page.getByLabel("Query").inputValue()).toBe("bear");
    await press(page, "Rank");
    // Without `return_documents`, the answer has no texts to show, so it is shown as it came.
    await findAnswer(page).getByText('"relevance_score"').first().waitFor();
    await leave();
  });

  test("a failure is explained in a sentence, and a running request can be stopped", async () => {
    const failing = await openModel(world, "Local#sim-image~trouble=500", "Images");
    await failing.page.getByLabel("Prompt").fill("a lighthouse");
    await press(failing.page, "Generate");
    await findAnswer(failing.page).getByRole("alert").getByText("Local failed to answer.").waitFor();
    await failing.close();
    const { page, close } = await openModel(world, "Local#sim-image~latency=60000", "Images");
    await page.getByLabel("Prompt").fill("a lighthouse");
    await press(page, "Generate");
    await press(page, "Stop");
    await findAnswer(page)
      .getByText(/stopped · .* in total/)
      .waitFor();
    await page.getByRole("button", { name: "Generate" }).waitFor();
    await close();
  });

  test("every form is accessible, usable by keyboard, and fits a narrow screen, light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const look = { colorScheme, viewport: { width: 400, height: 740 } };
      const { page, leave } = await openModel(world, "Local#sim-any", undefined, look);
      const names = await page.getByLabel("Operation").locator("option").allInnerTexts();
      // Chat is asked in three forms.
      expect(names).toHaveLength(OPERATIONS.length + 2);
      for (const label of names) {
        await page.getByLabel("Operation").selectOption({ label });
        if (label !== "Chat") await page.getByText("More fields").click();
        expect([label, await findBarriers(page)]).toEqual([label, []]);
        expect([label, await isTooWide(page)]).toEqual([label, false]);
      }
      await page.getByLabel("Operation").selectOption({ label: "Rerank" });
      await page.getByRole("button", { name: "Rank" }).press("Enter");
      await readAnswer(page, "Local#sim-any");
      expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
      await leave();
    }
  });
});
