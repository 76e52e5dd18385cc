// Clients' sessions of the older protocol: an id that any node reads, bound to its key. It costs a node nothing until a tool
// server keeps a session for it.
import { timingSafeEqual } from "node:crypto";
import type { GatewayKey } from "../../core/keys/key.ts";
import type { ToolSessionStore } from "../../core/tools/session-rows.ts";
import type { Clock, Random, Vault } from "../../core/world/world.ts";
import { ROWS_MAX, SESSION_MS, type ServerSessions } from "../../gateway/tools/server-sessions.ts";

const TIME_BYTES = 6;
const NONCE_BYTES = 12;
const SEAL_CHARACTERS = 43;
const FORM = /^([A-Za-z0-9_-]{24})\.([A-Za-z0-9_-]{43})$/;
/** A server of this name can't be configured: the row says that a client's session has ended. */
const ENDED = "";

interface SessionPorts {
  readonly vault: Pick<Vault, "digest">;
  readonly random: Random;
  readonly clock: Pick<Clock, "nowMs">;
  readonly store: { readonly toolSessions: ToolSessionStore };
  readonly servers: Pick<ServerSessions, "end">;
}

type Holder = Pick<GatewayKey, "id" | "accountId">;

export class ClientSessions {
  readonly #ports: SessionPorts;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  open(key: Holder): string {
    const { random, clock } = this.#ports;
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUIntBE(clock.nowMs(), 0, TIME_BYTES);
    const body = Buffer.concat([time, random.bytes(NONCE_BYTES)]).toString("base64url");
    return `${body}.${this.#seal(key, body)}`;
  }

  /** True if the key has opened the session, it isn't too old, and it hasn't been ended. */
  async knows(key: Holder, id: string): Promise<boolean> {
    const [, body = "", seal = ""] = FORM.exec(id) ?? [];
    if (body === "" || !isSame(seal, this.#seal(key, body))) return false;
    if (this.#ports.clock.nowMs() - readTime(id) > SESSION_MS) return false;
    return (await this.#ports.store.toolSessions.find(this.#findEnd(key, id))) === null;
  }

  /** Ends it on all nodes, with the sessions that servers keep for it. */
  async end(key: Holder, id: string): Promise<void> {
    const { store } = this.#ports;
    const row = { ...this.#findEnd(key, id), keyId: key.id, owner: "", server: ENDED, sealed: "" };
    // Its end need not be known for longer than the session could be used.
    await store.toolSessions.keep({ ...row, usedAtMs: readTime(id) }, ROWS_MAX);
    await this.#ports.servers.end({ accountId: key.accountId, keyId: key.id, session: id });
  }

  #findEnd({ accountId }: Holder, id: string) {
    return { accountId, id: this.#ports.vault.digest(`tool session ended ${id}`) };
  }

  #seal(key: Holder, body: string): string {
    const digest = this.#ports.vault.digest(`tool session ${key.accountId} ${key.id} ${body}`);
    return Buffer.from(digest, "hex").toString("base64url").slice(0, SEAL_CHARACTERS);
  }
}

/** Returns when a session was opened. Its seal has been checked. */
function readTime(id: string): number {
  return Buffer.from(id, "base64url").readUIntBE(0, TIME_BYTES);
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
