// One connection to a server of the store's address, from its opening to its end.
import type { ReservedSQL, SQL } from "bun";
import type { PostgresHost } from "../../core/world/postgres-address.ts";
import { type ConnectionSettings, makeClient } from "./client.ts";
import { isOutage, UnreachableError, UntrustedError } from "./failures.ts";

const CONNECT_MS = 1000;

export interface SessionOptions {
  /** Set on the connection at its start. */
  readonly settings: ConnectionSettings;
  /** If missing, the address decides. */
  readonly prepare?: boolean | undefined;
  /** True if a pooler stands between, which has connections of its own to the server. */
  readonly isPooled?: boolean | undefined;
}

/**
 * Ends the pooler's connection too: otherwise it would be handed out again, and lead to the old primary for as long as that runs.
 * One that can be written stays, since the pooler may run this statement on another than the one before.
 */
export const END_READ_ONLY =
  "SELECT pg_terminate_backend(pg_backend_pid()) WHERE current_setting('transaction_read_only') = 'on'";

interface HostPlace {
  readonly host: PostgresHost;
  /** The IP address to connect to. Null leaves it to the address. */
  readonly ip: string | null;
  readonly needsWritable: boolean;
}

interface Life {
  isOver: boolean;
  onEnd: () => void;
}

export class Session {
  readonly reserved: ReservedSQL;
  readonly isPooled: boolean;
  readonly #client: SQL;
  readonly #life: Life;

  private constructor(client: SQL, reserved: ReservedSQL, life: Life, isPooled: boolean) {
    this.#client = client;
    this.reserved = reserved;
    this.#life = life;
    this.isPooled = isPooled;
  }

  /** Connects. Throws the database's errors, and an UnreachableError for all others. */
  static async open(place: HostPlace, options: SessionOptions): Promise<Session> {
    try {
      return await Session.#connect(place, options);
    } catch (error) {
      if (isOutage(error)) throw error;
      // Such as a certificate that isn't trusted, or whose file can't be read.
      throw new UntrustedError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  static async #connect(place: HostPlace, options: SessionOptions): Promise<Session> {
    const life: Life = { isOver: false, onEnd: () => {} };
    const { isPooled = false } = options;
    const client = makeClient(place.host.url, {
      ...options,
      ip: place.ip,
      onClose: () => {
        life.isOver = true;
        life.onEnd();
      },
    });
    const late = new UnreachableError(`The database did not answer within ${CONNECT_MS} ms.`);
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(late), CONNECT_MS);
    try {
      const reserved = await Promise.race([connect(client, place, isPooled), promise]);
      return new Session(client, reserved, life, isPooled);
    } catch (error) {
      endClient(client);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** True if it has been closed, by the server or by this side. */
  get isOver(): boolean {
    return this.#life.isOver;
  }

  /** Calls back once when it has ended, however it did. */
  onEnd(then: () => void): void {
    this.#life.onEnd = then;
  }

  /** Ends it at once, with whatever runs on it. */
  close(): void {
    endClient(this.#client);
  }
}

function endClient(client: SQL): void {
  void client.close({ timeout: 0 }).catch(() => {});
}

async function connect(client: SQL, { needsWritable }: HostPlace, isPooled: boolean): Promise<ReservedSQL> {
  const reserved = await client.reserve();
  if (!needsWritable) return reserved;
  const [found] = await reserved.unsafe("SELECT current_setting('transaction_read_only') AS read_only");
  if (found?.read_only === "off") return reserved;
  if (isPooled) await reserved.unsafe(END_READ_ONLY).catch(() => {});
  throw new UnreachableError("The server is read-only.");
}
