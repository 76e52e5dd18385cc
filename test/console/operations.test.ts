// The playground beyond chat in a browser: each operation is asked for, and its answer shown, with its cost and as curl.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { OPERATIONS } from "../../src/core/card.ts";
import { makeWav } from "../media/world.ts";
import {
  barriers,
  type ConsoleWorld,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  type Visitor,
} from "./visitor.ts";

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld({ server: "body_limit: 100KB" });
});

afterAll(() => world.stop());

const WAV = await makeWav(3).arrayBuffer();
const SOUND = { name: "morning.wav", mimeType: "audio/wav", buffer: Buffer.from(WAV) };
const LARGE = { ...SOUND, name: "day.wav", buffer: Buffer.alloc(200_000) };
const SPENT = /tokens · \$0\.\d+ · \$0\.\d+ charged · .* in all/;

/** Opens the playground with a model, and with an operation where the model has several. */
async function openModel({ page, open }: Visitor, model: string, operation?: string): Promise<Page> {
  await open(`/playground?model=${encodeURIComponent(model)}`);
  await page.getByLabel("Model 1", { exact: true }).waitFor();
  if (operation) await page.getByLabel("Operation").selectOption({ label: operation });
  return page;
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

const answerOf = (page: Page) => page.getByRole("region", { name: "Answer" });

/** The answer as text once its figures are there, which name the model. */
async function readAnswer(page: Page, model: string): Promise<string> {
  const answer = answerOf(page);
  await answer.getByText(model).waitFor();
  return answer.innerText();
}

async function readCurl(page: Page): Promise<string> {
  await press(page, "View as code");
  const code = await page.getByRole("dialog").locator("pre").innerText();
  await page.keyboard.press("Escape");
  return code;
}

/** The address within the page that an element shows, and what it needs to be whole: pixels or seconds. */
function readShown(page: Page, selector: string): Promise<{ src: string; size: number }> {
  return page
    .locator(selector)
    .first()
    .evaluate(async (one) => {
      const size = () =>
        one instanceof HTMLImageElement
          ? one.naturalWidth
          : one instanceof HTMLMediaElement
            ? one.duration || 0
            : 0;
      for (let turn = 0; size() === 0 && turn < 100; turn++)
        await new Promise((done) => setTimeout(done, 50));
      return { src: String(one.getAttribute("src")), size: size() };
    });
}

/** The addresses within the page that were made and not taken back. */
async function watchAddresses(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const lent = new Set<string>();
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = (data) => {
      const url = createObjectURL(data);
      lent.add(url);
      return url;
    };
    URL.revokeObjectURL = (url) => {
      lent.delete(url);
      revokeObjectURL(url);
    };
    Object.assign(window, { lent });
  });
  return () => page.evaluate("[...window.lent]");
}

