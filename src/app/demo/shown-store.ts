// The store that a demo shows: a copy of the one that was made, thrown away whenever the demo starts over.
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beginSession } from "../../admin/people/session.ts";
import { NOBODY } from "../../core/keys/payer.ts";
import type { Settings } from "../../core/settings.ts";
import { Health } from "../../health/health.ts";
import { Cookies } from "../../http/people/cookies.ts";
import { createInProcessSimulator } from "../../simulator/in-process.ts";
import { type OpenedStore, openStore } from "../start/open-store.ts";
import { clock } from "../world.ts";
import { type DemoGateway, startDemoGateway } from "./demo-gateway.ts";

/** A session lasts twelve hours. */
const SESSION_MS = 11 * 3_600_000;
const PRIVATE = 0o700;

interface ShownParts {
  /** The folder of the made store, and the one in which copies are made. */
  readonly made: string;
  readonly folder: string;
  readonly database: string;
  readonly makeSettings: (database: string) => Settings;
  readonly seed: number;
  /** The time of the last call of each provider that the month called. */
  readonly called: ReadonlyMap<string, number>;
}

/** A gateway on a copy of the made store. */
export interface ShownCopy {
  readonly answer: DemoGateway["answer"];
  /** Returns the cookie of a session of this person. */
  cookieOf(memberId: string): Promise<string>;
  /** Stops the gateway, and deletes the copy. */
  stop(): Promise<void>;
}

export async function showCopy(parts: ShownParts, turn: number): Promise<ShownCopy> {
  const folder = join(parts.folder, `shown-${turn}`);
  mkdirSync(folder, { mode: PRIVATE });
  cpSync(parts.made, folder, { recursive: true });
  const settings = parts.makeSettings(join(folder, parts.database));
  const opened = leaveNoTrace(await openStore(settings.store, undefined));
  const fetch = createInProcessSimulator({ seed: parts.seed, nowMs: clock.nowMs, wait: Bun.sleep });
  // Pages name the kind of the store; where it lies is nobody's business.
  const shown = { ...settings, store: "sqlite:demo" };
  const health = new Health(() => {});
  const gateway = await startDemoGateway({ settings: shown, opened, fetch, health });
  recallCalls(health, settings, parts.called);
  const cookies = new Cookies({ publicUrl: settings.server.publicUrl, basePath: "", clock });
  const sessions = new Map<string, { readonly cookie: string; readonly untilMs: number }>();
  return {
    answer: gateway.answer,
    async cookieOf(memberId) {
      const known = sessions.get(memberId);
      if (known !== undefined && known.untilMs > clock.nowMs()) return known.cookie;
      const owner = { tokenDigest: "", tokenId: null, memberId, issuerSession: null };
      const secret = await beginSession(opened.world, owner);
      const [cookie = ""] = cookies.formatSession(secret, 1, false).split(";");
      sessions.set(memberId, { cookie, untilMs: clock.nowMs() + SESSION_MS });
      return cookie;
    },
    async stop() {
      await gateway.running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The gateway that made the month has called these providers; this one goes on from there. */
function recallCalls(health: Health, { providers }: Settings, called: ReadonlyMap<string, number>): void {
  for (const { name, credentials } of providers) {
    const atMs = called.get(name);
    if (atMs === undefined) continue;
    const calledMs = clock.monotonicMs() - (clock.nowMs() - atMs);
    for (const credential of credentials) health.findKey(name, credential)?.recordCall(calledMs, NOBODY);
  }
}

/** Exports and views of contents are put on record elsewhere. Here they would tell visitors of each other. */
function leaveNoTrace(opened: OpenedStore): OpenedStore {
  const { store } = opened;
  const silent = { ...store, auditLog: { ...store.auditLog, add: async () => {} } };
  return { ...opened, store: silent, world: { ...opened.world, store: silent } };
}
