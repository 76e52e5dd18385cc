// Files on every store: their rows, their sealed pieces, the room that they have, and what is swept.
import { describe, expect, test } from "bun:test";
import type { FileOwner, StoredFile, StoredObject } from "../../../src/core/batches/file.ts";
import type { FileRules } from "../../../src/core/settings.ts";
import type { Store } from "../../../src/core/store.ts";
import type { FileUsers } from "../../../src/files/files-ports.ts";
import { KeptFiles } from "../../../src/files/kept-files.ts";
import { type NewFile, PIECE_BYTES } from "../../../src/files/port.ts";
import { makeSweep } from "../../../src/files/sweep.ts";
import { createVault } from "../../../src/keys/vault.ts";
import { countingRandom, makeAccount } from "../../harness/samples.ts";
import { catchThrown, readCode } from "../../harness/thrown.ts";
import { unrecorded } from "../../harness/unrecorded.ts";
import { type MakeBench, twoStores } from "../two-stores.ts";

/** No batch uses any. */
const NO_FILE_USERS: FileUsers = {
  isFileInUse: async () => false,
  listLiveObjects: async () => [],
  countBytes: async () => 0,
};

const OWNER: FileOwner = { accountId: "default", memberId: null };
const DAY_MS = 86_400_000;
const ROOM: FileRules = {
  bytesMax: 50_000_000,
  accountBytesMax: 20_000_000,
  fileBytesMax: 10_000_000,
  keepMs: DAY_MS,
};
const vault = createVault(new Uint8Array(32).fill(7), countingRandom());

function makeFile(id: string, fields: Partial<NewFile> = {}): NewFile {
  const createdMs = fields.createdMs ?? Date.now();
  return {
    id,
    form: "openai",
    owner: OWNER,
    keyId: "key_a",
    name: `${id}.jsonl`,
    purpose: "batch",
    type: "application/jsonl",
    createdMs,
    expiresMs: createdMs + DAY_MS,
    ...fields,
  };
}

/** The files of a store, as a gateway has them. `passedMs` is how far its clock is ahead. */
function openFiles(store: Store, given: Partial<FileRules> = {}, users: Partial<FileUsers> = {}) {
  const time = { passedMs: 0 };
  const ports = {
    store,
    vault,
    log: () => {},
    clock: { nowMs: () => Date.now() + time.passedMs },
    rules: () => ({ ...ROOM, ...given }),
    users: { ...NO_FILE_USERS, ...users },
  };
  return { files: new KeptFiles(ports), sweep: makeSweep(ports), time };
}