describe.skipIf(!HAS_BROWSER)("the playground beyond chat (skipped where there is no Chromium)", () => {
  test("two texts are compared by their embeddings, which the model's own operation brings up", async () => {
    const visitor = await openConsole(world);
    const model = "OpenAI#text-embedding-3-small";
    const page = await openModel(visitor, model);
    expect(await page.getByLabel("Operation").count()).toBe(0);
    await page.getByLabel("First text").fill("a cat on a sofa");
    await page.getByLabel("Second text").fill("a cat on a sofa");
    await press(page, "Compare");
    const same = await readAnswer(page, model);
    expect(same).toMatch(/Cosine similarity\s+1\.0000\s+Dimensions\s+256/);
    expect(same).toMatch(SPENT);
    await page.getByLabel("Second text").fill("it's quite another thing");
    await press(page, "Compare");
    await answerOf(page)
      .getByText(/^0\.\d{4}$/)
      .waitFor();
    const code = await readCurl(page);
    expect(code).toStartWith(`curl ${world.gateway.url}/v1/embeddings \\\n`);
    expect(code).toContain("it'\\''s quite another thing");
    expect([...visitor.complaints, ...visitor.foreign]).toEqual([]);
    await visitor.close();
  });

  test("documents are ranked, the best first", async () => {
    const visitor = await openConsole(world);
    const page = await openModel(visitor, "Cohere#rerank-v3.5");
    await page.getByLabel("Query").fill("which bear is white");
    await page.getByLabel("Documents").fill("a train\n\na bear that is white\nthe bear");
    await press(page, "Rank");
    await readAnswer(page, "Cohere#rerank-v3.5");
    const ranked = await answerOf(page).getByRole("listitem").allInnerTexts();
    expect(ranked.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
      expect.stringMatching(/^a bear that is white 0\.\d{3}$/),
      expect.stringMatching(/^the bear 0\.\d{3}$/),
      "a train 0.000",
    ]);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("a text is judged by category, the likeliest first", async () => {
    const visitor = await openConsole(world);
    const page = await openModel(visitor, "OpenAI#omni-moderation-latest");
    await page.getByLabel("Text").fill("I will attack.");
    await press(page, "Judge");
    await answerOf(page).getByText("Flagged: violence, violence/graphic.").waitFor();
    const [first] = await answerOf(page).getByRole("listitem").allInnerTexts();
    expect(first).toMatch(/^violence flagged\s+0\.950$/);
    await page.getByLabel("Text").fill("Good morning.");
    await press(page, "Judge");
    await answerOf(page).getByText("No category is flagged.").waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("pictures are shown and downloaded, also changed ones, and their addresses taken back", async () => {
    const visitor = await openConsole(world);
    const page = await openModel(visitor, "OpenAI#gpt-image-2");
    const listLent = await watchAddresses(page);
    await page.getByLabel("Description").fill("a lighthouse");
    await page.getByLabel("Size").selectOption("1024x1024");
    await page.getByLabel("Number").selectOption("2");
    expect(await readCurl(page)).toMatch(/"size": "1024x1024",[\s\S]*"n": 2,/);
    await press(page, "Draw");
    expect(await readAnswer(page, "OpenAI#gpt-image-2")).toMatch(SPENT);
    expect(await readShown(page, "figure img")).toEqual({
      src: expect.stringMatching(/^blob:/),
      size: 1,
    });
    expect(await listLent()).toHaveLength(2);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download picture 2" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("picture-2.png");
    await page.getByLabel(/Picture to change/).setInputFiles({ ...SOUND, name: "old.png" });
    expect(await readCurl(page)).toContain("/v1/images/edits \\\n");
    await press(page, "Draw");
    await answerOf(page)
      .getByText(/20\d → 544 tokens/)
      .waitFor();
    await visitor.open("/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await listLent()).toEqual([]);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("speech is listened to, and its cost is shown", async () => {
    const visitor = await openConsole(world);
    const page = await openModel(visitor, "OpenAI#gpt-4o-mini-tts");
    await page.getByLabel("Text").fill("Good morning to all of you out there.");
    await page.getByLabel("Voice").fill("nova");
    await press(page, "Speak");
    expect(await readAnswer(page, "OpenAI#gpt-4o-mini-tts")).toMatch(SPENT);
    expect(await readShown(page, "audio")).toEqual({ src: expect.stringMatching(/^blob:/), size: 3 });
    const code = await readCurl(page);
    expect(code).toContain('"voice": "nova"');
    expect(code).toEndWith("\\\n  --output speech.mp3");
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("a file becomes text, and one that is too large is refused before it is sent", async () => {
    const visitor = await openConsole(world);
    const page = await openModel(visitor, "OpenAI#whisper-1");
    const run = page.getByRole("button", { name: "Transcribe", exact: true });
    await page.getByText("Up to 96 KB; the provider may take less").waitFor();
    await page.getByLabel("Sound").setInputFiles(LARGE);
    await page.getByText("This file has 200 KB: the gateway takes 96 KB at most.").waitFor();
    expect(await run.isDisabled()).toBe(true);
    await page.getByLabel("Sound").setInputFiles(SOUND);
    await run.click();
    const text = await readAnswer(page, "OpenAI#whisper-1");
    expect(text).toContain("This is what was said in morning.wav.");
    expect(text).toMatch(/\d+ seconds of sound · \$0\.\d+ · \$0\.00 charged/);
    await page.getByLabel("Task").selectOption("Translate into English");
    const code = await readCurl(page);
    expect(code).toContain("/v1/audio/translations \\\n");
    expect(code).toContain("-F 'file=@morning.wav'");
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("images of a chat that are too large together are not sent", async () => {
    const visitor = await openConsole(world);
    const page = await openModel(visitor, "OpenAI#gpt-5.4");
    await page.getByText("up to 72 KB").waitFor();
    await page.getByLabel("Message").fill("What is this?");
    const picture = { name: "a.png", mimeType: "image/png", buffer: Buffer.alloc(50_000) };
    await page.locator("input[type=file]").setInputFiles([picture, picture]);
    await page.getByText("These images are too large: the gateway takes 72 KB at most.").waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Remove image 2" }).click();
    await press(page, "Send");
    await page.getByText(SPENT).waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("a text goes on, with a model of several operations", async () => {
    const visitor = await openConsole(world);
    const page = await openModel(visitor, "Local#sim-complete", "Completion");
    await page.getByLabel("Prompt").fill("once upon a time");
    await page.getByLabel("Longest answer").selectOption("256");
    expect(await readCurl(page)).toContain('"max_tokens": 256');
    await press(page, "Complete");
    const text = await readAnswer(page, "Local#sim-complete");
    expect(text).toMatch(/and so on\.\s+Local#sim-complete\s+\d+ → \d+ tokens/);
    await page.getByLabel("Operation").selectOption({ label: "Chat" });
    await page.getByLabel("Message").waitFor();
    await press(page, "Compare");
    expect(await page.getByLabel("Operation").count()).toBe(0);
    const offered = await page.getByLabel("Model 2", { exact: true }).locator("option").allInnerTexts();
    expect(offered.filter((one) => /embedding|rerank|moderation/.test(one))).toEqual([]);
    expect(visitor.complaints).toEqual([]);
    await visitor.close();
  });

  test("a failure is told in a sentence, and a request under way is stopped", async () => {
    const visitor = await openConsole(world);
    const failing = await openModel(visitor, "Local#sim-image~trouble=500", "Images");
    await failing.getByLabel("Description").fill("a lighthouse");
    await press(failing, "Draw");
    await answerOf(failing).getByRole("alert").getByText("The provider failed to answer.").waitFor();
    await visitor.open("/");
    const slow = await openModel(visitor, "Local#sim-image~latency=60000", "Images");
    await slow.getByLabel("Description").fill("a lighthouse");
    await press(slow, "Draw");
    await press(slow, "Stop");
    await answerOf(slow)
      .getByText(/stopped · .* in all/)
      .waitFor();
    await slow.getByRole("button", { name: "Draw" }).waitFor();
    await visitor.close();
  });

  test("every form has no barrier, is reached by keyboard, and fits a narrow screen, light and dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const visitor = await openConsole(world, { colorScheme, viewport: { width: 400, height: 740 } });
      const page = await openModel(visitor, "Local#sim-any");
      const names = await page.getByLabel("Operation").locator("option").allInnerTexts();
      expect(names).toHaveLength(OPERATIONS.length);
      for (const label of names) {
        await page.getByLabel("Operation").selectOption({ label });
        expect([label, await barriers(page)]).toEqual([label, []]);
        expect([label, await isTooWide(page)]).toEqual([label, false]);
      }
      await page.getByLabel("Operation").selectOption({ label: "Rerank" });
      await page.getByRole("button", { name: "Rank" }).press("Enter");
      await readAnswer(page, "Local#sim-any");
      expect([await barriers(page), await isTooWide(page)]).toEqual([[], false]);
      expect(visitor.complaints).toEqual([]);
      await visitor.close();
    }
  });
});
