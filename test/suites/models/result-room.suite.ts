// Results without room, on every store: their batch waits and says so, and ends without a second copy of them.
import { describe, expect, test } from "bun:test";
import type { Batch } from "../../../src/core/batches/batch.ts";
import type { Store } from "../../../src/core/store.ts";
import { BATCH_WORDS } from "../../../src/http/batches/words.ts";
import { makeFileUsers } from "../../../src/jobs/file-users.ts";
import { readResults } from "../../../src/jobs/finalizing.ts";
import { nameResults } from "../../../src/jobs/objects.ts";
import { PARALLEL, readIds } from "../../jobs/job-world.ts";
import { type MakeBench, type TwoStores, twoStores } from "../two-stores.ts";
import { ANSWER_BYTES, RoomWorld } from "./room-world.ts";

const SOON_MS = 2000;
/** The indexes of files of results have numbers from here on. */
const INDEX_FROM = 2 ** 40;

export function resultRoomSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: results without room`, () => {
    const stores = twoStores(makeBench);
    ends(stores);
    others(stores);
    running(stores);
    kills(stores);
  });
}

type Stores = () => TwoStores;

async function read(store: Store, id: string): Promise<Batch> {
  const batch = await store.batches.find(id);
  if (batch === null) throw new Error("There is no batch.");
  return batch;
}

async function countTold(store: Store): Promise<number> {
  return (await store.takeEvents(1e12, 100)).filter(({ type }) => type === "batch.waiting").length;
}

/** Brings a batch of three lines to its end, where there is no room. */
async function fillUp(store: Store, fill: (world: RoomWorld) => void) {
  const world = new RoomWorld();
  const own = await world.start(store);
  await own.add("batch_1", 3);
  while (world.started < 3) await world.clock.move(10);
  fill(world);
  await world.clock.move(3000);
  return { world, own };
}

interface Kind {
  readonly name: string;
  readonly fill: (world: RoomWorld) => void;
  readonly makeRoom: (world: RoomWorld) => void;
}

const KINDS: readonly Kind[] = [
  {
    name: "its account's quota",
    fill: ({ rules }) => Object.assign(rules, { accountBytesMax: ANSWER_BYTES }),
    makeRoom: ({ rules }) => Object.assign(rules, { accountBytesMax: 1e9 }),
  },
  {
    name: "the quota of all",
    fill: ({ rules }) => Object.assign(rules, { bytesMax: ANSWER_BYTES }),
    makeRoom: ({ rules }) => Object.assign(rules, { bytesMax: 1e9 }),
  },
  {
    name: "its account's number of files",
    fill: (world) => Object.assign(world, { moreFiles: 9999 }),
    makeRoom: (world) => Object.assign(world, { moreFiles: 9998 }),
  },
  {
    name: "the disk",
    fill: (world) => Object.assign(world, { isDiskFull: true }),
    makeRoom: (world) => Object.assign(world, { isDiskFull: false }),
  },
];

function ends(stores: Stores): void {
  test.each(KINDS)(
    "a batch whose end passes $name waits, tells it once, and ends soon after there is room",
    async ({ fill, makeRoom }) => {
      const { store } = stores();
      const { world, own } = await fillUp(store, fill);
      const found = await read(store, "batch_1");
      expect([found.status, found.detail.waiting?.code]).toEqual(["finalizing", "storage_limit_exceeded"]);
      await world.clock.move(20_000);
      expect([await countTold(store), world.troubles]).toEqual([1, []]);
      const live = (await makeFileUsers({ store }).listLiveObjects()).map(({ object }) => object);
      expect(live).toContain(nameResults(found, "o"));
      const before = own.written.length;
      makeRoom(world);
      await world.clock.move(SOON_MS);
      const { status, detail, bytes } = await read(store, "batch_1");
      expect([status, detail.waiting, bytes]).toEqual(["completed", null, 0]);
      expect((await readIds(own, detail.outputFileId)).toSorted()).toEqual(["line-0", "line-1", "line-2"]);
      // The results themselves are written once.
      expect(own.written.slice(before).every((number) => number >= INDEX_FROM)).toBe(true);
      expect(await countTold(store)).toBe(0);
    },
  );

  test.each(KINDS)("cancelled then, it has all its answers though $name is passed", async ({ fill }) => {
    const { store } = stores();
    const { world, own } = await fillUp(store, fill);
    await own.kept.cancel(await read(store, "batch_1"));
    await world.clock.move(SOON_MS);
    const { status, detail } = await read(store, "batch_1");
    expect([status, detail.waiting, detail.errorFileId]).toEqual(["cancelled", null, null]);
    expect((await readIds(own, detail.outputFileId)).length).toBe(3);
  });
}

function others(stores: Stores): void {
  test("its input may be deleted then, which makes room", async () => {
    const { store } = stores();
    const { world, own } = await fillUp(store, ({ rules }) =>
      Object.assign(rules, { accountBytesMax: 3400 }),
    );
    const { detail, status } = await read(store, "batch_1");
    expect(status).toBe("finalizing");
    const owner = { accountId: "default", memberId: null };
    expect(await own.files.remove(detail.inputFileId ?? "", owner)).toBe(true);
    await world.clock.move(SOON_MS);
    expect((await read(store, "batch_1")).status).toBe("completed");
    expect((await store.files.sum("default")).files).toBe(1);
  });

  test("a file of results is read by ranges, and is gone with its bytes once it is deleted", async () => {
    const { store } = stores();
    const world = new RoomWorld();
    const own = await world.start(store);
    await own.add("batch_1", 300);
    await world.clock.move(60_000);
    const { outputFileId } = (await read(store, "batch_1")).detail;
    const [file] = await store.files.list({ id: outputFileId ?? "", order: "newest", limit: 1 });
    if (file === undefined) throw new Error("There is no file.");
    const cut = async (from: number, to: number) =>
      Buffer.concat(await Array.fromAsync(own.files.read(file, from, to)));
    const whole = await cut(0, file.bytes);
    expect(whole.length).toBe(file.bytes);
    for (const from of [0, 1, 150_000, file.bytes - 1])
      expect(await cut(from, from + 100_000)).toEqual(whole.subarray(from, from + 100_000));
    await own.files.remove(file.id, file.owner);
    const objects = await store.files.pieces.listBefore(1e15);
    expect(objects.map(({ object }) => object)).not.toContain(file.id);
  });

  test("a batch in Anthropic's form waits and ends in the same way", async () => {
    const { store } = stores();
    const world = new RoomWorld();
    const own = await world.start(store);
    for (const id of ["msgbatch_1", "msgbatch_2"]) await own.addMessages(id, 3);
    while (world.started < 6) await world.clock.move(10);
    world.rules.accountBytesMax = ANSWER_BYTES;
    await world.clock.move(3000);
    const waiting = await read(store, "msgbatch_1");
    expect([waiting.status, waiting.detail.waiting?.code]).toEqual(["finalizing", "storage_limit_exceeded"]);
    await own.kept.cancel(waiting);
    await world.clock.move(SOON_MS);
    world.rules.accountBytesMax = 1e9;
    await world.clock.move(SOON_MS);
    const ended = [await read(store, "msgbatch_1"), await read(store, "msgbatch_2")];
    expect(ended.map(({ status }) => status)).toEqual(["cancelled", "completed"]);
    for (const batch of ended) {
      const results = readResults({ store, files: own.files, words: BATCH_WORDS }, batch);
      const text = Buffer.concat(await Array.fromAsync(results)).toString();
      expect(text.match(/"succeeded"/g)?.length).toBe(3);
    }
  });
}

function running(stores: Stores): void {
  test("no line starts without room, answers in flight are kept, and a cancel has them all", async () => {
    const { store } = stores();
    const world = new RoomWorld();
    const own = await world.start(store);
    await own.add("batch_1", 60);
    const { bytes } = await store.files.sum("default");
    world.rules.accountBytesMax = bytes + 10 * ANSWER_BYTES;
    await world.clock.move(4000);
    const { status, detail } = await read(store, "batch_1");
    expect([status, detail.waiting?.code, detail.counts.completed]).toEqual([
      "in_progress",
      "storage_limit_exceeded",
      world.started,
    ]);
    expect(world.started).toBeLessThanOrEqual(10 + PARALLEL);
    expect([await countTold(store), world.troubles]).toEqual([1, []]);
    await own.kept.cancel(await read(store, "batch_1"));
    await world.clock.move(5000);
    const ended = await read(store, "batch_1");
    expect([ended.status, ended.detail.waiting]).toEqual(["cancelled", null]);
    expect((await readIds(own, ended.detail.outputFileId)).length).toBe(world.started);
    expect((await readIds(own, ended.detail.errorFileId)).length).toBe(60 - world.started);
  });

  test("it is told once, though lines in flight end behind it", async () => {
    const { store } = stores();
    const world = new RoomWorld();
    const own = await world.start(store);
    world.lineMs = 10_000;
    await own.add("batch_1", 60);
    while (world.started < PARALLEL) await world.clock.move(10);
    world.isDiskFull = true;
    await world.clock.move(8000);
    expect((await read(store, "batch_1")).detail.waiting?.code).toBe("storage_limit_exceeded");
    await world.clock.move(20_000);
    const { counts, waiting } = (await read(store, "batch_1")).detail;
    expect([counts.completed, waiting?.code]).toEqual([PARALLEL, "storage_limit_exceeded"]);
    expect(await countTold(store)).toBe(1);
  });

  test("the batch goes on soon after there is room", async () => {
    const { store } = stores();
    const world = new RoomWorld();
    const own = await world.start(store);
    world.rules.accountBytesMax = 4000;
    await own.add("batch_1", 20);
    await world.clock.move(4000);
    const before = world.started;
    expect((await read(store, "batch_1")).detail.waiting?.code).toBe("storage_limit_exceeded");
    world.rules.accountBytesMax = 1e9;
    await world.clock.move(SOON_MS);
    expect(world.started).toBeGreaterThan(before);
    await world.clock.move(SOON_MS);
    expect((await read(store, "batch_1")).status).toBe("completed");
  });
}

function kills(stores: Stores): void {
  test("a kill at any step of the end leaves one file with each answer once", async () => {
    const { store } = stores();
    let hasSurvived = false;
    for (let steps = 0; !hasSurvived; steps++) {
      const world = new RoomWorld();
      const own = await world.start(store);
      const id = `batch_${steps}`;
      await own.add(id, 3);
      while (world.started < 3) await world.clock.move(10);
      world.isDiskFull = true;
      await world.clock.move(3000);
      world.isDiskFull = false;
      own.steps = steps;
      await world.clock.move(3000);
      hasSurvived = own.steps > 0;
      own.steps = 0;
      const next = await world.start(store);
      await world.clock.move(3000);
      const { status, detail } = await read(store, id);
      expect([steps, status]).toEqual([steps, "completed"]);
      expect((await readIds(next, detail.outputFileId)).toSorted()).toEqual(["line-0", "line-1", "line-2"]);
    }
  });

  test("a node that comes back too late changes nothing of what another one has put together", async () => {
    const { bench, store, other } = stores();
    const world = new RoomWorld();
    const own = await world.start(store);
    await own.add("batch_1", 3);
    while (world.started < 3) await world.clock.move(10);
    const { promise, resolve } = Promise.withResolvers<void>();
    own.reading = promise;
    await world.clock.move(3000);
    expect((await read(store, "batch_1")).status).toBe("finalizing");
    await bench.forsake(store);
    const next = await world.start(other);
    await world.clock.move(3000);
    expect((await read(other, "batch_1")).status).toBe("completed");
    resolve();
    await world.clock.move(3000);
    const { detail } = await read(other, "batch_1");
    expect((await readIds(next, detail.outputFileId)).length).toBe(3);
    expect((await other.files.sum("default")).files).toBe(2);
  });
}
