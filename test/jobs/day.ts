// A day of batches by a seed: nodes that come and go, a provider that fails, a store that does, money that runs out.

import type { Batch } from "../../src/core/batches/batch.ts";
import { hasEnded } from "../../src/core/batches/batch.ts";
import type { StoredFile } from "../../src/core/batches/file.ts";
import { Fault, type FaultCode } from "../../src/core/fault.ts";
import type { Store } from "../../src/core/store.ts";
import { FileMissing, type Files, PIECE_BYTES } from "../../src/files/port.ts";
import { BATCH_WORDS } from "../../src/http/batches/words.ts";
import { KeptBatches } from "../../src/jobs/kept-batches.ts";
import type { JobPorts, LineCall, LineResult } from "../../src/jobs/ports.ts";
import { BatchRunner } from "../../src/jobs/runner.ts";
import { ManualClock } from "../harness/manual-clock.ts";
import { addKey } from "../harness/samples.ts";

export const LINE_COST = 7;
const DAY_MS = 86_400_000;
const STEP_MS = 2000;

/** Numbers from 0 to 1 by a seed (mulberry32). */
function makeChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Files in memory. */
export class MemoryFiles implements Files {
  readonly objects = new Map<string, Map<number, Uint8Array>>();
  readonly files = new Map<string, StoredFile>();

  readonly pieces: Files["pieces"] = {
    write: async (_account, object, number, bytes) => {
      this.objects.getOrInsertComputed(object, () => new Map()).set(number, bytes.slice());
    },
    read: async (_account, object, number) => {
      const piece = this.objects.get(object)?.get(number);
      if (piece === undefined) throw new FileMissing(object, number);
      return piece;
    },
    remove: async (_account, object) => void this.objects.delete(object),
  };

  async save(file: Omit<StoredFile, "bytes">, bytes: AsyncIterable<Uint8Array>): Promise<StoredFile> {
    const parts = await Array.fromAsync(bytes);
    const all = new Uint8Array(Buffer.concat(parts));
    for (let at = 0; at < all.length; at += PIECE_BYTES)
      await this.pieces.write("default", file.id, at / PIECE_BYTES, all.subarray(at, at + PIECE_BYTES));
    const stored = { ...file, bytes: all.length };
    this.files.set(file.id, stored);
    return stored;
  }

  find = async (id: string) => this.files.get(id) ?? null;

  async *read({ id }: StoredFile, from: number, to: number) {
    const whole = this.objects.get(id)?.get(0);
    if (whole === undefined) throw new FileMissing(id, 0);
    yield whole.subarray(from, to);
  }

  list = async () => [];

  async remove(id: string) {
    this.objects.delete(id);
    return this.files.delete(id);
  }

  lacksRoom = async () => null;
}

/** The gateway, as lines see it: each is charged once, and gets the same answer again. */
class Door {
  readonly charged = new Map<string, number>();
  calls = 0;
  flying = 0;
  isPoor = false;
  readonly #chance: () => number;
  readonly #clock: ManualClock;
  readonly #trouble: number;

  constructor(chance: () => number, clock: ManualClock, trouble: number) {
    this.#chance = chance;
    this.#clock = clock;
    this.#trouble = trouble;
  }

  /** A node that is killed meanwhile gets no answer, and is charged nothing. */
  async call({ terms, line, customId, signal }: LineCall, isDead: () => boolean): Promise<LineResult> {
    const name = `${terms.batchId}/${line}`;
    const answer = (): LineResult => ({ ...DONE, body: JSON.stringify({ text: customId }) });
    if (this.charged.has(name)) return answer();
    if (this.isPoor) return refuse("insufficient_balance");
    const dice = this.#chance();
    if (dice < this.#trouble) return refuse(this.#chooseFault());
    this.calls++;
    this.flying++;
    const isLeft = await this.#work(this.#chance() * 3000, signal);
    this.flying--;
    if (isDead()) return new Promise(() => {});
    if (isLeft) return refuse("client_gone");
    if (dice > 1 - this.#trouble / 4) return refuse("upstream_error");
    this.charged.set(name, (this.charged.get(name) ?? 0) + LINE_COST);
    return answer();
  }

  #chooseFault(): FaultCode {
    const codes = ["provider_busy", "overloaded", "too_many_parallel_requests", "upstream_timeout"] as const;
    return codes[Math.floor(this.#chance() * codes.length)] ?? "overloaded";
  }

  #work(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(true), { once: true });
      this.#clock.after(ms, () => resolve(signal.aborted));
    });
  }
}

const DONE = {
  requestId: "req",
  status: 200,
  fault: null,
  costNanoUsd: LINE_COST,
  chargedNanoUsd: LINE_COST,
} as const;

function refuse(code: FaultCode): LineResult {
  const fault = new Fault(code, "Refused.", code === "provider_busy" ? { retryAfterMs: 2000 } : {});
  const body = JSON.stringify({ error: { code } });
  return { requestId: "req", status: fault.row.status, body, fault, costNanoUsd: 0, chargedNanoUsd: 0 };
}

/** A node: killed, it sees nothing any more, and what it does reaches nobody. */
class Node {
  isDead = false;
  readonly runner: BatchRunner;
  readonly kept: KeptBatches;

