// A disk that is full: an upload is refused and leaves nothing, and the results of a batch wait for room.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toFile } from "openai";
import { BINARY } from "../../harness/harness.ts";
import { catchThrown } from "../../harness/thrown.ts";
import { isMissing } from "../../harness/tools.ts";
import {
  type BatchBench,
  chatLine,
  createBatch,
  startBatches,
  until,
  waitForEnd,
} from "../../whole/batches/batch-bench.ts";

const run = (...command: readonly string[]) => Bun.spawnSync([...command]).success;
/** Only root may mount a disk of a few megabytes. */
const canMount = !isMissing(
  "no right to mount a disk",
  process.platform === "linux" &&
    run("sh", "-c", "d=$(mktemp -d) && mount -t tmpfs -o size=1m tmpfs $d && umount $d"),
);

let bench: BatchBench;
let disk: string;
beforeAll(async () => {
  if (!canMount) return;
  bench = await startBatches();
  disk = join(bench.under.directory, "files");
  mkdirSync(disk, { mode: 0o700 });
  run("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk);
});
afterAll(async () => {
  if (!canMount) return;
  await bench.under.halt();
  run("umount", "-l", disk);
  await bench.under.stop();
});

const listFiles = () =>
  readdirSync(disk, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());

test.skipIf(!canMount)("an upload that fills it is 503, and leaves nothing", async () => {
  const { openai } = bench;
  const large = openai.files.create({
    file: await toFile(Buffer.alloc(8_000_000), "large"),
    purpose: "user_data",
  });
  expect(await catchThrown(large)).toMatchObject({ status: 503, code: "store_unavailable" });
  expect([listFiles(), await Array.fromAsync(openai.files.list())]).toEqual([[], []]);
});

// The log of a binary is elsewhere, and nothing else says that the disk was full.
test.skipIf(!canMount || BINARY !== undefined)(
  "a batch's results are written once there is room again, and no line is lost",
  async () => {
    const { openai, under } = bench;
    const lines = Array.from({ length: 5 }, (_, at) =>
      chatLine(`l${at}`, `say: ${at}`, "Local#sim~latency=500"),
    );
    const made = await createBatch(openai, lines);
    const ballast = join(disk, "ballast");
    const fill = () => {
      try {
        writeFileSync(ballast, Buffer.alloc(8_000_000));
      } catch {
        // As much as there was room for is written.
      }
    };
    fill();
    await until(
      async () => under.events.filter(({ event }) => event === "batches_failed").length,
      (failed) => failed > 0,
    );
    expect(await openai.batches.retrieve(made.id)).toMatchObject({ request_counts: { completed: 0 } });
    rmSync(ballast);
    expect(await waitForEnd(openai, made)).toMatchObject({
      status: "completed",
      request_counts: { total: 5, completed: 5, failed: 0 },
    });
  },
);