async function* send(...parts: readonly (Uint8Array | string)[]) {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

async function* breakAfter(part: Uint8Array) {
  yield part;
  throw new Error("The client left.");
}

async function readText(files: KeptFiles, file: StoredFile, from = 0, to = file.bytes): Promise<string> {
  return (
    await Array.fromAsync(files.read(file, from, to), (one) => Buffer.from(one).toString("latin1"))
  ).join("");
}

/** Bytes whose pattern begins at another letter in each piece. */
function makeBytes(count: number): Uint8Array {
  const pattern = Buffer.from("abcdefghijklmnopqrstuvw");
  return Buffer.alloc(count, pattern);
}

const listObjects = (store: Store): Promise<readonly StoredObject[]> =>
  store.files.pieces.listBefore(Date.now() + DAY_MS);

export function filesSuite(name: string, makeBench: MakeBench): void {
  describe(`${name}: files`, () => {
    const stores = twoStores(makeBench);
    bytes(stores);
    owners(stores);
    slots(stores);
    rooms(stores);
    sweeps(stores);
  });
}

type Stores = ReturnType<typeof twoStores>;

function bytes(stores: Stores): void {
  test("are read on every node as they were sent, however they were cut, whole and by ranges", async () => {
    const { files } = openFiles(stores().store);
    const sent = makeBytes(PIECE_BYTES + 100);
    const cut = [sent.subarray(0, 10), sent.subarray(10, PIECE_BYTES + 7), sent.subarray(PIECE_BYTES + 7)];
    const stored = await files.save(makeFile("file-a"), send(...cut));
    expect(stored.bytes).toBe(sent.length);
    const { files: others } = openFiles(stores().other);
    const found = await others.find("file-a", OWNER);
    expect(found).toEqual(stored);
    const text = Buffer.from(sent).toString("latin1");
    expect(await readText(others, stored)).toBe(text);
    expect(await readText(others, stored, PIECE_BYTES - 5, PIECE_BYTES + 5)).toBe(
      text.slice(PIECE_BYTES - 5, PIECE_BYTES + 5),
    );
    expect(await readText(others, await files.save(makeFile("file-empty"), send()))).toBe("");
  });

  test("are removed by their numbers, and the other pieces of an object stay", async () => {
    const { pieces } = stores().store.files;
    for (const number of [0, 7, 2 ** 40])
      await pieces.write("default", "object", number, Buffer.from("text"));
    await pieces.remove("default", "object", [7, 2 ** 40, 9]);
    const left = await Promise.all([0, 7, 2 ** 40].map((number) => pieces.read("default", "object", number)));
    expect(left.map((piece) => piece?.length)).toEqual([4, undefined, undefined]);
  });

  test("open only in their own place: not in another account, object or number, nor changed", async () => {
    const { store } = stores();
    const { files } = openFiles(store);
    await files.save(makeFile("file-a"), send("secret text"));
    const sealed = await store.files.pieces.read("default", "file-a", 0);
    if (sealed === null) throw new Error("There is no piece.");
    expect(Buffer.from(sealed).toString("latin1")).not.toContain("secret");
    await unrecorded(store).addAccount(makeAccount("acct_b"));
    const places = [
      ["acct_b", "file-a", 0],
      ["default", "file-b", 0],
      ["default", "file-a", 1],
    ] as const;
    for (const [accountId, object, number] of places) {
      await store.files.pieces.write(accountId, object, number, sealed);
      const thrown = await catchThrown(files.pieces.read(accountId, object, number));
      expect(String(thrown)).toContain("is missing or damaged");
    }
    await store.files.pieces.write("default", "file-a", 0, sealed.with(30, (sealed[30] ?? 0) ^ 1));
    expect(String(await catchThrown(files.pieces.read("default", "file-a", 0)))).toContain("damaged");
    expect(String(await catchThrown(files.pieces.read("default", "none", 0)))).toContain("missing");
  });

  test("leave nothing if their stream breaks", async () => {
    const { files } = openFiles(stores().store);
    const saving = files.save(makeFile("file-a"), breakAfter(makeBytes(PIECE_BYTES + 1)));
    expect(String(await catchThrown(saving))).toContain("The client left.");
    expect(await files.find("file-a", OWNER)).toBeNull();
    expect(await listObjects(stores().store)).toEqual([]);
  });
}

function owners(stores: Stores): void {
  test("are those of a member or of the service keys of an account, and of nobody else", async () => {
    const { store } = stores();
    const { files } = openFiles(store);
    await unrecorded(store).addAccount(makeAccount("acct_b"));
    const others: readonly FileOwner[] = [
      { accountId: "default", memberId: "mem_a" },
      { accountId: "acct_b", memberId: null },
      { accountId: "acct_b", memberId: "mem_a" },
    ];
    for (const [at, owner] of [OWNER, ...others].entries())
      await files.save(makeFile(`file-${at}`, { owner }), send("text"));
    const seen = async (owner: FileOwner) =>
      (await files.list(owner, { order: "newest", limit: 10 })).map(({ id }) => id);
    expect(await Promise.all([OWNER, ...others].map(seen))).toEqual([
      ["file-0"],
      ["file-1"],
      ["file-2"],
      ["file-3"],
    ]);
    for (const owner of others) {
      expect(await files.find("file-0", owner)).toBeNull();
      expect(await files.remove("file-0", owner)).toBe(false);
    }
    expect(await files.remove("file-0", OWNER)).toBe(true);
    expect(await files.remove("file-0", OWNER)).toBe(false);
    expect((await listObjects(store)).map(({ object }) => object)).not.toContain("file-0");
  });

  test("are listed by form and purpose, in both orders, page by page", async () => {
    const { files } = openFiles(stores().store);
    const createdMs = Date.now();
    for (const at of [0, 1, 2])
      await files.save(makeFile(`file-${at}`, { createdMs: createdMs + at }), send("text"));
    await files.save(makeFile("file-user", { createdMs, purpose: "user_data" }), send("text"));
    await files.save(makeFile("file_other", { createdMs, form: "anthropic" }), send("text"));
    const list = async (more: Partial<Parameters<typeof files.list>[1]>) =>
      (await files.list(OWNER, { form: "openai", order: "newest", limit: 2, ...more })).map(({ id }) => id);
    expect(await list({})).toEqual(["file-2", "file-1"]);
    expect(await list({ after: await files.find("file-1", OWNER) })).toEqual(["file-user", "file-0"]);
    expect(await list({ order: "oldest", purpose: "batch" })).toEqual(["file-0", "file-1"]);
    expect(await list({ form: "anthropic" })).toEqual(["file_other"]);
  });
}

function slots(stores: Stores): void {
  test("are uploaded four at once by an account, over all nodes", async () => {
    const { store, other } = stores();
    await unrecorded(store).addAccount(makeAccount("acct_b"));
    const [here, there] = [openFiles(store).files.uploads, openFiles(other).files.uploads];
    const ends = await Promise.all([here, there, here, there].map((one) => one.take("default ann", 0)));
    expect(readCode(await catchThrown(there.take("default ann", 0)))).toBe("too_many_parallel_requests");
    const foreign = await there.take("acct_b bea", 0);
    await ends[0]?.();
    const again = await there.take("default ann", 0);
    expect(readCode(await catchThrown(here.take("default ann", 0)))).toBe("too_many_parallel_requests");
    for (const end of [...ends.slice(1), again, foreign]) await end();
  });

  test("are three of one user's at most while another uploads, and the refusal says so", async () => {
    const { store, other } = stores();
    const [here, there] = [openFiles(store).files.uploads, openFiles(other).files.uploads];
    const ends = [await here.take("default ben", 0)];
    await ends[0]?.();
    for (let at = 0; at < 3; at++) ends.push(await (at === 2 ? there : here).take("default ann", 1));
    expect(String(await catchThrown(here.take("default ann", 59_999)))).toContain("you may have 3 of its 4");
    ends.push(await here.take("default ben", 60_000));
    await ends.pop()?.();
    ends.push(await here.take("default ann", 120_000));
    for (const end of ends.slice(1)) await end();
  });

  test("whose process died keep no slot from its next life, nor from others", async () => {
    const { store, other, bench } = stores();
    for (let at = 0; at < 4; at++) await openFiles(store).files.uploads.take("default ann", 0);
    const next = openFiles(store).files.uploads;
    await Promise.all(Array.from({ length: 4 }, () => next.take("default ann", 0)));
    await bench.forsake(store);
    const others = openFiles(other).files.uploads;
    for (const end of await Promise.all(Array.from({ length: 4 }, () => others.take("default ann", 0))))
      await end();
  });
}

function rooms(stores: Stores): void {
  const refused = async (saving: Promise<unknown>) => readCode(await catchThrown(saving));

  test("have the room of their account and of all, beside what batches keep", async () => {
    const { store, other } = stores();
    const kept = { countBytes: async () => 3 };
    const { files } = openFiles(store, { accountBytesMax: 10 }, kept);
    const { files: others } = openFiles(other, { accountBytesMax: 100, bytesMax: 8 });
    expect(await refused(files.save(makeFile("file-a"), send("12345678")))).toBe("storage_limit_exceeded");
    await files.save(makeFile("file-b"), send("1234567"));
    const left = await files.measureRoom("default");
    expect([left.bytes, left.lacks(1), left.lacks(0, 1)]).toEqual([
      0,
      expect.stringContaining("files.max_bytes_per_account"),
      null,
    ]);
    expect(await refused(others.save(makeFile("file-c"), send("12")))).toBe("storage_limit_exceeded");
    const { files: none } = openFiles(store, { accountBytesMax: 0 });
    expect(await refused(none.save(makeFile("file-d"), send()))).toBe("storage_limit_exceeded");
    expect((await listObjects(store)).map(({ object }) => object)).toEqual(["file-b"]);
  });

  test("share it if they are sent at the same time, on two nodes", async () => {
    const { store, other } = stores();
    const nodes = [store, other].map((one) => openFiles(one, { accountBytesMax: 10 }).files);
    const codes = await Promise.all(
      nodes.map((files, at) => refused(files.save(makeFile(`file-${at}`), send("1234567")))),
    );
    expect(codes.toSorted()).toEqual(["storage_limit_exceeded", undefined]);
    expect((await store.files.sum("default")).bytes).toBe(7);
  });
}

function sweeps(stores: Stores): void {
  test("are gone at their end, at once for clients and then from the store, unless a batch reads them", async () => {
    const used = { isFileInUse: async (id: string) => id === "file-used" };
    const { files, sweep, time } = openFiles(stores().store, {}, used);
    for (const id of ["file-a", "file-used"]) await files.save(makeFile(id), send("text"));
    expect(readCode(await catchThrown(files.remove("file-used", OWNER)))).toBe("file_in_use");
    time.passedMs = DAY_MS + 1000;
    expect(await files.find("file-a", OWNER)).toBeNull();
    expect(await files.list(OWNER, { order: "newest", limit: 10 })).toEqual([]);
    await sweep();
    expect(await listObjects(stores().store)).toEqual([{ accountId: "default", object: "file-used" }]);
    expect((await stores().store.files.sum(null)).files).toBe(1);
  });

  test("lose pieces that nothing names, after a while, but none of a batch or of an upload", async () => {
    const live = { listLiveObjects: async () => [{ accountId: "default", object: "results of batch" }] };
    const { files, sweep, time } = openFiles(stores().store, {}, live);
    await files.save(makeFile("file-a"), send("text"));
    for (const object of ["results of batch", "half an upload"])
      await files.pieces.write("default", object, 0, Buffer.from("text"));
    await sweep();
    expect((await listObjects(stores().store)).length).toBe(3);
    time.passedMs = 3_600_000;
    for (let times = 0; times < 10; times++) await sweep();
    const left = (await listObjects(stores().store)).map(({ object }) => object);
    expect(left.toSorted()).toEqual(["file-a", "results of batch"]);
  });
}
