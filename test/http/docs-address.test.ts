// The gateway's address in the manual's examples: its own, and never one that only a request names.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { EXAMPLE_ADDRESS, fillAddress } from "../../src/docs/site/address.ts";
import { findGatewayAddress } from "../../src/http/gateway-address.ts";
import { fileServer, REVALIDATE } from "../../src/http/serve/files.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

let gateway: UnderTest;
beforeAll(async () => {
  gateway = await startUnderTest({ server: 'trusted_proxies: ["127.0.0.1"]' });
});
afterAll(() => gateway.stop());

const PAGES = [
  "/docs/client-claude-code",
  "/docs/client-claude-code.md",
  "/docs/fifty-people",
  "/llms-full.txt",
];

async function readAddress(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const text = await (await fetch(gateway.url + path, { headers })).text();
  return /ANTHROPIC_BASE_URL=(\S+)|public_url: (\S+)/.exec(text)?.slice(1).find(Boolean) ?? "none";
}

test("pages, their Markdown and the text for models show the address that was asked", async () => {
  for (const path of PAGES) expect([path, await readAddress(path)]).toEqual([path, gateway.url]);
  const page = await (await fetch(`${gateway.url}/docs/clients`)).text();
  expect(page).not.toContain(EXAMPLE_ADDRESS);
});

test.each([
  ["another host", { host: "evil.example" }],
  ["a name that begins like this machine's", { host: "localhost.evil.example:8080" }],
  ["a name that ends like it", { host: "evil-127.0.0.1.example" }],
  ["an address of a network", { host: "10.1.2.3" }],
  ["another host, told by a proxy", { host: "evil.example", "x-forwarded-host": "127.0.0.1:9999" }],
] as const)("%s is shown to nobody", async (_, headers) => {
  for (const path of PAGES) expect([path, await readAddress(path, headers)]).toEqual([path, EXAMPLE_ADDRESS]);
});

test("a proxy's word on the host changes nothing, and its word on the scheme counts", async () => {
  const headers = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
  expect(await readAddress("/docs/client-claude-code", headers)).toBe(gateway.url);
  const secure = { "x-forwarded-proto": "https" };
  expect(await readAddress("/docs/client-claude-code", secure)).toBe(gateway.url.replace("http:", "https:"));
});

test("each address has its own version of a page, which isn't sent again", async () => {
  const ask = (headers: Readonly<Record<string, string>>) =>
    fetch(`${gateway.url}/docs/client-codex`, { headers });
  const own = (await ask({})).headers.get("etag") ?? "";
  const other = (await ask({ host: "evil.example" })).headers.get("etag") ?? "";
  expect(own).not.toBe(other);
  expect((await ask({ "if-none-match": own })).status).toBe(304);
  expect((await ask({ "if-none-match": other })).status).toBe(200);
});

test("browsers get a page in the place of one that is missing, and programs an error", async () => {
  for (const path of ["/docs/typo", "/docs/a/b/c"]) {
    const page = await fetch(gateway.url + path, { headers: { accept: "text/html,*/*;q=0.8" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    expect(await page.text()).toContain("There is no such page");
  }
  const answer = await fetch(`${gateway.url}/docs/typo`);
  expect([answer.status, (await answer.json()).error.code]).toEqual([404, "unknown_url"]);
});

const RULES = { publicUrl: null, hosts: ["llm.corp.example"], basePath: "/llm" };

test.each([
  [
    "the public address",
    { publicUrl: "https://public.example/x" },
    "http://evil.example/docs",
    "https://public.example/x",
  ],
  ["a listed host", {}, "http://LLM.corp.example:81/docs", "http://llm.corp.example:81/llm"],
  ["this machine", {}, "http://[::1]:8080/docs", "http://[::1]:8080/llm"],
  ["this machine by name", {}, "http://localhost:8080/docs", "http://localhost:8080/llm"],
  ["a host below a listed one", {}, "http://evil.llm.corp.example/docs", null],
  ["a listed host as a user's name", {}, "http://llm.corp.example@evil.example/docs", null],
] as const)("%s", (_, more, url, address) => {
  expect(findGatewayAddress({ ...RULES, ...more }, url)).toBe(address);
});

test("a page is made once for an address, and the pages of a few addresses are kept", async () => {
  let made = 0;
  const fill = (text: string, address: string) => {
    made += 1;
    return fillAddress(text, address);
  };
  const file = { name: "a.html", gzip: Bun.gzipSync(`at ${EXAMPLE_ADDRESS}`) };
  const serve = fileServer({ load: async () => [file], missing: "none", fill });
  const ask = async (address: string) =>
    (await serve("a.html", new Request("http://a/"), REVALIDATE, address)).text();
  expect([await ask("http://a"), await ask("http://a"), made]).toEqual(["at http://a", "at http://a", 1]);
  for (let at = 0; at < 100; at++) await ask(`http://127.0.0.${at}`);
  expect(made).toBe(101);
  await ask("http://a");
  expect(made).toBe(102);
});
