// A demo from outside: it shows all, changes nothing, and tells visitors nothing of each other or of its machine.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningDemo, startDemo } from "../../../src/app/demo/demo.ts";
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import { LOOK_FILE, PICTURED, showOverview } from "../../console/picture/overview.ts";
import { readLook } from "../../console/picture/page-look.ts";
import { openDemo } from "../../console/showcase.ts";
import { HAS_BROWSER, startBrowser } from "../../console/visitor.ts";

/** From midnight to noon: a short month, of which the tests read no more than that it is there. */
const DAYS = 0.5;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MAKING_MS = 60_000;

let folder = "";
let demo: RunningDemo;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "poundkey-demo-"));
  demo = await startDemo({
    host: "127.0.0.1",
    port: 0,
    publicUrl: null,
    // Tests come from as many addresses as they like.
    trustedProxies: ["127.0.0.1"],
    days: DAYS,
    seed: 1,
    endMs: (Math.floor(Date.now() / DAY_MS) + DAYS) * DAY_MS,
    folder,
    start: "npm start",
  });
}, MAKING_MS);
afterAll(async () => {
  await demo.stop();
  rmSync(folder, { recursive: true, force: true });
});

const FROM = "x-forwarded-for";
const MESSAGES = [{ role: "user", content: "hello" }];
const CHAT = { model: "OpenAI#gpt-5.4-mini", messages: MESSAGES };

function ask(method: string, path: string, init: { body?: unknown; headers?: Record<string, string> } = {}) {
  const { body, headers = {} } = init;
  return fetch(`${demo.url}${path}`, {
    method,
    headers: { "content-type": "application/json", [FROM]: "192.0.2.1", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    redirect: "manual",
  });
}

const as = (person: string) => ({ cookie: `poundkey_demo=${person}`, "sec-fetch-site": "same-origin" });

function open(path: string, person: string) {
  return ask("GET", `/admin/v1${path}`, { headers: { ...as(person), [FROM]: "192.0.2.2" } });
}

async function read(path: string, person = "admin"): Promise<JsonObject> {
  const response = await open(path, person);
  const answer = await response.text();
  if (!response.ok) throw new Error(`${path} as ${person}: ${response.status} ${answer}`);
  return asObject(parseJson(answer));
}

const key = () => ({ authorization: `Bearer ${demo.secret}` });

describe("nothing can be changed", () => {
  test("every route that changes something is refused, by every method but those that are let through", async () => {
    const document = asObject(await (await ask("GET", "/openapi.json")).json());
    const open: string[] = [];
    let refused = 0;
    let from = 0;
    for (const [path, methods] of Object.entries(asObject(document.paths))) {
      for (const method of Object.keys(asObject(methods)).map((name) => name.toUpperCase())) {
        if (method === "GET" || method === "HEAD") continue;
        from++;
        const headers = { ...as("admin"), ...key(), [FROM]: `198.51.${from >> 8}.${from & 255}` };
        const response = await ask(method, path.replace(/\{[^}]+\}/g, "x"), { body: {}, headers });
        expect(response.headers.get("x-poundkey-demo")).toBe("true");
        const text = await response.text();
        if (
          response.status === 403 &&
          text.includes("nothing can be changed. Start your own with: npm start")
        )
          refused++;
        else open.push(`${method} ${path}`);
      }
    }
    expect(open.toSorted()).toEqual([
      "DELETE /admin/v1/session",
      "POST /admin/v1/playground",
      "POST /admin/v1/session",
      "POST /v1/chat/completions",
      "POST /v1/completions",
      "POST /v1/embeddings",
      "POST /v1/messages",
      "POST /v1/messages/count_tokens",
      "POST /v1/moderations",
      "POST /v1/rerank",
      "POST /v1/responses",
      "POST /v1/responses/input_tokens",
      "POST /v1beta/models/{id}:countTokens",
      "POST /v1beta/models/{id}:generateContent",
      "POST /v1beta/models/{id}:streamGenerateContent",
    ]);
    expect(refused).toBeGreaterThan(80);
  });

  test("other hosts aren't served, and no connection is upgraded", async () => {
    const elsewhere = await ask("GET", "/", { headers: { host: "evil.example" } });
    expect([elsewhere.status, elsewhere.headers.get("x-poundkey-demo")]).toEqual([400, "true"]);
    const socket = await ask("GET", "/v1/responses", {
      headers: { upgrade: "websocket", connection: "upgrade" },
    });
    expect([socket.status, await socket.text()]).toEqual([426, expect.stringContaining("websockets_off")]);
  });
});

