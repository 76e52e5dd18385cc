// quickstart.json: where a quick start runs, as another command of the same person reads it, and why a file doesn't count.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProcess } from "../../../src/app/quickstart/processes.ts";
import { readRunningQuickstart } from "../../../src/app/quickstart/running.ts";
import { asObject, parseJson } from "../../../src/core/json/json.ts";
import { LONG_MS, newPlace, type Serving, startServe } from "../../harness/serve-process.ts";
import { until } from "../../whole/world/until.ts";

const place = newPlace("{}");
const env = { PATH: process.env.PATH ?? "", POUNDKEY_PLACES: "user", HOME: place.directory };
const folder = join(place.directory, ".local/share/poundkey");
const file = join(folder, "quickstart.json");
const read = () => readRunningQuickstart((name) => Object.entries(env).find(([one]) => one === name)?.[1]);

let running: Serving;
let address: string;
let written: string;
const other = Bun.spawn(["sleep", "600"]);
beforeAll(async () => {
  running = startServe({ ...place, env }, "--quickstart", "--port", "0");
  address = await running.listens();
  await until("it says where it runs", () => existsSync(file), LONG_MS);
  written = readFileSync(file, "utf8");
}, LONG_MS);
afterAll(async () => {
  other.kill();
  running.end();
  await running.exited;
  place.remove();
});

function write(text: string): void {
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600 });
}

const change = (changes: object) => write(JSON.stringify({ ...asObject(parseJson(written)), ...changes }));

test("a gateway that runs is found by its file, which only its user can read", () => {
  const { pid, started, ...rest } = asObject(parseJson(written));
  expect(rest).toEqual({ address });
  expect([pid, started]).toEqual([running.pid, findProcess(running.pid)?.started]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(read()).toEqual({ address, keyFile: join(folder, "quickstart.key") });
});

test.each<[string, () => void]>([
  ["of a process that has ended", () => change({ pid: 2 ** 22 + 1 })],
  ["of a process that began at another time", () => change({ started: "1" })],
  [
    "of a process that runs another program",
    () => change({ pid: other.pid, started: findProcess(other.pid)?.started }),
  ],
  ["of another user's process", () => change({ pid: 1, started: findProcess(1)?.started ?? "1" })],
  ["that others can read", () => chmodSync(file, 0o644)],
  ["that is no JSON", () => write("{")],
  ["that lacks a field", () => change({ started: undefined })],
  [
    "that is a link",
    () => {
      write(written);
      const elsewhere = join(place.directory, "elsewhere.json");
      writeFileSync(elsewhere, written, { mode: 0o600 });
      rmSync(file);
      symlinkSync(elsewhere, file);
    },
  ],
])("a file %s doesn't count, and is removed", (_, spoil) => {
  write(written);
  expect(read()).not.toBeNull();
  spoil();
  expect(read()).toBeNull();
  expect(existsSync(file)).toBe(false);
});

test(
  "a second one on the same store is found while it runs, and the first one after it",
  async () => {
    write(written);
    const second = startServe({ ...place, env }, "--quickstart", "--port", "0");
    const url = await second.listens();
    await until("the second says where it runs", () => read()?.address === url, LONG_MS);
    const said = `a quick start at ${address} uses the same store`;
    await until("the second says that another runs", () => second.err.includes(said), LONG_MS);
    second.signal("SIGTERM");
    expect(await second.exited).toBe(0);
    expect(read()?.address).toBe(address);
    expect(readFileSync(file, "utf8")).toBe(written);
  },
  LONG_MS,
);

test(
  "it is gone once the gateway has ended, unless another one has written it since",
  async () => {
    change({ pid: other.pid });
    const second = startServe({ ...place, env }, "--quickstart", "--port", "0");
    const isLatest = () => readFileSync(file, "utf8").includes(`"pid":${second.pid},`);
    await until("the second says where it runs", isLatest, LONG_MS);
    const latest = readFileSync(file, "utf8");
    running.signal("SIGTERM");
    expect(await running.exited).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(latest);
    second.signal("SIGTERM");
    expect(await second.exited).toBe(0);
    expect(existsSync(file)).toBe(false);
  },
  LONG_MS,
);
