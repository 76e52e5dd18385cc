// Pictures, speech and files in the playground, in a browser: shown, played and bounded.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { makeWav } from "../../operations/media/world.ts";
import { type ConsoleWorld, HAS_BROWSER, startConsoleWorld, VISIT_MS } from "../visitor.ts";
import { findAnswer, openModel, press, readAnswer, readCurl, SPENT } from "./playground-user.ts";

setDefaultTimeout(VISIT_MS);

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld({ server: "body_limit: 100KB" });
});

afterAll(() => world.stop());

const WAV = await makeWav(3).arrayBuffer();
const SOUND = { name: "morning.wav", mimeType: "audio/wav", buffer: Buffer.from(WAV) };
const LARGE = { ...SOUND, name: "day.wav", buffer: Buffer.alloc(200_000) };

/** The object URL of an element, and its size once loaded: pixels or seconds. */
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

/** The object URLs that were created and not revoked. */
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

describe.skipIf(!HAS_BROWSER)("pictures and sound in the playground (skipped without Chromium)", () => {
  test("created and edited pictures are shown and can be downloaded, and their object URLs are revoked", async () => {
    const { page, open, leave } = await openModel(world, "OpenAI#gpt-image-2");
    const listLent = await watchAddresses(page);
    await page.getByLabel("Prompt").fill("a lighthouse");
    await page.getByLabel("Size").fill("1024x1024");
    await page.getByLabel("Number").fill("2");
    expect(await readCurl(page)).toMatch(/"size": "1024x1024",[\s\S]*"n": 2,/);
    await press(page, "Generate");
    expect(await readAnswer(page, "OpenAI#gpt-image-2")).toMatch(SPENT);
    expect(await readShown(page, "figure img")).toEqual({
      src: expect.stringMatching(/^blob:/),
      size: 1,
    });
    expect(await listLent()).toHaveLength(2);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download image 2" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("image-2.png");
    await page.getByLabel("Task").selectOption("Edit");
    await page.getByLabel("Image", { exact: true }).setInputFiles({ ...SOUND, name: "old.png" });
    expect(await readCurl(page)).toContain("/v1/images/edits \\\n");
    await press(page, "Generate");
    await findAnswer(page)
      .getByText(/20\d → 544 tokens/)
      .waitFor();
    await open("/");
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await listLent()).toEqual([]);
    await leave();
  });

  test("a remote picture is linked to, and a broken one is reported", async () => {
    const { page, leave } = await openModel(world, "OpenAI#gpt-image-2");
    await page.getByLabel("Prompt").fill("a lighthouse");
    const answerWith = (data: object) =>
      page.route("**/v1/images/generations", (route) => route.fulfill({ json: { data: [data] } }));
    await answerWith({ url: "https://pictures.test/1.png", revised_prompt: "A lighthouse." });
    await press(page, "Generate");
    const link = findAnswer(page).getByRole("link", { name: "Image 1 on the provider's server" });
    expect(await link.getAttribute("href")).toBe("https://pictures.test/1.png");
    await findAnswer(page).getByText("A lighthouse.").waitFor();
    await answerWith({ b64_json: "no picture" });
    await press(page, "Generate");
    await findAnswer(page).getByText("The provider's answer is malformed and can't be shown.").waitFor();
    await leave();
  });

  test("speech can be played, and its cost is shown", async () => {
    const { page, leave } = await openModel(world, "OpenAI#gpt-4o-mini-tts");
    await page.getByLabel("Input").fill("Good morning to all of you out there.");
    await page.getByLabel("Voice").fill("nova");
    await press(page, "Speak");
    expect(await readAnswer(page, "OpenAI#gpt-4o-mini-tts")).toMatch(SPENT);
    expect(await readShown(page, "audio")).toEqual({ src: expect.stringMatching(/^blob:/), size: 3 });
    const code = await readCurl(page);
    expect(code).toContain('"voice": "nova"');
    expect(code).toEndWith("\\\n  --output speech.mp3");
    await leave();
  });

  test("a file is transcribed, and a file that is too large is refused before it is sent", async () => {
    const { page, leave } = await openModel(world, "OpenAI#whisper-1");
    const run = page.getByRole("button", { name: "Transcribe", exact: true });
    await page.getByText("Up to 96 KB; the provider's limit may be lower").waitFor();
    await page.getByLabel("File").setInputFiles(LARGE);
    await page.getByText("This file is too large (200 KB). The limit is 96 KB.").waitFor();
    expect(await run.isDisabled()).toBe(true);
    await page.getByLabel("File").setInputFiles(SOUND);
    await press(page, "JSON");
    await page.getByText("Files are sent as well.").waitFor();
    await press(page, "Form");
    await page.getByText("Chosen: morning.wav.").waitFor();
    await run.click();
    const text = await readAnswer(page, "OpenAI#whisper-1");
    expect(text).toContain("This is what was said in morning.wav.");
    expect(text).toMatch(/\d+ seconds of audio · \$0\.\d+ · \$0\.00 charged/);
    await page.getByLabel("Task").selectOption("Translate into English");
    const code = await readCurl(page);
    expect(code).toContain("/v1/audio/translations \\\n");
    expect(code).toContain("-F 'file=@morning.wav'");
    await leave();
  });

  test("chat images that are too large together are not sent", async () => {
    const { page, leave } = await openModel(world, "OpenAI#gpt-5.4");
    await page.getByText("up to 72 KB").waitFor();
    await page.getByLabel("Message").fill("What is this?");
    const picture = { name: "a.png", mimeType: "image/png", buffer: Buffer.alloc(50_000) };
    await page.locator("input[type=file]").setInputFiles([picture, picture]);
    await page.getByText("These images are too large. The limit is 72 KB.").waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Remove image 2" }).click();
    await press(page, "Send");
    await page.getByText(SPENT).waitFor();
    await leave();
  });
});