/** Returns the audit trail but for the playground's key: its entry may come some seconds after the first question. */
async function readTrail(): Promise<readonly JsonObject[]> {
  const entries = asArray((await read("/audit?limit=200")).data).map(asObject);
  return entries.filter(({ target }) => asObject(target).id !== "console");
}

describe("visitors", () => {
  test("sign in as one of four people, without a password and without a trace", async () => {
    const before = await readTrail();
    for (const [person, role] of [
      ["admin", "admin"],
      ["manager", "manager"],
      ["billing", "billing"],
      ["member", "member"],
    ] as const) {
      const response = await ask("POST", "/admin/v1/session", { body: { person } });
      expect([response.status, response.headers.get("set-cookie")]).toEqual([
        204,
        expect.stringContaining(`poundkey_demo=${person};`),
      ]);
      expect((await read("/session", person)).role).toBe(role);
    }
    expect((await ask("POST", "/admin/v1/session", { body: { token: "admin" } })).status).toBe(400);
    expect((await ask("GET", "/admin/v1/keys")).status).toBe(401);
    expect(await readTrail()).toEqual(before);
    expect(asArray((await read("/sessions")).data)).toHaveLength(1);
  });

  test("get simulated answers, of which nothing is kept that tells who asked what", async () => {
    const headers = {
      ...key(),
      [FROM]: "203.0.113.5",
      "user-agent": "A program of mine",
      "session-id": "my-session",
      "x-poundkey-tags": "who=me",
      "idempotency-key": "again",
    };
    const body = { ...CHAT, user: "me", metadata: { who: "me" }, store: true };
    const response = await ask("POST", "/v1/chat/completions", { body, headers });
    const { id } = asObject(await response.json());
    expect([response.status, response.headers.get("x-poundkey-demo")]).toEqual([200, "true"]);
    const row = await read(`/requests/${id}`);
    expect(row).toMatchObject({ address: null, session: null });
    expect(JSON.stringify(row)).not.toMatch(/203\.0\.113|A program of mine|my-session|hello|who.?me/);
  });

  test("can't leave words of their own: unknown models and wrong keys are refused before the log", async () => {
    const unknown = await ask("POST", "/v1/chat/completions", {
      body: { ...CHAT, model: "a rude word" },
      headers: key(),
    });
    expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining("model_not_found")]);
    const wrong = await ask("POST", "/v1/messages", { body: CHAT, headers: { "x-api-key": "sk-other" } });
    expect([wrong.status, asObject(await wrong.json()).type]).toEqual([401, "error"]);
    const refusals = JSON.stringify(await read("/refusals?limit=200"));
    expect(refusals).not.toContain("a rude word");
  });

  test("may ask so much and no more", async () => {
    const headers = { ...key(), [FROM]: "2001:db8::1" };
    for (let count = 0; count < 20; count++) {
      const response = await ask("POST", "/v1/chat/completions", { body: CHAT, headers });
      expect([count, response.status]).toEqual([count, 200]);
      await response.text();
    }
    const more = await ask("POST", "/v1/chat/completions", {
      body: CHAT,
      headers: { ...headers, [FROM]: "2001:db8::2" },
    });
    expect([more.status, Number(more.headers.get("retry-after")) > 0]).toEqual([429, true]);
    const large = { ...CHAT, messages: [{ role: "user", content: "x".repeat(70_000) }] };
    expect((await ask("POST", "/v1/chat/completions", { body: large, headers: key() })).status).toBe(413);
  });
});

