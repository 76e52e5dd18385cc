// The gateway that `poundkey setup` asks first: which one, by which key, and what a hostile one can do.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { fetchList } from "../../../src/app/world.ts";
import { KEY, listStates, makeGateway, makeHome, readAgents, runSetup, URL } from "./setup-world.ts";

const AIDER = ["--agent", "aider", "--yes", "--json"];

describe("the model", () => {
  const CHOICES: readonly (readonly [
    name: string,
    models: readonly string[],
    words: readonly string[],
    chosen: readonly (string | null)[],
  ])[] = [
    [
      "is the best and the light one",
      ["Router#best", "Router#light", "A#b"],
      [],
      ["Router#best", "Router#light"],
    ],
    [
      "for small tasks is the same without a light one",
      ["Router#best", "A#b"],
      [],
      ["Router#best", "Router#best"],
    ],
    [
      "is simulated if nothing else is there",
      ["Router#best", "Router#light", "Sim#sim-mini"],
      [],
      ["Sim#sim-mini", "Sim#sim-mini"],
    ],
    [
      "is one that is asked for",
      ["Router#best", "A#b", "A#c"],
      ["--model", "A#b", "--small-model", "A#c"],
      ["A#b", "A#c"],
    ],
    [
      "has to be asked for if there is no selector",
      ["A#b", "A#c"],
      [],
      [null, "choose a model with --model, such as A#b, A#c"],
    ],
    [
      "has to be in the list",
      ["Router#best", "OpenAI#gpt-5.4"],
      ["--model", "OpenAI#gpt-5.5"],
      [null, "did you mean OpenAI#gpt-5.4?"],
    ],
    ["for small tasks too", ["Router#best", "A#b"], ["--small-model", "A#x"], [null, "--small-model"]],
  ];
  for (const [name, models, words, [model, small]] of CHOICES)
    test(name, async () => {
      using home = makeHome();
      const { fetch } = makeGateway(models);
      const ran = await runSetup({ home, fetch }, URL, ...AIDER, ...words);
      if (model === null) {
        expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(small ?? "")]);
        expect(home.list()).toEqual({});
        return;
      }
      expect(Bun.YAML.parse(home.read(".aider.conf.yml") ?? "")).toMatchObject({
        model: `openai/${model}`,
        "weak-model": `openai/${small}`,
      });
    });

  test("is never one whose name could break out of a file", async () => {
    using home = makeHome();
    const names = [
      'A#b"x',
      "A#b\nopenai-api-base: http://evil",
      "A#b`id`",
      "A#\u202eb",
      "A#b\\",
      "{file:/etc/passwd}",
    ];
    const { fetch } = makeGateway([...names, "Router#best"]);
    for (const name of names) {
      const ran = await runSetup({ home, fetch }, URL, ...AIDER, "--model", name);
      expect([name, ran.code]).toEqual([name, 2]);
    }
    expect(home.list()).toEqual({});
  });
});

describe("wrong usage", () => {
  const MISTAKES: readonly (readonly [name: string, words: readonly string[], says: string])[] = [
    ["a key among the words", [URL, "--key", KEY, "--yes"], "shell's history"],
    ["plain http beyond this machine", ["http://llm.example.com", "--yes"], "https://"],
    ["no gateway", ["--yes"], "poundkey login URL"],
    ["an agent with a typo", [URL, "--agent", "claude-cod", "--yes"], "did you mean claude-code?"],
    ["a missing file with the key", [URL, "--key", "/nowhere/key", "--yes"], "doesn't exist"],
    ["--undo with a gateway", [URL, "--undo"], "--undo takes"],
    ["--undo with a model", ["--undo", "--model", "A#b"], "--undo takes"],
  ];
  for (const [name, words, says] of MISTAKES)
    test(name, async () => {
      using home = makeHome();
      const ran = await runSetup({ home }, ...words);
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(says)]);
      expect(ran.err).not.toContain(KEY);
      expect(home.list()).toEqual({});
    });

  test("no key, or one with a line end in it", async () => {
    using home = makeHome();
    const none = await runSetup({ home, env: { POUNDKEY_KEY: "" } }, URL, ...AIDER);
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining("poundkey login http://127.0.0.1:8080"),
    ]);
    expect(none.err).toContain("--key");
    for (const input of ["", "\n", "sk-a\nsk-b\n", 'sk-a"b']) {
      const ran = await runSetup({ home, input }, URL, ...AIDER, "--key", "-");
      expect([input, ran.code]).toEqual([input, 2]);
    }
  });
});

test("a key comes from standard input or a file before that of the environment", async () => {
  using home = makeHome();
  const other = `${KEY}OTHER`;
  await runSetup({ home, input: `${other}\n` }, URL, ...AIDER, "--key", "-");
  expect(home.read(".aider.conf.yml")).toContain(other);
  home.write("key", `${KEY}\n`);
  await runSetup({ home, env: { POUNDKEY_KEY: other } }, URL, ...AIDER, "--key", home.at("key"));
  expect(home.read(".aider.conf.yml")).not.toContain(other);
});

