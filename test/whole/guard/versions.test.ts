// The version of the guard's rules where nodes can be compared, and the audit log's entry about changed rules.
import { expect, test } from "bun:test";
import { openEmptyStore } from "../../../src/app/start/open-store.ts";
import { noteReload } from "../../../src/app/start/reload-notes.ts";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { startUnderTest } from "../../harness/harness.ts";
import { readSettings } from "../../harness/settings.ts";
import { until } from "../world/until.ts";

const RULES = `
guard:
  rules:
    - { name: people, detect: [email] }
    - { name: ours, detect: ["words:customers"] }
  words: { customers: [Kestrel GmbH, Bluebird], projects: [Nightfall] }
  allow: ["*@corp.example"]`;

test("readiness shows the version of the rules, another for other words", async () => {
  const versions = new Set<unknown>();
  for (const more of [RULES, RULES.replace("Bluebird", "Redstart")]) {
    const world = await startUnderTest({ more });
    const body = asObject(await (await fetch(`${world.url}/readyz`)).json());
    expect(body).toEqual({ status: "ready", guard: { version: expect.any(String) } });
    versions.add(asObject(body.guard).version);
    await world.stop();
  }
  expect(versions.size).toBe(2);
});

test("a reload is on record with the rules that it changes, and of words their numbers and digests", async () => {
  const { world, store } = await openEmptyStore();
  const settings = (yaml: string) => readSettings(`providers: { OpenAI: { keys: [k] } }${yaml}`);
  const changed = RULES.replace("[email]", "[email, card]")
    .replace(", Bluebird]", "]")
    .replace("ours", "mine");
  const steps = ["", RULES, RULES.replace("people", "persons"), changed].map(settings);
  for (const [at, next] of steps.entries())
    if (at > 0) noteReload({ world, log: () => {} }, steps[at - 1] ?? next, next);
  const entries = await until("they are chained", async () => {
    const rows = (await store.auditLog.chain(100)) ?? [];
    return rows.length === steps.length - 1 ? rows : null;
  });
  const digest = expect.stringMatching(/^\S{16}$/);
  const listed = (count: number) => expect.stringMatching(new RegExp(`^${count} in all, digest \\S{16}$`));
  const whole = { digest: expect.any(String) };
  const sides = entries.map((one) => [parseJson(one.before ?? ""), parseJson(one.after ?? "")]);
  expect(sides).toContainEqual([
    whole,
    {
      ...whole,
      "guard.rules.people": digest,
      "guard.rules.ours": digest,
      "guard.words.customers": listed(2),
      "guard.words.projects": listed(1),
      "guard.allow": listed(1),
    },
  ]);
  expect(sides).toContainEqual([
    { ...whole, "guard.rules.people": digest },
    { ...whole, "guard.rules.persons": digest },
  ]);
  expect(sides).toContainEqual([
    {
      ...whole,
      "guard.rules.persons": digest,
      "guard.rules.ours": digest,
      "guard.words.customers": listed(2),
    },
    {
      ...whole,
      "guard.rules.people": digest,
      "guard.rules.mine": digest,
      "guard.words.customers": listed(1),
    },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/Kestrel|Bluebird|Nightfall|corp\.example/);
  await store.close();
});
