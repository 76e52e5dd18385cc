// Processes that are killed while they write the catalogue file leave the old one or the new one, never a part.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { IS_LONG } from "../../harness/long.ts";
import { PROGRAM } from "../../harness/program.ts";
import { makeList } from "./watch-world.ts";

const folder = mkdtempSync(join(tmpdir(), "poundkey-catalogue-kills-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(at(name), "utf8");
const LONG_MS = 600_000;

/** Kills the process once it has written and this time has passed. */
async function kill(command: readonly string[], afterMs: number): Promise<void> {
  const child = Bun.spawn([...command], { cwd: folder, stdout: "pipe", stderr: "ignore" });
  await child.stdout.getReader().read();
  await Bun.sleep(afterMs);
  child.kill("SIGKILL");
  await child.exited;
}

/** Spread over the time, in an order that repeats. */
const spread = (kills: number, mostMs: number) =>
  Array.from({ length: kills }, (_, at) => ((at * 7919) % kills) * (mostMs / kills));

test(
  "one that writes all the time",
  async () => {
    const texts = ["one", "other"].map((name) => `["${name}", "${name.repeat(200_000)}"]`);
    for (const [place, text] of texts.entries()) writeFileSync(at(`text-${place}`), text);
    writeFileSync(at("catalogue.json"), texts[0] ?? "");
    const program = [process.execPath, join(import.meta.dir, "catalogue-writer.ts")];
    const writer = [...program, at("catalogue.json"), at("text-0"), at("text-1")];
    const seen = new Set<string>();
    const times = spread(IS_LONG ? 100 : 10, 20);
    // Half the kills find one text, so all of a series may find the same.
    for (let kills = 0; kills < times.length || (seen.size < 2 && kills < 100); kills++) {
      const afterMs = times[kills % times.length] ?? 0;
      await kill(writer, afterMs);
      const text = read("catalogue.json");
      expect(texts.includes(text)).toBe(true);
      seen.add(text);
    }
    expect(seen.size).toBe(2);
  },
  LONG_MS,
);

test.if(IS_LONG)(
  "the command, at any point of --apply",
  async () => {
    writeFileSync(
      at("poundkey.yaml"),
      "catalogue: { file: taken.json }\nproviders: { OpenAI: { keys: [sk-a] } }\n",
    );
    writeFileSync(at("first.json"), makeList(118));
    writeFileSync(at("second.json"), makeList(119, {}, 1.1));
    const update = [...PROGRAM, "catalogue", "update", "--format", "poundkey", "--apply", "--yes", "--from"];
    const apply = (list: string) => Bun.spawnSync([...update, list], { cwd: folder }).exitCode;
    expect([apply("first.json"), apply("second.json")]).toEqual([0, 0]);
    const second = read("taken.json");
    rmSync(at("taken.json"));
    expect(apply("first.json")).toBe(0);
    const first = read("taken.json");
    for (const afterMs of spread(100, 1500)) {
      writeFileSync(at("taken.json"), first);
      const child = Bun.spawn([...update, "second.json"], {
        cwd: folder,
        stdout: "ignore",
        stderr: "ignore",
      });
      await Bun.sleep(afterMs);
      child.kill("SIGKILL");
      await child.exited;
      expect([first, second].includes(read("taken.json"))).toBe(true);
    }
  },
  LONG_MS,
);
