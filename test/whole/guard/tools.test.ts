// The guard and tools: calls are searched only by rules that name tools, and each question to a model by the others.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type LoopWorld, MODELS, script, startLoopWorld } from "../../http/tools/loop/loop-world.ts";
import { watchFindings } from "./world.ts";

const { step, ended } = watchFindings();
let world: LoopWorld;
beforeAll(async () => {
  const rows = [
    "{ name: models, detect: [email] }",
    '{ name: tools, detect: [email], at: [request, answer], models: ["mcp:old#*"], keys: [called] }',
  ];
  world = await startLoopWorld({ more: `guard: { rules: [${rows.join(", ")}] }`, steps: [step] });
});
afterAll(() => world.stop());

async function call(name: string, more: Record<string, unknown> = {}) {
  const { secret } = await world.newKey({ name, requests_per_day: null, ...more });
  ended.length = 0;
  await world.ask("tools/call", { name: "old_echo", arguments: { text: "ada@corp-x.de" } }, { secret });
  return ended.flatMap(({ findings }) => findings);
}

test("a rule searches a tool's arguments and its result if it names tools", async () => {
  expect(await call("called")).toEqual([
    "1 email at request: report by tools",
    "1 email at answer: report by tools",
  ]);
});

test("a rule for all models searches no call of a tool, even if the key names it", async () => {
  expect(await call("other")).toEqual([]);
  expect(await call("naming", { guard: ["models"] })).toEqual([]);
});

test.each(MODELS)("each question to %s is searched, and no call of its tools", async (model) => {
  ended.length = 0;
  const input = script('call old_echo({"text":"eve@corp-y.de"})', "say: done");
  const { status } = await world.respond({ model, input });
  expect(status).toBe(200);
  // The first question, and the second with the call and its result.
  const found = ended.flatMap(({ findings }) => findings);
  expect(found).toEqual(Array(2).fill("1 email at request: report by models"));
});
