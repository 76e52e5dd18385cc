// `poundkey route` and lessons: labels, listing, forgetting, export and import.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { asArray, isObject } from "../../src/core/json/json.ts";
import { candidate, worded } from "../selectors/fixture.ts";
import { bindCommand, Command, PROMPT } from "../selectors/training/command.ts";

let command: Command;
beforeAll(async () => {
  command = await Command.start();
});
afterAll(() => command.stop());

const { run, shown, fileOf } = bindCommand(() => command);

const label = (fields: object = {}) =>
  JSON.stringify({ prompt: PROMPT, model: "Acme#wise", score: 0, ...fields });

describe("labels", () => {
  beforeEach(() => command.store.changes(() => []).forgetLessons());

  test("are learned once each, and change the choice", async () => {
    expect((await shown(PROMPT, "--selector", "best")).choice).toBe("Acme#wise");
    const lines = Array.from({ length: 30 }, (_, at) => label({ prompt: `${PROMPT} ${at}` }));
    const file = await fileOf(`${lines.join("\n")}\n\n`);
    expect(await run("--learn", file)).toEqual({
      code: 0,
      err: "",
      out: "Learned from 30 labels; 0 were already known.",
    });
    await fileOf(lines.toReversed().join("\r\n"));
    expect((await run("--learn", file)).out).toBe("Learned from 0 labels; 30 were already known.");
    const view = await shown(PROMPT, "--selector", "best");
    expect(view.choice).not.toBe("Acme#wise");
    expect((await run("--forget")).out).toBe("Forgot all labels.");
    expect((await shown(PROMPT, "--selector", "best")).choice).toBe("Acme#wise");
  });

  test("can be whole conversations", async () => {
    const messages = [
      { role: "system", content: "You are brief." },
      { role: "user", content: PROMPT },
    ];
    const file = await fileOf(label({ prompt: undefined, messages, score: 0.5 }));
    expect((await run("--learn", file)).out).toBe("Learned from 1 labels; 0 were already known.");
  });

  test("are shown by model and kind, and deleted by model", async () => {
    await run("--learn", await fileOf([label(), label({ model: "Acme#plain", score: 1 })].join("\n")));
    const { out } = await run("--learned");
    expect(out.split("\n")[0]).toMatch(/^MODEL +LABELS +LENGTH +CHANGED +MEAN SCORE BY KIND/);
    expect(out).toMatch(/Acme#wise +1 +× 1 +- +knowledge 0 \(/);
    expect(out).toMatch(/Acme#plain +1 +× 1 +- +knowledge 1 \(/);
    expect((await run("--forget", "acme/wise")).out).toBe("Forgot the labels of Acme#wise.");
    const left = asArray(JSON.parse((await run("--learned", "--json")).out)).filter(isObject);
    expect(left).toMatchObject([{ model: "Acme#plain", labels: 1, categories: { knowledge: { score: 1 } } }]);
  });

  test("are printed as JSON with --json", async () => {
    const file = await fileOf(label());
    expect(await shown("--learn", file)).toEqual({ learned: 1, known: 0 });
    expect(await shown("--forget", "acme/wise")).toEqual({ forgotten: "Acme#wise" });
    expect(await shown("--forget")).toEqual({ forgotten: null });
  });

  test("are exported to a private file, and imported again after they were deleted", async () => {
    await run("--learn", await fileOf([label(), label({ model: "Acme#plain", score: 1 })].join("\n")));
    const before = (await run("--learned")).out;
    const file = join(command.gateway.directory, "lessons.jsonl");
    expect((await run("--export", file)).out).toBe(`Wrote 2 lessons to ${file}.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await run("--forget");
    expect((await run("--learned")).out).not.toBe(before);
    expect((await run("--import", file)).out).toBe("Imported 2 lessons; 0 were already known.");
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
    [/"row":"[^:]+:/, '"row":"other:', /incompatible version/],
  ];
  test.each(damages)(
    "a line in which %p is %p is reported, and nothing is imported",
    async (from, to, said) => {
      await run("--learn", await fileOf([label(), label({ score: 1 })].join("\n")));
      const file = join(command.gateway.directory, "lessons.jsonl");
      await run("--export", file);
      await run("--forget");
      const [first = "", second = ""] = (await Bun.file(file).text()).trim().split("\n");
      const [damaged, sound] = /"score":0/.test(first) ? [first, second] : [second, first];
      const { code, out, err } = await run(
        "--import",
        await fileOf([sound, damaged.replace(from, to)].join("\n")),
      );
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err.split("\n")[0]).toMatch(/\.json:2: /);
      expect(err.split("\n")[0]).toMatch(said);
      expect(await command.store.lessons(0, 10)).toEqual([]);
    },
  );

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
  test.each(wrong)("a line of %s is reported, and nothing is learned", async (line, said) => {
    const { code, out, err } = await run("--learn", await fileOf([label(), "", line, label()].join("\n")));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/given\.json:3: /);
    expect(err.split("\n")[0]).toMatch(said);
    expect(await command.store.lessons(0, 10)).toEqual([]);
  });
});

test("answer lengths are read from the log, and affect the cost of a choice", async () => {
  const { gateway } = command;
  const key = await gateway.newKey({ allowed_models: ["Acme#plain"], requests_per_day: null });
  const costOf = async () => Number(candidate(await shown(PROMPT), "Acme#plain").cost_usd);
  const before = await costOf();
  for (let at = 0; at < 12; at++) {
    const answer = await gateway.chat(worded("fair", `${PROMPT} say: ${"word ".repeat(400)}`), key);
    await answer.text();
  }
  const views = asArray(JSON.parse((await run("--learned", "--json")).out)).filter(isObject);
  const length = Number(views.find(({ model }) => model === "Acme#plain")?.length);
  expect(length).toBeGreaterThan(1.5);
  expect((await costOf()) / before).toBeGreaterThan(1.3);
});
