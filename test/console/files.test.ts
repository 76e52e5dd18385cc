// The console's page and files over HTTP: named by hash, compressed, small, and closed to all other hosts.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

const FIRST_LOAD_BYTES_MAX = 150_000;
const SCRIPT_BYTES_MAX = 60_000;

let gateway: UnderTest;

beforeAll(async () => {
  gateway = await startUnderTest();
});

afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, { headers: { "accept-encoding": "gzip", ...headers }, decompress: false });

/** The page's text, and the paths it loads. */
async function firstLoad(): Promise<{ readonly html: string; readonly files: readonly string[] }> {
  const html = await (await fetch(`${gateway.url}/`)).text();
  return { html, files: [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? "") };
}

test("the page forbids other hosts, inline scripts and frames, and is not cached", async () => {
  const page = await get("/");
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("cache-control")).toBe("no-cache");
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("media-src blob:");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(policy).not.toContain("http");
  const again = await get("/", { "if-none-match": page.headers.get("etag") ?? "" });
  expect(again.status).toBe(304);
});

test("assets are named by hash, cached forever and compressed; the first load is below 150 KB", async () => {
  const { html, files } = await firstLoad();
  expect(html).not.toMatch(/<script(?![^>]* src=)/);
  expect(files.length).toBeGreaterThanOrEqual(3);
  let bytes = (await (await get("/")).arrayBuffer()).byteLength;
  for (const file of files) {
    expect(file).toMatch(/^\/console\/[a-z]+-[a-z0-9]{8,}\.(js|css|svg)$/);
    const answer = await get(file);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    bytes += (await answer.arrayBuffer()).byteLength;
  }
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
});

/** Returns the gzipped size of each script that one loads: always, or also when a page is opened. */
async function measureScripts(first: string, alsoOpened: RegExp): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const load = async (file: string): Promise<void> => {
    if (sizes.has(file)) return;
    const bytes = new Uint8Array(await (await get(file)).arrayBuffer());
    sizes.set(file, bytes.byteLength);
    const text = new TextDecoder().decode(Bun.gunzipSync(bytes));
    for (const [, isOpened, name = ""] of text.matchAll(
      /(?:from|import)(\()?"[^"]*?([a-z-]+-[a-z0-9]{8}\.js)"/g,
    ))
      if (!isOpened || alsoOpened.test(name)) await load(`/console/${name}`);
  };
  await load(first);
  return sizes;
}

test("the overview with all that it loads is below 150 KB, and no script of any page above 60 KB", async () => {
  const [entry = ""] = (await firstLoad()).files.filter((path) => path.endsWith(".js"));
  const first = [...(await measureScripts(entry, /^overview-/)).values()].reduce(
    (sum, size) => sum + size,
    0,
  );
  const all = await measureScripts(entry, /./);
  const scripts = [...all].toSorted(([, one], [, other]) => other - one);
  console.log(`console: ${first} bytes of scripts for the overview, ${scripts.length} scripts, the largest:`);
  for (const [name, size] of scripts.slice(0, 3)) console.log(`  ${name} ${size}`);
  expect(scripts.length).toBeGreaterThan(16);
  expect(first).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  expect(scripts[0]?.[1]).toBeLessThan(SCRIPT_BYTES_MAX);
});

test("clients that don't accept gzip get the same content uncompressed", async () => {
  const [file = ""] = (await firstLoad()).files.filter((path) => path.endsWith(".css"));
  const plain = await get(file, { "accept-encoding": "identity" });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(await plain.text()).toContain("--accent");
});

test("nothing else is served, and writes are refused", async () => {
  expect((await get("/console/nothing-00000000.js")).status).toBe(404);
  expect((await get("/console/..%2f..%2fpackage.json")).status).toBe(404);
  expect((await fetch(`${gateway.url}/`, { method: "POST" })).status).toBe(405);
});
