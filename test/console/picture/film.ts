// The film of the README: a start, a request by curl, and the page that tells why its model was chosen.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import type { Showcase } from "../showcase.ts";
import { encode } from "./encode.ts";

const SIZE = { width: 960, height: 600 };
const KEYSTROKE_MS = 90;
/** The characters that are typed between two frames. */
const TYPED = 6;
const READ_MS = 2200;
const SCROLL_PX = 60;
const SCROLL_MS = 100;
const FILM_MS = 20_000;
const START = "npx bun src/main.ts demo";

interface Frame {
  readonly picture: Uint8Array;
  readonly ms: number;
}

/** Writes the film to a file. */
export async function makeFilm(world: Showcase, path: string): Promise<void> {
  const frames: Frame[] = [];
  const { page: terminal, close } = await openTerminal(world);
  const id = await filmTerminal(terminal, world, frames);
  await close();
  const visitor = await world.openAs("admin", { viewport: SIZE, colorScheme: "light" });
  await visitor.open(`/activity/${id}`);
  await visitor.page.getByRole("heading", { name: "Timeline" }).waitFor();
  await filmPage(visitor.page, frames);
  await visitor.close();
  joinFrames(frames, path);
}

async function openTerminal({ browser }: Showcase) {
  const context = await browser?.newContext({ viewport: SIZE });
  const page = await context?.newPage();
  if (context === undefined || page === undefined) throw new Error("the browser did not start");
  await page.setContent(
    `<body style="margin:0;background:#101211;color:#ecefed"><pre style="margin:28px;font:15px/1.55 Menlo,'Liberation Mono',monospace;white-space:pre-wrap;word-break:break-all"></pre>`,
  );
  return { page, close: () => context.close() };
}

/** Returns the id of the request that was sent. */
async function filmTerminal(page: Page, world: Showcase, frames: Frame[]): Promise<string> {
  let text = "";
  const show = async (shown: string, ms: number) => {
    await page.locator("pre").evaluate((pre, content) => {
      pre.textContent = content;
    }, shown);
    frames.push({ picture: await page.screenshot(), ms });
  };
  const type = async (command: string) => {
    text += "$ ";
    for (let at = 0; at <= command.length; at += TYPED)
      await show(`${text}${command.slice(0, at)}█`, KEYSTROKE_MS);
    text += `${command}\n`;
    await show(text, 4 * KEYSTROKE_MS);
  };
  await type(START);
  text += `${world.printed.join("\n")}\n\n`;
  await show(text, READ_MS);
  const body = JSON.stringify({
    model: "Router#best",
    messages: [{ role: "user", content: "Where is parcel TL-40918?" }],
  });
  const url = `${world.gateway.url}/v1/chat/completions`;
  await type(`curl ${url} \\\n    -H "Authorization: Bearer ${world.secret}" \\\n    --json '${body}'`);
  const headers = { authorization: `Bearer ${world.secret}`, "content-type": "application/json" };
  const answer = await (await fetch(url, { method: "POST", headers, body })).text();
  await show(`${text}${answer}\n`, READ_MS);
  return String(asObject(parseJson(answer)).id);
}

/** Shows the page's beginning, and then its whole length until the film is over. */
async function filmPage(page: Page, frames: Frame[]): Promise<void> {
  await page.mouse.move(0, 0);
  await page.waitForLoadState("networkidle");
  frames.push({ picture: await page.screenshot(), ms: READ_MS });
  const end = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
  for (let top = SCROLL_PX; top <= end; top += SCROLL_PX) {
    await page.evaluate((y) => scrollTo(0, y), top);
    frames.push({ picture: await page.screenshot(), ms: SCROLL_MS });
  }
  const filmedMs = frames.reduce((sum, { ms }) => sum + ms, 0);
  frames.push({ picture: await page.screenshot(), ms: Math.max(READ_MS, FILM_MS - filmedMs) });
}

function joinFrames(frames: readonly Frame[], path: string): void {
  const folder = mkdtempSync(join(tmpdir(), "poundkey-film-"));
  try {
    const files = frames.flatMap(({ picture, ms }, at) => {
      const file = join(folder, `${String(at).padStart(4, "0")}.png`);
      writeFileSync(file, picture);
      return ["-d", String(ms), file];
    });
    encode("img2webp", ["-loop", "0", "-mixed", "-q", "60", ...files, "-o", path]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
