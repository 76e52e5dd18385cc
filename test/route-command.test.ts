// `poundkey route`: what it prints and how it exits, its labels, and that a logged decision is the same again.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Opened } from "../src/cli/administration.ts";
import { runRoute } from "../src/cli/route.ts";
import { errorLine } from "../src/config/errors.ts";
import { loadSettings } from "../src/config/load.ts";
import { arrayOf, isObject, objectOf } from "../src/core/json.ts";
import { SELECTORS } from "../src/core/selector.ts";
import type { Settings } from "../src/core/settings.ts";
import type { Store } from "../src/core/store.ts";
import { decide } from "../src/ledger/decide.ts";
import { PROVIDERS } from "../src/providers/index.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import type { UnderTest } from "./harness.ts";
import { seen } from "./http/observe.ts";
import { candidate, PAIR, routed, startDen, worded } from "./router/den.ts";
import { standingClock } from "./samples.ts";

const PROMPT = "Which river flows through Prague?";

let den: UnderTest;
let settings: Settings;
/** The gateway's own, opened by another process as it were. */
let store: Store;
beforeAll(async () => {
  den = await startDen();
  const loaded = loadSettings({
    ...{ text: await Bun.file(den.configFile).text(), file: "poundkey.yaml", env: () => undefined },
    ...{ readFile: () => "", known: PROVIDERS, overrides: {} },
  });
  if (!loaded.ok) throw new Error(loaded.errors.map(errorLine).join("\n"));
  settings = loaded.settings;
  store = (await open()).world.store;
});
afterAll(async () => {
  await store.close();
  await den.stop();
});

const random = { bytes: (count: number) => new Uint8Array(count) };

async function open(): Promise<Opened> {
  const own = await openSqliteStore({ path: join(den.directory, "poundkey.db"), decide });
  const world = { store: own, clock: standingClock(Date.now()), random, pepper: new Uint8Array(32) };
  return { world, close: () => own.close() };
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...args: readonly string[]): Promise<Ran> {
  const printed: { out: string[]; err: string[] } = { out: [], err: [] };
  const io = {
    out: (text: string) => void printed.out.push(text),
    err: (text: string) => void printed.err.push(text),
  };
  const code = await runRoute(args, io, open, settings);
  return { code, out: printed.out.join("\n"), err: printed.err.join("\n") };
}

