// Watches the configuration file and passes changed settings on, but only if the whole file is valid.
import type { Settings } from "../core/settings.ts";
import type { Clock } from "../core/world/world.ts";
import type { ConfigError } from "./errors.ts";
import type { LoadResult, Sections } from "./load.ts";

interface FileWatchPorts {
  readonly clock: Pick<Clock, "every">;
  /** Returns a text of size, time and inode that changes when the file does, or null if there is no file. */
  readonly stamp: () => string | null;
  /** Lets requests go on while a change is read and applied. If missing, that happens at once. */
  readonly gently?: {
    /** Does beforehand, elsewhere, what takes long of `load`. */
    readonly prepare: () => Promise<void>;
    /** Resolves once waiting requests had their turn. */
    readonly rest: () => Promise<void>;
    /** Returns why settings can't be put in force by now. Never rejects. */
    readonly refuse: (settings: Settings) => Promise<readonly ConfigError[]>;
  };
  /** Reads and checks the file again, with the files and variables that it refers to. */
  readonly load: (mayBeEmpty: boolean) => LoadResult;
  /** Takes the new settings, the sections that differ from those before, and those whose changes need a restart. */
  readonly onSettings: (
    settings: Settings,
    changed: readonly string[],
    ignored: readonly ("server" | "store")[],
  ) => void;
  /** Takes the errors of an invalid file. The settings stay as they were. */
  readonly onErrors: (errors: readonly ConfigError[]) => void;
}

interface ConfigWatch {
  /** Loads now, even if the file hasn't changed (SIGHUP). */
  reload(): void;
  stop(): void;
}

/** A change is loaded once two checks find the same file, so that no half-written file is read. That takes at most 1 s. */
const PERIOD_MS = 500;

/**
 * Watches from now on. `start` holds the current settings, whose `server` and `store` can't change, and `loadedStamp` is
 * the file's stamp when they were loaded, so that a change since then is loaded too.
 */
export function watchConfig(
  start: { readonly settings: Settings; readonly sections: Sections },
  loadedStamp: ReturnType<FileWatchPorts["stamp"]>,
  ports: FileWatchPorts,
): ConfigWatch {
  let usedStamp = loadedStamp;
  let lastSeen = loadedStamp;
  let { sections } = start;
  // Programs that write a file often truncate it first: that must not end the limits of the configuration in use.
  const load = () => ports.load(Object.keys(sections).length === 0);
  const apply = (loaded: LoadResult) => {
    if (!loaded.ok) return ports.onErrors(loaded.errors);
    const [kept, ignored] = keepStart(start.settings, loaded.settings);
    ports.onSettings(kept, listChanged(sections, loaded.sections), ignored);
    ({ sections } = loaded);
  };
  const { gently } = ports;
  let last: Promise<void> = Promise.resolve();
  const reload = () => {
    if (gently === undefined) return apply(load());
    last = last.then(async () => {
      await gently.prepare();
      await gently.rest();
      const loaded = load();
      await gently.rest();
      const errors = loaded.ok ? await gently.refuse(loaded.settings) : [];
      apply(errors.length > 0 ? { ok: false, errors } : loaded);
    });
  };
  const check = () => {
    const seen = ports.stamp();
    const isSettled = seen === lastSeen;
    lastSeen = seen;
    if (!isSettled || seen === usedStamp) return;
    usedStamp = seen;
    reload();
  };
  return { reload, stop: ports.clock.every(PERIOD_MS, check) };
}

/** Returns the names of the sections that were added, removed or changed. */
function listChanged(before: Sections, now: Sections): readonly string[] {
  return Object.keys({ ...before, ...now }).filter((name) => before[name] !== now[name]);
}

function keepStart(start: Settings, now: Settings): [Settings, readonly ("server" | "store")[]] {
  const ignored = (["server", "store"] as const).filter(
    (section) => JSON.stringify(start[section]) !== JSON.stringify(now[section]),
  );
  const needsRestart = ignored.filter((section) => section !== "store" || !isReadAgain(start, now));
  return [{ ...now, server: start.server, store: start.store }, needsRestart];
}

/** True if only what the address refers to has changed, such as a password's file: new connections read it again. */
function isReadAgain(start: Settings, now: Settings): boolean {
  const isSame = start.storeSource !== undefined && start.storeSource === now.storeSource;
  return isSame && start.store.startsWith("postgres");
}