  constructor(day: Day, name: string) {
    const { store, clock, files, door, chance } = day;
    const alive = <T>(work: () => Promise<T>): Promise<T> => (this.isDead ? new Promise(() => {}) : work());
    const shaky = <T>(work: () => Promise<T>) =>
      alive(() => {
        if (chance() < day.trouble / 8) throw new Fault("store_unavailable", "The store is away.");
        return work();
      });
    const batches: Store["batches"] = {
      ...store.batches,
      list: (filter, page) => alive(() => store.batches.list(filter, page)),
      change: (of, wanted, decide) => shaky(async () => store.batches.change(of, wanted, decide)),
    };
    const ports: JobPorts = {
      store: { batches, node: name, listDead: async (nodes) => nodes.filter((one) => day.dead.has(one)) },
      files,
      clock,
      log: (event) => void (event.level === "error" && day.bugs.push(event)),
      rules: () => RULES,
      fileRules: () => ({ bytesMax: 1e9, accountBytesMax: 1e9, fileBytesMax: 1e9, keepMs: DAY_MS }),
      bodyBytesMax: 1_000_000,
      words: BATCH_WORDS,
      findKey: (id) => alive(async () => addKey(store, id)),
      call: (line) => alive(() => door.call(line, () => this.isDead)),
      nameReply: (batchId, line) => `${batchId}/${line}`,
      estimate: async () => ({ expectedNanoUsd: LINE_COST, worstNanoUsd: 2 * LINE_COST }),
      isBusy: () => this.isDead,
    };
    this.runner = new BatchRunner(ports);
    this.kept = new KeptBatches(ports, this.runner.wake);
    this.runner.start();
  }
}

const RULES = {
  isOn: true,
  parallelMax: 8,
  perAccountMax: 8,
  linesMax: 1000,
  bytesMax: 1e6,
  unfinishedMax: 9,
  windowMs: DAY_MS,
  keepMs: 30 * DAY_MS,
  triesMax: 4,
};

export class Day {
  readonly clock = new ManualClock();
  readonly files = new MemoryFiles();
  readonly dead = new Set<string>();
  readonly bugs: object[] = [];
  readonly chance: () => number;
  readonly trouble: number;
  readonly door: Door;
  readonly store: Store;
  #nodes: Node[] = [];
  #names = 0;

  constructor(store: Store, seed: number) {
    this.store = store;
    this.chance = makeChance(seed);
    this.trouble = this.chance() * 0.3;
    this.door = new Door(this.chance, this.clock, this.trouble);
  }

  /** Returns the batch at its end. */
  async run(id: string, lines: number, mayCancel: boolean): Promise<Batch> {
    const key = await addKey(this.store, "key_a");
    const node = this.#join();
    const text = Array.from({ length: lines }, (_, at) => writeLine(`line-${at}`)).join("\n");
    const owner = { accountId: "default", memberId: null };
    const named = {
      id: `file-${id}`,
      form: "openai",
      owner,
      keyId: key.id,
      name: "in",
      purpose: "batch",
      type: "",
    } as const;
    const input = new TextEncoder().encode(text);
    const save = async function* () {
      yield input;
    };
    await this.files.save({ ...named, createdMs: 0, expiresMs: DAY_MS }, save());
    const asked = { id, surface: "openai-batches", endpoint: "/v1/chat/completions", window: "24h" } as const;
    const rest = {
      metadata: null,
      headers: {},
      outputSeconds: null,
      claim: null,
      bodyDigest: "",
      maxCostNanoUsd: null,
    };
    const inputs = { inputFileId: named.id, inputBytes: input.length, windowMs: DAY_MS };
    const batch = await node.kept.add(key, { ...asked, ...rest, ...inputs });
    const cancelAt = mayCancel ? 3 + Math.floor(this.chance() * 20) : Number.POSITIVE_INFINITY;
    for (let step = 0; this.clock.nowMs() < 2 * DAY_MS; step++) {
      if (step === cancelAt) await this.#cancel(batch);
      await this.#happen(step);
      await this.clock.move(step < 60 ? STEP_MS : 60_000);
      await Bun.sleep(0);
      const found = await this.store.batches.find(id);
      if (found !== null && hasEnded(found)) return found;
    }
    throw new Error("The batch didn't end.");
  }

  async #cancel(batch: Batch): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      const isDone = await this.#join()
        .kept.cancel(batch)
        .then(
          () => true,
          () => false,
        );
      if (isDone) return;
    }
  }

  /** Nodes are killed and join, and the account's money comes and goes, in the first minutes. */
  async #happen(step: number): Promise<void> {
    if (step > 60) {
      this.door.isPoor = false;
      if (this.#nodes.every(({ isDead }) => isDead)) this.#join();
      return;
    }
    const dice = this.chance();
    if (dice < 0.08) this.#kill();
    else if (dice < 0.16 && this.#nodes.filter(({ isDead }) => !isDead).length < 4) this.#join();
    else if (dice < 0.24) this.door.isPoor = !this.door.isPoor;
    if (this.#nodes.every(({ isDead }) => isDead)) this.#join();
  }

  #join(): Node {
    const node = new Node(this, `node-${this.#names++}`);
    this.#nodes.push(node);
    return node;
  }

  #kill(): void {
    const alive = this.#nodes.map((node, at) => ({ node, at })).filter(({ node }) => !node.isDead);
    const victim = alive[Math.floor(this.chance() * alive.length)];
    if (victim === undefined) return;
    victim.node.isDead = true;
    this.dead.add(`node-${victim.at}`);
  }

  /** Returns the ids of the lines in a file of results. */
  readIds(id: string | null): readonly string[] {
    const whole = id === null ? null : this.files.objects.get(id)?.get(0);
    if (!whole) return [];
    const lines = new TextDecoder().decode(whole).trimEnd().split("\n");
    return lines.map((line) => String(JSON.parse(line).custom_id));
  }
}

function writeLine(customId: string): string {
  const body = { model: "m", messages: [] };
  return JSON.stringify({ custom_id: customId, method: "POST", url: "/v1/chat/completions", body });
}
