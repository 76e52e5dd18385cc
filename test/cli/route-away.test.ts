// `poundkey route` at a gateway elsewhere: the choice that it would make now, what it has learned, and samples of its models.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { EXIT } from "../../src/app/terminal.ts";
import { runCommandLine } from "../../src/cli/commands.ts";
import { asArray, asObject, parseJson } from "../../src/core/json/json.ts";
import { runPrinting } from "../harness/poundkey.ts";
import { type HttpWorld, startHttpWorld } from "../whole/world/world.ts";

let world: HttpWorld;
beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world.stop());
beforeEach(() => {
  process.env.POUNDKEY_TOKEN = world.adminToken;
});
afterEach(() => {
  delete process.env.POUNDKEY_TOKEN;
});

const run = (...args: readonly string[]) =>
  runPrinting((io) => runCommandLine(["route", ...args, "--gateway", world.url], io));

async function readDone(...args: readonly string[]) {
  const { code, out, err } = await run(...args);
  expect([args, code, err]).toEqual([args, EXIT.done, expect.anything()]);
  return out;
}
const readChoice = async (...args: readonly string[]) =>
  asObject(parseJson(await readDone(...args, "--json")));

describe("at a gateway on another port", () => {
  test("a choice is the gateway's own, among the models that it serves", async () => {
    const said = await readDone("Prove that there are infinitely many primes.", "--selector", "best");
    expect(said).toStartWith("Router#best chooses ");
    const { selector, choice, candidates } = await readChoice("Say hello.");
    expect(selector).toBe("Router#fair");
    const ids = asArray(candidates).map((one) => asObject(one).model);
    expect(ids).toContain("Acme#cheap");
    expect(ids).toContain(choice);
  });

  test("a choice is steered by the flags", async () => {
    const allowed = await readChoice("Say hello.", "--allow", "Acme#*", "--selector", "light");
    expect(String(allowed.choice)).toStartWith("Acme#");
    const none = await readDone("Say hello.", "--max-cost", "0");
    expect(none).toContain("no model can serve this request");
    const wrong = await run("Say hello.", "--selector", "Acme#cheap");
    expect([wrong.code, wrong.err]).toEqual([EXIT.usage, expect.stringContaining("Router#best")]);
  });

  test("a sample is answered and judged there, and what it taught is shown and forgotten", async () => {
    const file = "prompts.txt";
    await Bun.write(file, "Say one.\nSay two.\n");
    const sample = ["--sample", "2", "--budget", "1", "--from", file, "--yes"];
    const models = ["--models", "Acme#cheap,Acme#dear", "--judge", "OpenAI#gpt-5.4"];
    await readDone(...sample, ...models);
    const forgot = await readDone("--forget");
    expect(forgot).toBe("Forgot all labels.");
    expect(asArray(parseJson(await readDone("--learned", "--json")))).toBeArray();
  });

  test("work on a store's lessons is refused", async () => {
    for (const action of ["learn", "export", "import", "replay"]) {
      const { code, err } = await run(`--${action}`, "file");
      expect([action, code, err]).toEqual([
        action,
        EXIT.usage,
        expect.stringContaining(`--${action} works on a store alone`),
      ]);
    }
  });
});
