// Bun's client of a database server, with a single connection.

import { SQL } from "bun";

/** Settings of the server for one connection, sent at its start. */
export type ConnectionSettings = Readonly<Record<string, string>>;

const APPLICATION = { application_name: "poundkey" };

interface ClientOptions {
  readonly settings: ConnectionSettings;
  /** If missing, the address decides. */
  readonly prepare?: boolean | undefined;
  /** Connects to this IP address of the host that the address names. */
  readonly ip: string | null;
  readonly onClose: () => void;
}

/** The first of Bun's SSL modes, as numbers, that require TLS: below are "disable" and "prefer". */
const TLS_REQUIRED = 2;

/** Makes a client with a single connection, which opens at the first use. Throws if the address is malformed. */
export function makeClient(url: string, { settings, prepare, ip, onClose }: ClientOptions): SQL {
  const options = {
    // Also passed separately, because PGDATABASE in the environment would override the address.
    ...readDatabase(url),
    ...(prepare === undefined ? {} : { prepare }),
    max: 1,
    // The callers limit the time, also of being idle. Bun would repeat a refused connection for as long, whatever comes after it.
    connectionTimeout: 0,
    idleTimeout: 0,
    connection: { ...APPLICATION, ...settings },
    onclose: onClose,
  };
  const named = new SQL(url, options);
  if (ip === null) return named;
  // The certificate is the name's, not the IP address's.
  const needsTls = Number(Reflect.get(named.options, "sslMode")) >= TLS_REQUIRED;
  const tls = needsTls ? { tls: { serverName: new URL(url).hostname } } : {};
  return new SQL(url, { ...options, ...tls, hostname: ip });
}

function readDatabase(url: string): { database: string } | object {
  const database = decodeURIComponent(new URL(url).pathname.slice(1));
  return database === "" ? {} : { database };
}
