// Lists of commands in a chosen order, and columns that they can't be sorted by.
import { expect, test } from "bun:test";
import { runCommandLine } from "../../../src/cli/commands.ts";
import { runKeys } from "../../../src/cli/keys/keys.ts";
import { runBatches } from "../../../src/cli/models/batches.ts";
import { runAccounts } from "../../../src/cli/money/accounts.ts";
import { runMembers } from "../../../src/cli/people/members.ts";
import { runTools } from "../../../src/cli/tools/tools.ts";
import { adminBench } from "../../admin/admin-world.ts";
import { makeBatch } from "../../harness/batches.ts";
import { runPrinting } from "../../harness/poundkey.ts";
import { makeAccount, makeKey, makeRecord, writeRecord } from "../../harness/samples.ts";
import { readSettings } from "../../harness/settings.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { makeMember } from "../../people/samples.ts";

const bench = adminBench();
const settings = readSettings("providers: { DeepSeek: { keys: [a] } }");
type Command = typeof runKeys;
const run = (command: Command, ...args: readonly string[]) =>
  runPrinting((io) => command(args, io, bench().open, settings));
const ask = (...args: readonly string[]) => runPrinting((io) => runCommandLine(args, io));

/** Returns a field of each listed row. */
async function list(field: string, command: Command, ...args: readonly string[]): Promise<string> {
  const { out, err } = await run(command, "list", "--json", ...args);
  if (out === "") return err;
  const rows: readonly Readonly<Record<string, unknown>>[] = JSON.parse(out);
  return rows.map((row) => row[field]).join(" ");
}

test("keys, accounts, people and batches are sorted by their columns", async () => {
  const { store } = bench().world;
  const bare = unrecorded(store);
  for (const [at, name] of ["mid", "zed", "ant"].entries()) {
    await bare.addAccount(makeAccount(`acct_${name}`, { name, createdAtMs: at }));
    await bare.addKey(makeKey(`key_${name}`, { name, createdAtMs: at }), `digest of ${name}`);
    await bare.changeMember(`usr_${name}`, () => makeMember(`usr_${name}`, { name, createdAtMs: at }));
    const costNanoUsd = 1000 * (at + 1);
    await writeRecord(store, makeRecord(name, { keyId: `key_${name}`, costNanoUsd, atMs: Date.now() }));
    const { sums } = makeBatch("any").detail;
    const batch = makeBatch(`batch_${name}`, { createdAtMs: at }, { sums: { ...sums, costNanoUsd } });
    await store.batches.add(batch, 9);
  }
  expect(await list("name", runKeys, "--sort", "name")).toBe("ant mid zed");
  expect(await list("name", runKeys, "--sort", "cost")).toBe("ant zed mid");
  expect(await list("name", runKeys, "--sort", "cost", "--order", "asc")).toBe("mid zed ant");
  expect(await list("name", runAccounts, "--sort", "name", "--order", "desc")).toBe("zed mid default ant");
  expect(await list("name", runMembers, "--order", "asc")).toBe("mid zed ant");
  expect(await list("id", runBatches, "--sort", "cost", "--order", "asc")).toBe(
    "batch_mid batch_zed batch_ant",
  );
});

test("models are sorted by their prices and dates", async () => {
  const read = async (...args: readonly string[]) => {
    const { out } = await ask("models", "--provider", "OpenAI", "--json", ...args);
    const found: readonly { pricing: { output: number } | null; release_date: string | null }[] =
      JSON.parse(out);
    return found;
  };
  const prices = (await read("--sort", "output")).flatMap(({ pricing }) => pricing?.output ?? []);
  expect(prices).toEqual(prices.toSorted((one, other) => one - other));
  const days = (await read("--sort", "released")).flatMap(({ release_date }) => release_date ?? []);
  expect([days.length > 10, days]).toEqual([true, days.toSorted().reverse()]);
});

test("an unknown column is named with those that there are", async () => {
  const lists: readonly (readonly [Command, readonly string[]])[] = [
    [runKeys, ["list"]],
    [runAccounts, ["list"]],
    [runMembers, ["list"]],
    [runBatches, ["list"]],
    [runTools, []],
  ];
  for (const [command, words] of lists) {
    const { code, err } = await run(command, ...words, "--sort", "q");
    expect([code, err]).toEqual([2, expect.stringMatching(/unknown --sort q; expected [a-z_, ]+$/m)]);
  }
  expect((await run(runKeys, "list", "--sort", "stat")).err).toContain("did you mean state?");
  expect((await run(runKeys, "list", "--order", "up")).err).toContain("unknown --order up");
  const models = await ask("models", "--sort", "colour");
  expect([models.code, models.err]).toEqual([2, expect.stringContaining("max_output")]);
});