describe("a sign-in", () => {
  const login = (home: { write: (path: string, text: string) => void }, url: string) =>
    home.write(
      ".config/poundkey/login.json",
      JSON.stringify({
        url,
        logins: {
          [url]: { secret: KEY, refresh: "r", until_ms: Date.now() + 3_600_000, lifetime_ms: 3_600_000 },
        },
      }),
    );

  test("names the gateway, and its agents run poundkey for the key", async () => {
    using home = makeHome();
    login(home, "https://llm.example.com");
    const words = ["claude-code", "codex", "opencode"].flatMap((name) => ["--agent", name]);
    const env = { POUNDKEY_KEY: "" };
    const program = ["/opt/my programs/poundkey"] as const;
    const ran = await runSetup({ home, env, program }, ...words, "--tools", "--yes", "--json");
    expect([ran.code, ...listStates(ran)]).toEqual([
      3,
      "claude-code: connected",
      "codex: connected",
      "opencode: needs_person",
    ]);
    expect(readAgents(ran)[2]?.words).toBe("needs a key of its own: poundkey setup --key -");
    expect(JSON.parse(home.read(".claude/settings.json") ?? "").apiKeyHelper).toBe(
      "'/opt/my programs/poundkey' token https://llm.example.com",
    );
    expect(Bun.TOML.parse(home.read(".codex/config.toml") ?? "")).toMatchObject({
      model_providers: {
        poundkey: {
          auth: { command: "/opt/my programs/poundkey", args: ["token", "https://llm.example.com"] },
        },
      },
    });
    expect(JSON.stringify(home.list())).not.toContain(KEY);
    expect(home.read(".config/poundkey/keys/llm.example.com_443")).toBeNull();
  });

  test("can't be used by a program that npx will remove", async () => {
    using home = makeHome();
    login(home, URL);
    const ran = await runSetup(
      { home, env: { POUNDKEY_KEY: "" }, program: null },
      "--agent",
      "codex",
      "--yes",
    );
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("npm i -g poundkey")]);
    expect(home.list()).toEqual({});
  });

  test("at another gateway gives no key", async () => {
    using home = makeHome();
    login(home, "https://llm.example.com");
    const ran = await runSetup({ home, env: { POUNDKEY_KEY: "" } }, URL, ...AIDER);
    expect(ran.code).toBe(2);
  });
});

const SHORT_MS = 200;
const silent = Promise.withResolvers<Response>();
const elsewhere: string[] = [];
const HOSTILE: Readonly<Record<string, (path: string) => Response | Promise<Response>>> = {
  "/redirect": () => new Response(null, { status: 307, headers: { location: "/elsewhere/v1/key" } }),
  "/elsewhere": (path) => {
    elsewhere.push(path);
    return Response.json({ data: [{ id: "Router#best" }] });
  },
  "/large": () => new Response("x".repeat(10_000_000)),
  "/silent": () => silent.promise,
  "/slow": () => new Response(new ReadableStream({ start: (pipe) => pipe.enqueue(Buffer.from("{")) })),
  "/html": () => new Response("<html>", { status: 404 }),
  "/refused": () =>
    Response.json({ error: { message: `Incorrect API key \u001b[31m${KEY}` } }, { status: 401 }),
  "/list": () => Response.json([]),
};
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new globalThis.URL(request.url);
    return HOSTILE[`/${pathname.split("/")[1]}`]?.(pathname) ?? new Response(null, { status: 500 });
  },
});
afterAll(() => server.stop(true));

describe("a gateway that", () => {
  const ANSWERS: readonly (readonly [path: string, says: string, code: number])[] = [
    ["/redirect", "redirects elsewhere", 1],
    ["/large", "more than 8388608 bytes", 1],
    ["/silent", "can't be reached", 1],
    ["/slow", "can't be reached", 1],
    ["/html", "answered 404, and isn't a gateway's", 1],
    ["/refused", "Incorrect API key \\u001b[31m…", 1],
    ["/list", "the key may use no model", 2],
  ];
  for (const [path, says, code] of ANSWERS)
    test.concurrent(`answers as ${path} changes nothing`, async () => {
      using home = makeHome();
      mkdirSync(home.at(".codex"));
      const waitMs = says.includes("reached") ? SHORT_MS : 10_000;
      const url = `http://127.0.0.1:${server.port}${path}`;
      const ran = await runSetup({ home, fetch: fetchList, waitMs }, url, "--yes");
      expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(says)]);
      expect(ran.err).not.toContain(KEY);
      expect([home.list(), elsewhere]).toEqual([{}, []]);
    });

  test("isn't there changes nothing", async () => {
    using home = makeHome();
    const ran = await runSetup({ home, fetch: fetchList }, "http://127.0.0.1:9", ...AIDER);
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("can't be reached")]);
  });
});
