// Batches with real files in virtual time: processes that can be killed at any step, and room that can be filled.
import type { Batch } from "../../../src/core/batches/batch.ts";
import type { FileRules } from "../../../src/core/settings.ts";
import type { Store } from "../../../src/core/store.ts";
import type { LogEvent } from "../../../src/core/world/world.ts";
import { KeptFiles } from "../../../src/files/kept-files.ts";
import { makeFileUsers } from "../../../src/jobs/file-users.ts";
import { KeptBatches } from "../../../src/jobs/kept-batches.ts";
import { nameInput, writePieces } from "../../../src/jobs/objects.ts";
import type { LineCall, LineResult } from "../../../src/jobs/ports.ts";
import { BatchRunner } from "../../../src/jobs/runner.ts";
import { createVault } from "../../../src/keys/vault.ts";
import { ManualClock } from "../../harness/manual-clock.ts";
import { addKey, countingRandom } from "../../harness/samples.ts";
import { addBatch, DAY_MS, LINE_COST, makeJobPorts } from "../../jobs/job-world.ts";

export const ANSWER_BYTES = 1000;
const ANSWER: LineResult = {
  requestId: "req",
  status: 200,
  body: JSON.stringify({ text: "x".repeat(ANSWER_BYTES) }),
  fault: null,
  costNanoUsd: LINE_COST,
  chargedNanoUsd: LINE_COST,
};

type Pass = <T>(work: () => Promise<T>) => Promise<T>;

/** The same object, whose methods go through `pass`, and those of the objects in it. */
function watch<T extends object>(target: T, pass: Pass): T {
  return new Proxy(target, {
    get(of, name) {
      const found: unknown = Reflect.get(of, name);
      if (typeof found === "function")
        return (...given: readonly unknown[]) => pass(async () => Reflect.apply(found, of, given));
      return typeof found === "object" && found !== null ? watch(found, pass) : found;
    },
  });
}

export class RoomWorld {
  readonly clock = new ManualClock();
  readonly rules = { bytesMax: 1e9, accountBytesMax: 1e9, fileBytesMax: 1e9, keepMs: DAY_MS };
  readonly troubles: LogEvent[] = [];
  /** Files that are there without rows of theirs. */
  moreFiles = 0;
  isDiskFull = false;
  started = 0;
  lineMs = 100;

  /** Starts a process on a store, with a key. */
  async start(store: Store): Promise<Process> {
    await addKey(store, "key_a");
    return new Process(this, store);
  }
}

export class Process {
  readonly files: KeptFiles;
  readonly kept: KeptBatches;
  readonly store: Store;
  /** The numbers of the pieces that were written. */
  readonly written: number[] = [];
  /** The calls of the store that are left to it. */
  steps = Number.POSITIVE_INFINITY;
  /** Reads of pieces wait for this. */
  reading: Promise<void> = Promise.resolve();
  readonly #world: RoomWorld;

  constructor(world: RoomWorld, store: Store) {
    this.#world = world;
    const { clock, troubles } = world;
    this.store = watch(store, (work) => this.#pass(work));
    const log = (event: LogEvent) => void (event.level === "debug" || troubles.push(event));
    const rules = (): FileRules => world.rules;
    const vault = createVault(new Uint8Array(32).fill(7), countingRandom());
    const users = makeFileUsers(this);
    this.files = new KeptFiles({ store: this.#limit(), vault, clock, log, rules, users });
    const own = { log, fileRules: rules, call: (line: LineCall) => this.#answer(line) };
    const ports = makeJobPorts(this, own);
    const runner = new BatchRunner(ports);
    this.kept = new KeptBatches(ports, runner.wake);
    runner.start();
  }

  get clock(): ManualClock {
    return this.#world.clock;
  }

  /** The database takes no time, and what is killed goes no further. */
  #pass<T>(work: () => Promise<T>): Promise<T> {
    return this.steps-- > 0 ? this.clock.await(work) : new Promise(() => {});
  }

  /** The same store, with the files and the disk that the world says. */
  #limit(): Store {
    const { store } = this;
    const { files } = store;
    const { pieces } = files;
    const sum: typeof files.sum = async (account) => {
      const found = await files.sum(account);
      return { ...found, files: found.files + this.#world.moreFiles };
    };
    const own: typeof pieces = {
      write: (...given) => {
        this.written.push(given[2]);
        return pieces.write(...given);
      },
      read: async (...given) => {
        await this.reading;
        return pieces.read(...given);
      },
      remove: (...given) => pieces.remove(...given),
      listBefore: (ms) => pieces.listBefore(ms),
      measureDisk: async () => ({ freeBytes: this.#world.isDiskFull ? 0 : 1e12, bytes: 1e12 }),
    };
    const limited = {
      add: (...given: Parameters<typeof files.add>) => files.add(...given),
      list: (...given: Parameters<typeof files.list>) => files.list(...given),
      remove: (...given: Parameters<typeof files.remove>) => files.remove(...given),
      sum,
      pieces: own,
    };
    return new Proxy(store, {
      get: (of, name) => (name === "files" ? limited : Reflect.get(of, name)),
    });
  }

  async #answer({ placing }: LineCall): Promise<LineResult> {
    placing.plan([]);
    this.#world.started++;
    await new Promise<void>((resolve) => void this.clock.after(this.#world.lineMs, resolve));
    return ANSWER;
  }

  add(id: string, lines: number): Promise<Batch> {
    return addBatch(this.kept, this, id, lines);
  }

  /** The same in Anthropic's form. */
  async addMessages(id: string, lines: number): Promise<Batch> {
    const key = await addKey(this.store, "key_a");
    const text = Array.from({ length: lines }, (_, at) =>
      JSON.stringify({ custom_id: `line-${at}`, params: { model: "m" } }),
    ).join("\n");
    const send = async function* () {
      yield new TextEncoder().encode(text);
    };
    const place = { accountId: key.accountId, object: nameInput({ id }) };
    const inputBytes = await writePieces(this.files, place, send());
    return this.kept.add(key, {
      id,
      surface: "anthropic-batches",
      endpoint: "/v1/messages",
      window: "",
      windowMs: DAY_MS,
      metadata: null,
      headers: {},
      inputFileId: null,
      inputBytes,
      lines,
      outputSeconds: null,
      claim: null,
      bodyDigest: "",
      maxCostNanoUsd: null,
    });
  }
}
