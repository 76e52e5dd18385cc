// Sampling end to end, against the simulated provider: by a person's keys and by a judge, within the budget, through
// the books, and learned; and by the admin routes that the console uses.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asArray, asObject, isObject, parseJson } from "../../src/core/json/json.ts";
import { PROGRAM } from "../harness/program.ts";
import { candidate, post, routed, startRouterFixture, worded } from "../selectors/fixture.ts";

const MODELS = "Sim#sim-large,Sim#sim-mini";
let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "poundkey-sampling-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs the command in a directory of its own, with these characters piped in. */
async function run(args: readonly string[], keys = "") {
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: directory,
    stdin: new Blob([keys]),
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env.PATH ?? "", HOME: directory },
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

async function prepare(prompts: readonly string[], config = ""): Promise<void> {
  await Bun.write(join(directory, "poundkey.yaml"), config);
  await Bun.write(join(directory, "prompts.txt"), prompts.join("\n"));
  await run(["keys", "add", "--name", "first"]);
}

const sample = (count: number, ...more: readonly string[]) => [
  "route",
  "--sample",
  String(count),
  "--from",
  "prompts.txt",
  "--simulate",
  "--models",
  MODELS,
  ...more,
];

describe("a person's sample", () => {
  test("shows answers without names, learns one key each, and goes on where it ended", async () => {
    await prepare(["say: one", "say: two", "say: three"], "billing: { charge: always }");
    await run(["accounts", "topup", "default", "5"]);
    const ended = await run(sample(3, "--budget", "1"), "y\n5 4\n1q");
    expect(ended.code).toBe(0);
    expect(ended.err).toMatch(
      /3 prompts to Sim#sim-large, Sim#sim-mini; you score.*\nExpected cost: \$0\.\d+, at most/,
    );
    const afterStart = ended.err.slice(ended.err.indexOf("Go on?"));
    expect(afterStart).toContain("Prompt 1 of 3");
    expect(afterStart).not.toContain("Sim#");
    expect(ended.out).toMatch(/Learned 2 scores of 1 prompt, by you, for \$0\.\d+: ended\.\n$/);
    expect(ended.out).toMatch(/Sim#sim-(large|mini) +1\.00 +1\nSim#sim-(large|mini) +0\.75 +1\n/);
    const again = await run(sample(3, "--budget", "1", "--json"), "y1 2 s");
    expect(again.err).toContain("1 prompt left out, scored before.");
    expect(JSON.parse(again.out)).toMatchObject({ prompts: 1, learned: 2, judge: null });
    const learned = JSON.parse((await run(["route", "--learned", "--json"])).out);
    expect(asArray(learned).map((one) => asObject(one).labels)).toEqual([2, 2]);
    // Every call was paid for from the balance, and the books balance.
    expect((await run(["ledger", "verify"])).code).toBe(0);
    const account = JSON.parse((await run(["accounts", "show", "default", "--json"])).out);
    expect(Number(asObject(account).balance_usd)).toBeLessThan(5);
    expect(asObject(account).held_usd).toBe(0);
  }, 300_000);

  test("asks nothing without a yes, and refuses what makes no sense", async () => {
    await prepare(["say: one"]);
    expect((await run(sample(1, "--budget", "1"), "n")).out).toContain("for $0.0000: nothing was asked.");
    const other = (models: string) => [
      ...sample(1, "--budget", "1").slice(0, -4),
      "--models",
      models,
      "--budget",
      "1",
    ];
    const wrong = [
      [sample(1), "--sample needs --budget USD"],
      [sample(1, "--budget", "0"), "--budget must be an amount in USD above 0"],
      [["route", "--sample", "1", "--budget", "1"], "--from log needs log.content: true"],
      [["route", "hello", "--judge", "Sim#sim-large"], "--judge only has an effect with --sample"],
      [
        sample(1, "--budget", "1", "--judge", "Sim#nobody-"),
        "Invalid --judge: Sim#nobody- is no available model with a price.",
      ],
      [other("Sim#sim-large"), "Invalid --models: expected 2 to 8 models"],
      [
        other("Sim#sim-large,Sim#nobody-"),
        "Invalid --models: Sim#nobody- is no available model with a price.",
      ],
      [other("Sim#sim-large,Sim#sim-large"), "Invalid --models: Sim#sim-large appears twice."],
    ] as const;
    for (const [args, message] of wrong) {
      const { code, err } = await run(args);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    }
  }, 300_000);
});

test("a judge scores in both orders, says so, and stops within the budget", async () => {
  await prepare(["say: one", "say: two", "say: three", "say: four", "say: five"]);
  const judged = [...sample(5, "--judge", "Sim#sim-large", "--yes", "--json")];
  const whole = JSON.parse((await run([...judged, "--budget", "1"])).out);
  expect(whole).toMatchObject({
    prompts: 5,
    learned: 10,
    judge: "Sim#sim-large",
    ended: "all prompts were asked",
  });
  await run(["route", "--forget"]);
  // Just more than one prompt's worst case: 4,096 tokens from each model.
  const budget = 0.0375;
  const short = JSON.parse((await run([...judged, "--budget", String(budget)])).out);
  expect(short.ended).toBe("the budget is used up");
  expect(short.prompts).toBeWithin(1, 5);
  expect(short.cost_usd).toBeLessThanOrEqual(budget);
}, 300_000);

describe("the routes", () => {
  let gateway: Awaited<ReturnType<typeof startRouterFixture>>;
  beforeAll(async () => {
    gateway = await startRouterFixture("log: { content: true }\nbilling: { markup: 3 }");
  });
  afterAll(() => gateway.stop());

  const ask = async (path: string, body: unknown) => {
    const answer = await post(gateway, `/admin/v1/samples/${path}`, body, { secret: gateway.adminToken });
    return { status: answer.status, body: answer.body };
  };
  const PAIR = ["Acme#wise", "Acme#plain"];
  const SAID = [{ role: "user", content: "say: the Elbe" }];

  test("sample what the log kept, seal the models, and learn the scores", async () => {
    const asked = await gateway.chat(worded("best", "say: the Vltava"), await gateway.newKey({}));
    await asked.text();
    const { status, body } = await ask("plan", { prompts: 5 });
    expect(status).toBe(201);
    const [prompt] = asArray(body.prompts).filter(isObject);
    expect(prompt).toMatchObject({ messages: [{ role: "user", content: "say: the Vltava" }] });
    expect(asArray(body.models)).toContain("Acme#wise");
    const { messages } = asObject(prompt);
    const { body: sampled } = await ask("ask", { messages, models: PAIR, max_cost_usd: 1 });
    const answers = asArray(sampled.answers).filter(isObject);
    expect(answers.map(({ text }) => text)).toEqual(["the Vltava", "the Vltava"]);
    expect(JSON.stringify(answers)).not.toContain("Acme");
    const scores = answers.map(({ answer }, at) => ({ answer, score: at }));
    const { body: scored } = await ask("scores", { messages, scores });
    expect(scored.learned).toBe(2);
    expect(
      asArray(scored.models)
        .map((one) => asObject(one).model)
        .toSorted(),
    ).toEqual(PAIR.toSorted());
    expect((await ask("plan", { prompts: 5 })).body).toMatchObject({ prompts: [], known: 1 });
  });

  test("count the markup to what a sample is expected to cost, and to what it may cost", async () => {
    const { body: planned } = await ask("plan", { prompts: 1, messages: [SAID], models: PAIR });
    const view = await routed(gateway, { model: "Router#best", messages: SAID });
    const costs = PAIR.map((model) => Number(candidate(view, model).cost_usd));
    // Routes show costs with the markup.
    const expected = costs.reduce((sum, cost) => sum + cost, 0);
    expect(Number(planned.cost_usd) / expected).toBeWithin(0.7, 1.4);
    // 4,096 tokens of each cost 0.17 USD before the markup.
    const dear = await ask("ask", { messages: SAID, models: PAIR, max_cost_usd: 0.4 });
    expect(dear.body).toEqual({ answers: [], cost_usd: 0 });
  });

  test("name the field that is wrong, and compare no model with itself", async () => {
    const messages = [{ role: "user", content: "say: hi" }];
    const wrong = [
      ["plan", { prompts: 1, models: PAIR, judge: "Acme#nobody" }, "judge"],
      ["plan", { prompts: 1, models: ["Acme#wise", "Acme#wise"] }, "models"],
      ["ask", { messages, models: ["Acme#wise", "Acme#wise"], max_cost_usd: 1 }, "models"],
      ["ask", { messages, models: ["Acme#wise"], max_cost_usd: 1 }, "models"],
      ["judge", { messages, judge: "Acme#nobody", max_cost_usd: 1, answers: [] }, "answers"],
    ] as const;
    for (const [path, body, param] of wrong) {
      const refused = await ask(path, body);
      expect([path, refused.status, asObject(refused.body.error).param]).toEqual([path, 400, param]);
    }
  });

  test("refuse answers of other prompts, and ask nothing that could exceed the cost", async () => {
    const messages = [{ role: "user", content: "say: hi" }];
    const { body } = await ask("ask", { messages, models: PAIR, max_cost_usd: 1 });
    const [first] = asArray(body.answers).filter(isObject);
    for (const answer of ["made-up", first?.answer]) {
      const other = [{ role: "user", content: "another" }];
      const refused = await ask("scores", { messages: other, scores: [{ answer, score: 1 }] });
      expect(refused.status).toBe(400);
      expect(asObject(refused.body.error).param).toBe("scores[0].answer");
    }
    expect((await ask("ask", { messages, models: PAIR, max_cost_usd: 0.001 })).body).toEqual({
      answers: [],
      cost_usd: 0,
    });
  });

  test("book the calls under a key of their own, with what was held", async () => {
    const headers = { authorization: `Bearer ${gateway.adminToken}` };
    const listed = await fetch(`${gateway.url}/admin/v1/requests?key_id=sampling`, { headers });
    const rows = asArray(asObject(parseJson(await listed.text())).data).filter(isObject);
    expect(rows.length).toBeGreaterThanOrEqual(4);
    expect(rows.every(({ ended, cost_usd }) => ended === "done" && Number(cost_usd) > 0)).toBe(true);
  });

  test("take no answer of a fallback for that of the model that failed", async () => {
    const messages = [{ role: "user", content: "say: in its place" }];
    const models = ["Acme#broken~trouble=500", "Acme#wise"];
    const { body } = await ask("ask", { messages, models, max_cost_usd: 2 });
    const answers = asArray(body.answers).filter(isObject);
    expect(answers.map(({ text }) => text).toSorted()).toEqual(["in its place", null]);
    expect(answers.find(({ text }) => text === null)?.error).toMatch(/\S/);
  });
});
