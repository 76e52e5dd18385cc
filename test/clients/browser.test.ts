// Pages of other sites that call the gateway with the vendors' SDKs: their headers, and the whole of it in a real browser.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { Browser, Page } from "playwright-core";
import { HAS_BROWSER, startBrowser } from "../console/visitor.ts";
import { startUnderTest, type UnderTest } from "../harness/harness.ts";

/** A browser on a busy machine takes seconds. */
const WAIT_MS = 60_000;
const ORIGIN = "https://site.test";

let world: UnderTest;
beforeAll(async () => {
  world = await startUnderTest({ server: 'cors: ["*"]' });
});
afterAll(() => world.stop());

function preflight(path: string, headers: readonly string[], method = "POST"): Promise<Response> {
  const asked = {
    origin: ORIGIN,
    "access-control-request-method": method,
    "access-control-request-headers": headers.join(","),
  };
  return fetch(world.url + path, { method: "OPTIONS", headers: asked });
}

function listAllowed(answer: Response): readonly string[] {
  return (answer.headers.get("access-control-allow-headers") ?? "").split(", ");
}

/** Collects the names of the headers that the SDKs send. */
async function listSent(): Promise<ReadonlyMap<string, readonly string[]>> {
  const sent = new Map<string, string[]>();
  const collect = (name: string) => async (url: string | URL | Request, init?: RequestInit) => {
    const headers = url instanceof Request ? url.headers : new Headers(init?.headers);
    sent.set(name, [...headers.keys()]);
    throw new Error("Nothing is sent.");
  };
  const options = { apiKey: "k", dangerouslyAllowBrowser: true, maxRetries: 0 };
  const messages = [{ role: "user" as const, content: "a" }];
  const openai = new OpenAI({ ...options, fetch: collect("openai"), organization: "o", project: "p" });
  const anthropic = new Anthropic({ ...options, fetch: collect("anthropic") });
  const betas = ["interleaved-thinking-2025-05-14" as const];
  const google = new GoogleGenAI({ apiKey: "k" });
  const usual = globalThis.fetch;
  globalThis.fetch = Object.assign(collect("google"), { preconnect: usual.preconnect });
  try {
    await google.models.generateContent({ model: "m", contents: "a" }).catch(() => {});
  } finally {
    globalThis.fetch = usual;
  }
  await openai.chat.completions.create({ model: "m", messages }).catch(() => {});
  await anthropic.beta.messages.create({ model: "m", max_tokens: 1, messages, betas }).catch(() => {});
  return sent;
}

test("the headers of the vendors' SDKs may be sent", async () => {
  const sent = await listSent();
  expect(sent.get("openai")).toContain("x-stainless-os");
  expect(sent.get("anthropic")).toContain("anthropic-beta");
  expect(sent.get("google")).toContain("x-goog-api-key");
  for (const names of sent.values()) {
    expect(listAllowed(await preflight("/v1/chat/completions", names))).toEqual(names);
  }
});

describe("with '*'", () => {
  test("any origin may call the APIs, without credentials", async () => {
    for (const path of ["/v1/messages", "/v1beta/models/m:generateContent", "/models", "/v1/nowhere"]) {
      const { status, headers } = await preflight(path, ["x-api-key"]);
      expect([status, headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(headers.get("access-control-allow-credentials")).toBeNull();
    }
  });

  test.each([
    "/admin/v1/keys",
    "/metrics",
    "/auth/oidc/start",
    "/oauth/token",
    "/device",
    "/managed/settings",
  ])("none may call %s", async (path) => {
    const { status, headers } = await preflight(path, ["authorization"]);
    expect(status).not.toBe(204);
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  test("no page says where its request came from", async () => {
    const names = ["authorization", "x-forwarded-for", "Forwarded", "x-real-ip", "bad header", "x-own"];
    expect(listAllowed(await preflight("/v1/models", names))).toEqual(["authorization", "x-own"]);
  });

  test("refusals of the address can be read", async () => {
    for (const path of ["/v1//models", `/v1/models?api_key=${world.secret}`]) {
      const { status, headers } = await fetch(world.url + path, { headers: { origin: ORIGIN } });
      expect([status >= 400, headers.get("access-control-allow-origin")]).toEqual([true, "*"]);
    }
  });
});

describe.skipIf(!HAS_BROWSER)("a page in Chromium (skipped without it)", () => {
  let browser: Browser | null = null;
  let site: ReturnType<typeof Bun.serve>;
  beforeAll(async () => {
    const { outputs } = await Bun.build({
      entrypoints: [join(import.meta.dir, "browser-page.ts")],
      target: "browser",
    });
    const script = (await outputs[0]?.text()) ?? "";
    site = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) =>
        url.endsWith(".js")
          ? new Response(script, { headers: { "content-type": "text/javascript" } })
          : new Response('<!doctype html><script type="module" src="/page.js"></script>', {
              headers: { "content-type": "text/html" },
            }),
    });
    browser = await startBrowser();
  }, WAIT_MS);
  afterAll(async () => {
    await browser?.close();
    await site.stop(true);
  });

  async function openPage(host: string): Promise<Page> {
    if (!browser) throw new Error("the browser did not start");
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://${host}:${site.port}/`);
    await page.waitForFunction("'askAll' in globalThis");
    return page;
  }

  test(
    "calls by OpenAI's, Anthropic's and Google's SDKs, and reads headers and refusals",
    async () => {
      const page = await openPage("localhost");
      const told = await page.evaluate<unknown>(`askAll("${world.url}", "${world.secret}")`);
      expect(told).toEqual({
        chat: "good day",
        model: "Local#sim-mini",
        requestId: expect.stringMatching(/^req_/),
        streamed: "good day",
        gemini: "good day",
        refusal: [401, "false"],
      });
    },
    WAIT_MS,
  );

  test(
    "can do nothing with the console's session",
    async () => {
      // The gateway's own host on another port: the browser sends the cookie along.
      const page = await openPage("127.0.0.1");
      const signedIn = await page.context().request.post(`${world.url}/admin/v1/session`, {
        headers: { "content-type": "application/json" },
        data: JSON.stringify({ token: world.adminToken }),
      });
      expect(signedIn.status()).toBe(204);
      const attempts = ["keys", "change", "signIn", "metrics", "withCookie"];
      const told = await page.evaluate<unknown>(`attack("${world.url}")`);
      expect(told).toEqual(Object.fromEntries(attempts.map((name) => [name, "blocked"])));
    },
    WAIT_MS,
  );
});
