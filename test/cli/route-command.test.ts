// `poundkey route`: its output and exit codes, and the replay of logged decisions.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { JsonObject } from "../../src/core/json/json.ts";
import { SELECTORS } from "../../src/core/models/selector.ts";
import { candidate, PAIR, readCandidates, routed, worded } from "../selectors/fixture.ts";
import { bindCommand, Command, PROMPT } from "../selectors/training/command.ts";
import { seen } from "../whole/world/observe.ts";

let command: Command;
beforeAll(async () => {
  command = await Command.start();
});
afterAll(() => command.stop());

const { run, shown, fileOf } = bindCommand(() => command);

describe("a choice", () => {
  test.each(SELECTORS)("of %s is the gateway's", async (selector) => {
    const told = await shown(PROMPT, "--selector", selector);
    const view = await routed(command.gateway, worded(selector, PROMPT));
    const exact = (one: JsonObject) => ({ ...one, latency_ms: 0, latency_ms_high: 0 });
    expect({ ...told, candidates: readCandidates(told).map(exact) }).toEqual({
      ...view,
      candidates: readCandidates(view).map(exact),
    });
    for (const { model, latency_ms } of readCandidates(told))
      expect(Math.abs(Number(latency_ms) - Number(candidate(view, String(model)).latency_ms))).toBeWithin(
        0,
        101,
      );
  });

  test("is fair's by default, and selectors can be spelled in any case", async () => {
    expect((await shown(PROMPT)).selector).toBe("Router#fair");
    expect((await shown(PROMPT, "--selector", "LIGHT")).selector).toBe("Router#light");
  });

  test("as text names the model, the reason, and the number of models that can't serve", async () => {
    const { code, out, err } = await run(PROMPT, "--selector", "best");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const view = await routed(command.gateway, worded("best", PROMPT));
    const lines = out.split("\n");
    expect(lines[0]).toBe(`Router#best chooses ${view.choice}`);
    expect(lines[1]).toBe(String(view.why));
    expect(lines[3]).toMatch(/^kind +[a-z]+ \d+%/);
    expect(lines[4]).toMatch(/^difficulty +0\.\d+ +output tokens \d+ +support [01]/);
    expect(lines[5]).toMatch(/^likeness +[01](\.\d+)?, (un)?familiar/);
    expect(lines[7]?.split(/ {2,}/)).toEqual([
      "MODEL",
      "QUALITY",
      "LOW",
      "COST USD",
      "MS",
      "SCORE",
      "KNOWN BY",
    ]);
    const number = "\\d+(\\.\\d+)?";
    expect(lines[8]).toMatch(
      new RegExp(
        `^${view.choice} +0\\.\\d{3} +0\\.\\d{3} +${number} \\(to ${number}\\) +${number} \\(to ${number}\\) +${number} +skills$`,
      ),
    );
    expect(lines.at(-1)).toMatch(/^\d+ can serve, \d+ can't$/);
  });

  test("says what a ceiling leaves out, with the cheapest and the fastest", async () => {
    const dear = await run(PROMPT, "--max-cost", "0.000000001");
    expect(dear.code).toBe(0);
    expect(dear.out).toMatch(
      /chooses nothing: no model can serve this request\nRemoved by: .*max_cost \(\d+\)\.\nThe cheapest, '\S+', would cost about [\d.]+ USD; the most is 0\.000000001\.\n/,
    );
    const slow = await run(PROMPT, "--max-ms", "1");
    expect(slow.out).toMatch(/\nThe fastest, '\S+', would take about \d+ ms; the most is 1\.\n/);
  });

  test("respects the requested quality", async () => {
    const costs: number[] = [];
    for (const quality of ["1", "0.5", "0"]) {
      const view = await shown(PROMPT, "--quality", quality);
      costs.push(Number(candidate(view, String(view.choice)).cost_usd));
    }
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    expect(costs[0]).toBeGreaterThan(costs[2] ?? 0);
    expect(await shown(PROMPT)).toEqual(await shown(PROMPT, "--quality", "0.98"));
  });

  test("for a file's request uses its model and everything else in it", async () => {
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    const file = await fileOf(worded("light", PROMPT, { tools }));
    const view = await shown("--file", file);
    expect(view.selector).toBe("Router#light");
    expect(candidate(view, "Acme#plain").removed_by).toBe("tools");
    expect((await shown("--file", file, "--selector", "best")).selector).toBe("Router#best");
  });

  test("for a file that names a model uses the selector given beside it", async () => {
    const file = await fileOf({ ...worded("fair", PROMPT), model: "Acme#wise" });
    expect((await shown("--file", file, "--selector", "best")).selector).toBe("Router#best");
    expect(await run("--file", file)).toMatchObject({ code: 2, err: expect.stringContaining("Acme#wise") });
  });
});

describe("a replay", () => {
  const asked = async (model: string, headers = {}) => {
    const key = await command.gateway.newKey({
      allowed_models: [...PAIR, "Acme#short"],
      requests_per_day: null,
    });
    const { body, headers: told } = await seen(
      await command.gateway.chat({ ...worded("fair", PROMPT), model }, { ...key, headers }),
    );
    return { id: String(body.id), used: told.get("x-poundkey-model") };
  };

  test.each(SELECTORS)("of Router#%s gives the same choice", async (selector) => {
    const { id, used } = await asked(`Router#${selector}`);
    expect(await run("--replay", id)).toEqual({ code: 0, out: `${used}: same choice as before`, err: "" });
    const told = await shown("--replay", id);
    expect(told).toMatchObject({ choice: used, same: true, decision: { selector, choice: used } });
  });

  test("works for a pinned request and one with a dial", async () => {
    const { id } = await asked("Router#fair", { "x-poundkey-quality": "0" });
    expect((await run("--replay", id)).out).toBe("Acme#short: same choice as before");
    const key = await command.gateway.newKey({ allowed_models: PAIR, requests_per_day: null });
    const { body } = await seen(
      await command.gateway.chat(worded("best", "Solve the equation 3x^2 - 12x + 9 = 0."), key),
    );
    expect((await run("--replay", String(body.id))).out).toBe("Acme#plain: same choice as before");
  });

  test("reports if the stored figures give another choice", async () => {
    const { id } = await asked("Router#best");
    const database = new Database(join(command.gateway.directory, "poundkey.db"));
    database.run("UPDATE request SET decision = json_set(decision, '$.choice', 'Acme#plain') WHERE id = ?", [
      id,
    ]);
    database.close();
    const { code, out, err } = await run("--replay", id);
    expect({ code, out }).toEqual({ code: 1, out: "Acme#wise: different choice than before" });
    expect(err).toContain("different now");
  });

  test("for an unknown request, or one with a named model, fails with a message", async () => {
    expect(await run("--replay", "chatcmpl-none")).toMatchObject({ code: 1, out: "" });
    const { id } = await asked("Acme#wise");
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
    [[PROMPT, "--quality", ""], /--quality needs a value/],
    [[PROMPT, "--quality", "high"], /0 to 1/],
    [[PROMPT, "--colour"], /colour/],
    [["--learn"], /learn/],
    [["--replay"], /replay/],
    [["--learned", "more"], /unexpected argument 'more'/],
    [["--forget", "one", "two"], /unexpected argument 'two'/],
    [["--replay", "x", "more"], /more/],
    [["--learn", "x.jsonl", "more"], /more/],
    [["--forget", "--learned"], /--learned and --forget can't be combined/],
    [[PROMPT, "--file", "x.json"], /unexpected argument .* with --file/],
    [["--learn", "x.jsonl", "--selector", "best"], /--selector has no effect with --learn/],
    [["--learned", "--quality", "0.5"], /--quality has no effect with --learned/],
    [["--replay", "x", "--selector", "fair"], /--selector has no effect with --replay/],
    [["--export", "x", "--import", "y"], /--export and --import can't be combined/],
    [["--import", "x", "--quality", "1"], /--quality has no effect with --import/],
    [["--export"], /export/],
    [[PROMPT, "--selector", "best", "--quality", "0.5"], /--quality has no effect on best/],
    [["--forget", "Nobody#none"], /Nobody#none/],
  ];
  test.each(calls)("%j gives exit code 2 and leads to the help", async (args, said) => {
    const { code, out, err } = await run(...args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.split("\n")[0]).toMatch(said);
    expect(err.split("\n").slice(1)).toEqual(["See poundkey route --help."]);
  });

  test("a file that is invalid or missing", async () => {
    for (const content of ["no json", "[]", { model: "Router#fair" }]) {
      const { code, err } = await run("--file", await fileOf(content));
      expect([code, err]).toEqual([2, expect.stringMatching(/given\.json(: | is not valid JSON)/)]);
    }
    for (const option of ["--file", "--learn"])
      expect(await run(option, join(command.gateway.directory, "none.json"))).toMatchObject({
        code: 1,
        out: "",
      });
  });

  test("--help prints the help", async () => {
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
