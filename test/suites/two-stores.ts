// The stores that a suite runs on: two on one empty database before each test, as two processes have.
import { afterEach, beforeEach, describe } from "bun:test";
import type { Decide } from "../../src/core/decision.ts";
import type { Store } from "../../src/core/store.ts";
import { decide } from "../../src/ledger/decide.ts";

/** One empty database, and ways to use it. */
export interface StoreBench {
  /** Opens another store on it, with its own connection, as another process would. */
  open(decide: Decide): Promise<Store>;
  /** The same on connections that an earlier store has left open. Missing where they cost nothing. */
  openNext?(decide: Decide): Promise<Store>;
  /** Makes all others consider the store's process dead, without the store's knowledge. */
  forsake(store: Store): Promise<void> | void;
  /** Runs a statement without the stores. Throws if the database refuses it. */
  raw(sql: string): Promise<void> | void;
  /** Lets the database refuse every change of a row until the test's end. Missing if no suite of the bench needs it. */
  refuseWrites?(): Promise<void>;
  /** Ends that, before the stores close. Missing where the database ends with the test. */
  allowWrites?(): Promise<void>;
  dispose(): Promise<void> | void;
}
export type MakeBench = () => Promise<StoreBench> | StoreBench;

/** Two stores on one database, as two processes have. */
export interface TwoStores {
  readonly bench: StoreBench;
  readonly store: Store;
  readonly other: Store;
}

/** Opens them on an empty database before each test. The returned function is called within a test. */
export function twoStores(makeBench: MakeBench): () => TwoStores {
  let opened: TwoStores;
  beforeEach(async () => {
    const bench = await makeBench();
    const open = bench.openNext ?? bench.open;
    opened = { bench, store: await open(decide), other: await open(decide) };
    await opened.store.beat();
    await opened.other.beat();
  });
  afterEach(async () => {
    await opened.bench.allowWrites?.();
    await opened.store.close();
    await opened.other.close();
    await opened.bench.dispose();
  });
  return () => opened;
}

/** A suite that runs under a name on the stores of a bench. */
export type Suite = (name: string, makeBench: MakeBench) => void;

/** Makes a suite of groups of tests, by their titles. `closeOthers` runs behind each test. */
export function makeSuite(
  groups: Readonly<Record<string, (opened: () => TwoStores) => void>>,
  closeOthers?: () => Promise<void>,
): Suite {
  return (name, makeBench) =>
    describe(name, () => {
      const opened = twoStores(makeBench);
      if (closeOthers) afterEach(closeOthers);
      for (const [title, group] of Object.entries(groups)) describe(title, () => group(opened));
    });
}
