// Notices a changed configuration file and hands on what it says: whole, or not at all.
import type { Settings } from "../core/settings.ts";
import type { Clock } from "../core/world.ts";
import type { ConfigError } from "./errors.ts";
import type { Loaded } from "./load.ts";

export interface WatchPorts {
  readonly clock: Pick<Clock, "every">;
  /** The marks that change when the file does: size, times, inode; null when it is not there. */
  readonly stamp: () => string | null;
  /** Reads and checks the file anew, what it refers to included. */
  readonly load: () => Loaded;
  /** The new decisions, and the sections that changed but count only after a restart. */
  readonly onSettings: (settings: Settings, ignored: readonly ("server" | "store")[]) => void;
  /** The file is refused; what was in force stays so. */
  readonly onErrors: (errors: readonly ConfigError[]) => void;
}

export interface ConfigWatch {
  /** Loads now, whether or not the file has changed (SIGHUP). */
  reload(): void;
  stop(): void;
}

/** A change is acted on at the second look that finds it the same, so that a half-written file isn't read: within 1 s. */
const PERIOD_MS = 500;

/** Watches from now on; `settings` are those in force, whose `server` and `store` stay for good. */
export function watchConfig(settings: Settings, ports: WatchPorts): ConfigWatch {
  let inForce = ports.stamp();
  let lastSeen = inForce;
  const reload = () => {
    const loaded = ports.load();
    if (loaded.ok) ports.onSettings(...keepStart(settings, loaded.settings));
    else ports.onErrors(loaded.errors);
  };
  const look = () => {
    const seen = ports.stamp();
    const isSettled = seen === lastSeen;
    lastSeen = seen;
    if (!isSettled || seen === inForce) return;
    inForce = seen;
    reload();
  };
  return { reload, stop: ports.clock.every(PERIOD_MS, look) };
}

function keepStart(start: Settings, now: Settings): [Settings, readonly ("server" | "store")[]] {
  const ignored = (["server", "store"] as const).filter(
    (section) => JSON.stringify(start[section]) !== JSON.stringify(now[section]),
  );
  return [{ ...now, server: start.server, store: start.store }, ignored];
}