describe("what is shown", () => {
  test.skipIf(!HAS_BROWSER)(
    "the sign-in page offers four people, the console opens as one of them, and the overview is as the README shows it",
    async () => {
      const browser = await startBrowser();
      try {
        const page = await browser?.newPage();
        await page?.goto(`${demo.url}/`);
        for (const name of ["Admin", "Manager", "Billing", "Member"])
          await page?.getByRole("button", { name, exact: true }).waitFor();
        expect(await page?.getByRole("textbox").count()).toBe(0);
        await page?.getByRole("button", { name: "Billing", exact: true }).click();
        await page?.getByText("Ray Osei").first().waitFor();
        expect(await page?.getByText("Demo data, simulated answers").count()).toBe(1);
        const admin = await openDemo({ browser, gateway: demo }, "admin", PICTURED);
        await showOverview(admin.page);
        const { headings, ...look } = await readLook(admin.page);
        const pictured = asObject(parseJson(readFileSync(LOOK_FILE, "utf8")));
        // Half a day nears the end of no budget.
        const always = asArray(pictured.headings).filter(
          (heading) => heading !== "H2 Budgets near their end",
        );
        expect<unknown>([headings, look]).toEqual([always, { ...pictured, headings: undefined }]);
        await admin.leave();
      } finally {
        await browser?.close();
      }
    },
    MAKING_MS,
  );

  test("each page says that it is a demo", async () => {
    for (const path of ["/", "/docs", "/docs/errors"]) {
      expect(await (await ask("GET", path)).text()).toContain("Demo data, simulated answers");
    }
  });

  test("no answer names the machine, a path, a variable or a process", async () => {
    const document = asObject(await (await ask("GET", "/openapi.json")).json());
    const paths = Object.entries(asObject(document.paths)).flatMap(([path, methods]) =>
      Object.hasOwn(asObject(methods), "get") && !path.includes("{") && !path.includes("live") ? [path] : [],
    );
    expect(paths.length).toBeGreaterThan(50);
    const named = [folder, tmpdir(), process.cwd(), hostname(), process.env.HOME ?? folder, "process_"];
    const told: string[] = [];
    let from = 0;
    for (const path of paths) {
      from++;
      const headers = { ...as("admin"), ...key(), [FROM]: `198.18.0.${from & 255}` };
      const text = /^\/(docs|openapi|llms)/.test(path)
        ? ""
        : await (await ask("GET", path, { headers })).text();
      for (const word of named) if (word.length > 2 && text.includes(word)) told.push(`${path}: ${word}`);
    }
    expect(told).toEqual([]);
  });

  test("the providers that the month called were called then, and no others", async () => {
    const all = asArray((await read("/requests?limit=200")).data).map(asObject);
    // On a working day, calls of tools are among the newest.
    const rows = all.filter(({ operation }) => operation !== "tool");
    const latest = new Map(rows.toReversed().map(({ provider, at }) => [provider, Date.parse(String(at))]));
    latest.delete(null);
    expect(latest.size).toBeGreaterThan(2);
    const called = new Map<unknown, number>();
    for (const { name, credentials } of asArray((await read("/providers")).data).map(asObject)) {
      const [first] = asArray(credentials).map(asObject);
      if (typeof first?.called_at === "string") called.set(name, Date.parse(first.called_at));
    }
    const wrong = [...latest].filter(([name, atMs]) => !(Math.abs((called.get(name) ?? 0) - atMs) < HOUR_MS));
    expect(wrong).toEqual([]);
    const listed = asArray((await read("/providers")).data).map((provider) => asObject(provider).name);
    expect(listed.filter((name) => !called.has(name))).not.toEqual([]);
  });

  test("providers have their own addresses, not the simulator's", async () => {
    const providers = asArray((await read("/providers")).data).map(asObject);
    expect(providers.find(({ name }) => name === "OpenAI")?.base_url).toBe("https://api.openai.com/v1");
    expect(JSON.stringify(providers.filter(({ name }) => name !== "Sim"))).not.toContain("127.0.0.1");
  });

  test("it goes back to its first state, and what visitors wrote is gone", async () => {
    const headers = { ...key(), [FROM]: "203.0.113.77" };
    const asked = await ask("POST", "/v1/chat/completions", { body: CHAT, headers });
    const { id } = asObject(await asked.json());
    expect((await read(`/requests/${id}`)).id).toBe(id);
    const turn = asked.headers.get("x-poundkey-demo-turn");
    await demo.returnToStart();
    const again = await ask("POST", "/v1/chat/completions", { body: CHAT, headers });
    expect([again.status, again.headers.get("x-poundkey-demo-turn")]).toEqual([
      200,
      String(Number(turn) + 1),
    ]);
    const gone = await open(`/requests/${id}`, "admin");
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining("not_found")]);
  });
});