async function shown(...args: readonly string[]) {
  const { code, out, err } = await run(...args, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return objectOf(JSON.parse(out));
}

async function fileOf(content: unknown): Promise<string> {
  const path = join(den.directory, "given.json");
  await Bun.write(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

describe("a choice", () => {
  test.each(SELECTORS)("of %s is the gateway's", async (selector) => {
    const told = await shown(PROMPT, "--selector", selector);
    const view = await routed(den, worded(selector, PROMPT));
    expect(told).toEqual(view);
  });

  test("is fair's unless another is named, however that is spelt", async () => {
    expect((await shown(PROMPT)).selector).toBe("Router#fair");
    expect((await shown(PROMPT, "--selector", "LIGHT")).selector).toBe("Router#light");
  });

  test("in words says who, why, and how many can't", async () => {
    const { code, out, err } = await run(PROMPT, "--selector", "best");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const view = await routed(den, worded("best", PROMPT));
    const lines = out.split("\n");
    expect(lines[0]).toBe(`Router#best chooses ${view.choice}`);
    expect(lines[2]).toMatch(/^kind +[a-z]+ \d+ %/);
    expect(lines[3]).toMatch(/^difficulty +0\.\d+ +output tokens \d+ +support [01]/);
    expect(lines[5]?.split(/ {2,}/)).toEqual(["MODEL", "QUALITY", "LOW", "COST USD", "MS", "SCORE"]);
    expect(lines[6]).toMatch(
      new RegExp(`^${view.choice} +0\\.\\d{3} +0\\.\\d{3} +0\\.\\d{6} +\\d+ +0\\.\\d{3}$`),
    );
    expect(lines.at(-1)).toMatch(/^\d+ could serve, \d+ can't$/);
  });

  test("goes with the quality that is asked for", async () => {
    const costs: number[] = [];
    for (const quality of ["1", "0.5", "0"]) {
      const view = await shown(PROMPT, "--quality", quality);
      costs.push(Number(candidate(view, String(view.choice)).cost_usd));
    }
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(costs[0]).toBeGreaterThan(costs[2] ?? 0);
    expect(await shown(PROMPT)).toEqual(await shown(PROMPT, "--quality", "0.98"));
  });

  test("of a file's request takes its model and all else of it", async () => {
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    const file = await fileOf(worded("light", PROMPT, { tools }));
    const view = await shown("--file", file);
    expect(view.selector).toBe("Router#light");
    expect(candidate(view, "Den#plain").removed_by).toBe("tools");
    expect((await shown("--file", file, "--selector", "best")).selector).toBe("Router#best");
  });

  test("of a file that names a model takes the selector beside it", async () => {
    const file = await fileOf({ ...worded("fair", PROMPT), model: "Den#wise" });
    expect((await shown("--file", file, "--selector", "best")).selector).toBe("Router#best");
    expect(await run("--file", file)).toMatchObject({ code: 2, err: expect.stringContaining("Den#wise") });
  });
});

const label = (fields: object = {}) =>
  JSON.stringify({ prompt: PROMPT, model: "Den#wise", score: 0, ...fields });

describe("labels", () => {
  beforeEach(() => store.forgetLessons());

  test("are learned from once each, and move the choice", async () => {
    expect((await shown(PROMPT, "--selector", "best")).choice).toBe("Den#wise");
    const lines = Array.from({ length: 30 }, (_, at) => label({ prompt: `${PROMPT} ${at}` }));
    const file = await fileOf(`${lines.join("\n")}\n\n`);
    expect(await run("--learn", file)).toEqual({
      ...{ code: 0, err: "" },
      out: "Learned from 30 labels; 0 were known.",
    });
    await fileOf(lines.toReversed().join("\r\n"));
    expect((await run("--learn", file)).out).toBe("Learned from 0 labels; 30 were known.");
    const view = await shown(PROMPT, "--selector", "best");
    expect(view.choice).not.toBe("Den#wise");
    expect((await run("--forget")).out).toBe("Forgot all labels.");
    expect((await shown(PROMPT, "--selector", "best")).choice).toBe("Den#wise");
  });

  test("may be whole conversations", async () => {
    const messages = [
      { role: "system", content: "You are brief." },
      { role: "user", content: PROMPT },
    ];
    const file = await fileOf(label({ prompt: undefined, messages, score: 0.5 }));
    expect((await run("--learn", file)).out).toBe("Learned from 1 labels; 0 were known.");
  });

  test("are shown by model and kind, and forgotten by model", async () => {
    await run("--learn", await fileOf([label(), label({ model: "Den#plain", score: 1 })].join("\n")));
    const { out } = await run("--learned");
    expect(out.split("\n")[0]).toMatch(/^MODEL +LABELS +MEAN SCORE BY KIND/);
    expect(out).toMatch(/Den#wise +1 +knowledge 0 \(/);
    expect(out).toMatch(/Den#plain +1 +knowledge 1 \(/);
    expect((await run("--forget", "den/wise")).out).toBe("Forgot the labels of Den#wise.");
    const left = arrayOf(JSON.parse((await run("--learned", "--json")).out)).filter(isObject);
    expect(left).toMatchObject([{ model: "Den#plain", labels: 1, categories: { knowledge: { score: 1 } } }]);
  });

  test("are told in JSON where that is asked for", async () => {
    const file = await fileOf(label());
    expect(await shown("--learn", file)).toEqual({ learned: 1, known: 0 });
    expect(await shown("--forget", "den/wise")).toEqual({ forgotten: "Den#wise" });
    expect(await shown("--forget")).toEqual({ forgotten: null });
  });

  test("go out to a file that others can't read, and come in again where they were forgotten", async () => {
    await run("--learn", await fileOf([label(), label({ model: "Den#plain", score: 1 })].join("\n")));
    const before = (await run("--learned")).out;
    const file = join(den.directory, "lessons.jsonl");
    expect((await run("--export", file)).out).toBe(`Wrote 2 lessons to ${file}.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await run("--forget");
    expect((await run("--learned")).out).not.toBe(before);
    expect((await run("--import", file)).out).toBe("Took in 2 lessons; 0 were known.");
    expect((await run("--learned")).out).toBe(before);
    expect(await shown("--import", file)).toEqual({ imported: 0, known: 2 });
  });

  const damages: readonly (readonly [from: RegExp, to: string, said: RegExp])[] = [
    [/^\{/, "[", /expected a JSON object/],
    [/"at":"[^"]+"/, '"at":"once"', /'at'/],
    [/"model":"[^"]+"/, '"model":7', /'model'/],
    [/"source":"[^"]+"/, '"source":"rumour"', /'source' must be one of score, label, signal/],
    [/"score":0/, '"score":2', /'score'/],
    [/"weight":1/, '"weight":-1', /'weight'/],
    [/"row":"[^:]+:/, '"row":"other:', /another version/],
  ];
  test.each(damages)("a line in which %p is %p is named, and nothing is taken in", async (from, to, said) => {
    await run("--learn", await fileOf([label(), label({ score: 1 })].join("\n")));
    const file = join(den.directory, "lessons.jsonl");
    await run("--export", file);
    await run("--forget");
    const [first = "", second = ""] = (await Bun.file(file).text()).trim().split("\n");
    const [damaged, sound] = /"score":0/.test(first) ? [first, second] : [second, first];
    const { code, out, err } = await run(
      "--import",
      await fileOf([sound, damaged.replace(from, to)].join("\n")),
    );
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.split("\n")[0]).toMatch(/line 2: /);
    expect(err.split("\n")[0]).toMatch(said);
    expect(await store.lessons(0, 10)).toEqual([]);
  });

  const wrong: readonly (readonly [line: string, said: RegExp])[] = [
    ["no json", /expected a JSON object/],
    ["[1]", /expected a JSON object/],
    [label({ model: "Nobody#none" }), /'model'/],
    [label({ model: "Router#best" }), /'model'/],
    [label({ model: 5 }), /'model'/],
    [label({ score: 1.1 }), /'score'/],
    [label({ score: -1 }), /'score'/],
    [label({ score: "1" }), /'score'/],
    [label({ score: undefined }), /'score'/],
    [label({ prompt: undefined }), /'prompt' or 'messages'/],
    [label({ prompt: 5 }), /'prompt' or 'messages'/],
    [label({ messages: [] }), /messages/],
    [label({ messages: "x" }), /messages/],
    [label({ messages: [{ role: "king", content: "x" }] }), /messages\[0\]/],
  ];
  test.each(wrong)("a line of %s is named, and nothing is learned", async (line, said) => {
    const { code, out, err } = await run("--learn", await fileOf([label(), "", line, label()].join("\n")));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/\bline 3: /);
    expect(err.split("\n")[0]).toMatch(said);
    expect(await store.lessons(0, 10)).toEqual([]);
  });
});

describe("a replay", () => {
  const asked = async (model: string, headers = {}) => {
    const key = await den.newKey({ allowed_models: [...PAIR, "Den#short"], requests_per_day: null });
    const { body, headers: told } = await seen(
      await den.chat({ ...worded("fair", PROMPT), model }, { ...key, headers }),
    );
    return { id: String(body.id), used: told.get("x-poundkey-model") };
  };

  test.each(SELECTORS)("of Router#%s is the same as then", async (selector) => {
    const { id, used } = await asked(`Router#${selector}`);
    expect(await run("--replay", id)).toEqual({ code: 0, out: `${used}: the same as then`, err: "" });
    const told = await shown("--replay", id);
    expect(told).toMatchObject({ choice: used, same: true, decision: { selector, choice: used } });
  });

  test("of a pinned request, and of one with a dial, too", async () => {
    const { id } = await asked("Router#fair", { "x-poundkey-quality": "0" });
    expect((await run("--replay", id)).out).toBe("Den#short: the same as then");
    const key = await den.newKey({ allowed_models: PAIR, requests_per_day: null });
    const { body } = await seen(
      await den.chat(worded("best", "Solve the equation 3x^2 - 12x + 9 = 0."), key),
    );
    expect((await run("--replay", String(body.id))).out).toBe("Den#plain: the same as then");
  });

  test("says so when the kept figures give another choice", async () => {
    const { id } = await asked("Router#best");
    const database = new Database(join(den.directory, "poundkey.db"));
    database.run("UPDATE request SET decision = json_set(decision, '$.choice', 'Den#plain') WHERE id = ?", [
      id,
    ]);
    database.close();
    const { code, out, err } = await run("--replay", id);
    expect({ code, out }).toEqual({ code: 1, out: "Den#wise: not the same as then" });
    expect(err).toContain("another one now");
  });

  test("of nobody's request, or of one that named its model, fails in words", async () => {
    expect(await run("--replay", "chatcmpl-none")).toMatchObject({ code: 1, out: "" });
    const { id } = await asked("Den#wise");
    const { code, err } = await run("--replay", id);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("no selector decided") });
  });
});

describe("wrong usage", () => {
  const calls: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [[], /one prompt/],
    [["two", "prompts"], /one prompt/],
    [[PROMPT, "--selector", "fastest"], /best, fair, light/],
    [[PROMPT, "--quality", "2"], /0 to 1/],
    [[PROMPT, "--quality", "-1"], /--quality|0 to 1/],
    [[PROMPT, "--quality", ""], /0 to 1/],
    [[PROMPT, "--quality", "high"], /0 to 1/],
    [[PROMPT, "--colour"], /colour/],
    [["--learn"], /learn/],
    [["--replay"], /replay/],
    [["--learned", "more"], /'more' is too much/],
    [["--forget", "one", "two"], /'two' is too much/],
    [["--replay", "x", "more"], /more/],
    [["--learn", "x.jsonl", "more"], /more/],
    [["--forget", "--learned"], /one of --learned and --forget/],
    [[PROMPT, "--file", "x.json"], /too much beside --file/],
    [["--learn", "x.jsonl", "--selector", "best"], /--selector has no effect beside --learn/],
    [["--learned", "--quality", "0.5"], /--quality has no effect beside --learned/],
    [["--replay", "x", "--selector", "fair"], /--selector has no effect beside --replay/],
    [["--export", "x", "--import", "y"], /one of --export and --import/],
    [["--import", "x", "--quality", "1"], /--quality has no effect beside --import/],
    [["--export"], /export/],
    [[PROMPT, "--selector", "best", "--quality", "0.5"], /--quality has no effect on best/],
    [["--forget", "Nobody#none"], /Nobody#none/],
  ];
  test.each(calls)("%j exits with 2 and the help", async (args, said) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.split("\n")[0]).toMatch(said);
    expect(err).toContain("usage: poundkey route");
  });

  test("a file that is no request, or is not there", async () => {
    for (const content of ["no json", "[]", { model: "Router#fair" }])
      expect((await run("--file", await fileOf(content))).code).toBe(2);
    for (const option of ["--file", "--learn"])
      expect(await run(option, join(den.directory, "none.json"))).toMatchObject({ code: 1, out: "" });
  });

  test("help is help", async () => {
    const { code, out, err } = await run("--help");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const option of [
      "--selector",
      "--quality",
      "--file",
      "--learn",
      "--learned",
      "--forget",
      "--export",
      "--import",
      "--replay",
    ])
      expect(out).toContain(option);
  });
});
