// A demo as its command shows it, for pictures, a film and tours of the console.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { asArray, asObject, type JsonObject, parseJson } from "../../src/core/json/json.ts";
import type { VisitedRole } from "../../src/simulator/company.ts";
import { PROGRAM } from "../harness/program.ts";
import type { Items } from "./views.ts";
import { newVisitor, startBrowser, type Visited, type Visitor } from "./visitor.ts";

/** Pictures are of this month, whenever they are taken. */
const MONTH = ["--seed", "1", "--today", "2026-11-28"];
/** A page of the log has so many requests at most. */
const PAGE_ROWS = 200;

export interface Showcase extends Visited {
  readonly items: Partial<Items>;
  /** The secret of the visitors' key. */
  readonly secret: string;
  /** The lines that the command printed. */
  readonly printed: readonly string[];
  /** Opens the console as one of the company's people. */
  openAs(person: VisitedRole, options?: BrowserContextOptions): Promise<Visitor>;
  stop(): Promise<void>;
}

/** `poundkey demo` with its month. Throws an Error with what it printed if it doesn't start. */
export async function startShowcase(): Promise<Showcase> {
  const home = mkdtempSync(join(tmpdir(), "poundkey-showcase-"));
  const demo = Bun.spawn([...PROGRAM, "demo", "--port", "0", ...MONTH], {
    cwd: home,
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stderr: "pipe",
  });
  const end = async () => {
    demo.kill();
    await demo.exited;
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const printed = await readStart(demo.stderr);
    const url = find(printed, /^Poundkey listens on (\S+)/);
    const items = await findItems(url);
    const browser = await startBrowser();
    const visited: Visited = { browser, gateway: { url } };
    return {
      ...visited,
      secret: find(printed, /API key +(\S+)/),
      printed,
      items,
      openAs: (person, options = {}) => openDemo(visited, person, options),
      async stop() {
        await browser?.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Opens the console of a demo as one of the company's people. */
export async function openDemo(
  visited: Visited,
  person: VisitedRole,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const visitor = await newVisitor(visited, options);
  const label = person.charAt(0).toUpperCase() + person.slice(1);
  await visitor.page.getByRole("button", { name: label, exact: true }).click();
  // On a phone the navigation waits behind a button.
  await visitor.page.getByRole("heading", { level: 1 }).waitFor();
  return visitor;
}

/** Reads the lines until the secret is among them. */
async function readStart(output: ReadableStream<Uint8Array>): Promise<readonly string[]> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of output.values({ preventCancel: true })) {
    text += decoder.decode(piece, { stream: true });
    if (/API key +\S+\n/.test(text)) return text.trimEnd().split("\n");
  }
  throw new Error(`The demo did not start: ${text}`);
}

function find(lines: readonly string[], form: RegExp): string {
  for (const line of lines) {
    const found = form.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`No line is like ${form}: ${lines.join("\n")}`);
}

/** Finds the things of which there are pages, as an admin sees them. */
export async function findItems(url: string): Promise<Partial<Items>> {
  const read = async (path: string): Promise<JsonObject> => {
    const headers = { cookie: "poundkey_demo=admin", "sec-fetch-site": "same-origin" };
    return asObject(parseJson(await (await fetch(`${url}/admin/v1${path}`, { headers })).text()));
  };
  const first = async (path: string) => String(asObject(asArray((await read(path)).data)[0]).id);
  return {
    request: await findFailover(read),
    account: await first("/accounts?limit=1"),
    key: await first("/keys?limit=1"),
    person: await first("/members?limit=1"),
    batch: await first("/batches?limit=1"),
  };
}

/** Returns the id of a request whose first attempt failed and whose second answered. */
async function findFailover(read: (path: string) => Promise<JsonObject>): Promise<string> {
  for (let after = ""; ; ) {
    const page = await read(`/requests?limit=${PAGE_ROWS}${after}`);
    const rows = asArray(page.data).map(asObject);
    const found = rows.find(({ attempts, status }) => Number(attempts) > 1 && status === 200);
    if (found !== undefined) return String(found.id);
    if (typeof page.next !== "string") throw new Error("No request of the month failed over.");
    after = `&after=${encodeURIComponent(page.next)}`;
  }
}
