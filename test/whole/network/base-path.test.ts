// A gateway below a path of an address that other programs share, behind a proxy that strips the path or keeps it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import type { Browser as Chromium } from "playwright-core";
import { asObject } from "../../../src/core/json/json.ts";
import { HAS_BROWSER, newVisitor, signIn, startBrowser, VISIT_MS } from "../../console/visitor.ts";
import { startUnderTest, type UnderTest } from "../../harness/harness.ts";
import { SocketClient } from "../../http/sockets/client.ts";
import { Browser } from "../../people/sign-in/browser.ts";
import { type OwnProvider, startProvider } from "../../people/sign-in/provider.ts";
import { askAs, oidcYaml, RULES, signInAs } from "../../people/sign-in/world.ts";
import { findFreePort, type SharedFront, startSharedFront } from "./shared-front.ts";

setDefaultTimeout(VISIT_MS);

const BASE = "/team/llm";
const MESSAGES = [{ role: "user", content: "say: hello" }];

describe.each([
  ["stripped", true],
  ["kept", false],
])("below a path that is %s", (_name, strips) => {
  const port = findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const url = origin + BASE;
  let gateway: UnderTest;
  let provider: OwnProvider;
  let front: SharedFront;
  beforeAll(async () => {
    provider = await startProvider(url);
    provider.people.set("ada", { name: "Ada", groups: ["platform"] });
    gateway = await startUnderTest({
      server: `base_path: "${BASE}", public_url: "${url}"`,
      more: oidcYaml(provider.issuer, RULES),
    });
    front = await startSharedFront({ port, target: gateway.url, base: BASE, strips });
  });
  afterAll(async () => {
    await front.stop();
    await gateway.stop();
    await provider.stop();
  });

  test("the API answers, whole and streamed, and errors name the path as the client spells it", async () => {
    const ask = (body: object, path = "/v1/chat/completions") =>
      fetch(url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "OpenAI#gpt-5.4", messages: MESSAGES, ...body }),
      });
    const whole = await ask({});
    expect([whole.status, await whole.text()]).toEqual([200, expect.stringContaining("hello")]);
    const streamed = await ask({ stream: true });
    expect(await streamed.text()).toEndWith("data: [DONE]\n\n");
    expect(
      (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${gateway.secret}` } })).status,
    ).toBe(200);
    expect((await ask({}, "/v1/chat/completion")).status).toBe(404);
    expect((await fetch(`${url}/v1/chat/completions`)).status).toBe(405);
    expect((await ask({}, "/v1/../admin/v1/keys")).status).not.toBe(200);
  });

  test("a WebSocket opens below it", async () => {
    const socket = await new SocketClient(gateway.url + BASE, gateway.secret).open();
    const frames = await socket.create({ model: "Responses#gpt-4.1", input: "say: hello" });
    socket.close();
    expect(frames.at(-1)?.type).toBe("response.completed");
  });

  test("probes and documents of well-known names answer at the root too", async () => {
    for (const path of ["/healthz", "/readyz", `${BASE}/healthz`, "/metrics"])
      expect([path, (await fetch(gateway.url + path)).status]).toEqual([path, 200]);
    expect((await fetch(gateway.url, { method: "HEAD" })).status).toBe(200);
    const found = await fetch(`${origin}/.well-known/oauth-authorization-server${BASE}`);
    const { issuer, token_endpoint } = asObject(await found.json());
    expect([issuer, token_endpoint]).toEqual([url, `${url}/oauth/token`]);
  });

  test("people sign in, and their session's cookie belongs to the path", async () => {
    const { page, browser } = await signInAs({ url }, "ada");
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(`href="${BASE}/"`)]);
    const cookies = page.headers.getSetCookie().filter((one) => !one.includes("Max-Age=0"));
    expect(cookies).toEqual([expect.stringContaining(`; Path=${BASE}/;`)]);
    const { status } = await askAs(browser, url, "/settings");
    expect(status).toBe(200);
    const device = await browser.get(`${url}/device`);
    expect(device.text).toContain(`action="${BASE}/device"`);
    const stranger = await new Browser().get(`${url}/device`);
    expect(stranger.headers.get("location")).toStartWith(`${url}/auth/oidc/start`);
  });
});

describe("pages", () => {
  const ports = { stripped: findFreePort(), kept: findFreePort() };
  let gateway: UnderTest;
  let fronts: readonly SharedFront[] = [];
  let chromium: Chromium | null = null;
  beforeAll(async () => {
    gateway = await startUnderTest({ server: `base_path: "${BASE}"` });
    const shared = { target: gateway.url, base: BASE };
    fronts = await Promise.all([
      startSharedFront({ ...shared, port: ports.stripped, strips: true }),
      startSharedFront({ ...shared, port: ports.kept, strips: false }),
    ]);
    chromium = await startBrowser();
  });
  afterAll(async () => {
    await chromium?.close();
    for (const front of fronts) await front.stop();
    await gateway.stop();
  });

  test("name their addresses below the path", async () => {
    const read = async (path: string) => (await fetch(gateway.url + BASE + path)).text();
    expect(asObject(JSON.parse(await read("/openapi.json"))).servers).toEqual([{ url: BASE }]);
    expect(await read("/llms.txt")).toContain(`](${BASE}/docs/`);
    expect(await read("/docs/models")).toContain(`href="${BASE}/docs/manual.css"`);
    expect(await read("/docs/api")).toContain(`data-document="${BASE}/openapi.json"`);
  });

  test.skipIf(!HAS_BROWSER)(
    "the console and the manual's search work in a browser, behind either proxy (skipped without Chromium)",
    async () => {
      for (const port of Object.values(ports)) {
        const url = `http://127.0.0.1:${port}${BASE}`;
        const visitor = await newVisitor({
          browser: chromium,
          gateway: { url },
        });
        const { page } = visitor;
        await signIn(visitor, gateway.adminToken);
        await page.getByRole("link", { name: "Playground" }).first().click();
        await visitor.open("/settings/providers");
        await page.getByRole("heading", { level: 1, name: "Providers" }).waitFor();
        await page.goto(`${url}/docs`);
        await page.getByLabel("Search the manual").fill("base path");
        await page.locator("search a").first().click();
        await page.getByRole("heading", { level: 1 }).waitFor();
        expect(page.url()).toStartWith(`${url}/docs/`);
        await visitor.leave();
      }
    },
  );
});

test("a connection is closed once it has been idle for server.idle_timeout", async () => {
  const gateway = await startUnderTest({ server: "idle_timeout: 1s" });
  const { hostname, port } = new URL(gateway.url);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let answer = "";
  const socket = connect(Number(port), hostname, () =>
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`),
  );
  socket.on("data", (bytes) => {
    answer += bytes.toString();
  });
  socket.once("close", resolve);
  await closed;
  expect(answer).toStartWith("HTTP/1.1 200");
  await gateway.stop();
});
