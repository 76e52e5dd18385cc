// Reads the address of a PostgreSQL store: the hosts that it lists, and which of its parameters have an effect.

/** One server of an address. */
export interface PostgresHost {
  /** The whole address with this host alone. */
  readonly url: string;
  /** The name or IP address to connect to. Null if it isn't in the usual place: a socket, or `?host=`. */
  readonly name: string | null;
}

export interface PostgresAddress {
  readonly hosts: readonly PostgresHost[];
  /** True if a server that only reads is passed over. */
  readonly needsWritable: boolean;
  /** The path of the database in the address, such as `/poundkey`. */
  readonly database: string;
  readonly parameters: URLSearchParams;
}

const PARTS = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)([/?#].*)?$/s;
const HOSTS_MAX = 16;
const SESSION_ATTRS = "target_session_attrs";
/** Values of `target_session_attrs`, and whether they ask for a server that can be written. */
const SESSIONS: Readonly<Record<string, boolean>> = { any: false, "read-write": true, primary: true };

const SSL_MODES: readonly string[] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/** Parameters that the gateway sets itself, or that only concern libpq. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  "application_name",
  "fallback_application_name",
  "max",
  "max_lifetime",
  "foundrows",
  "connect_timeout",
  "idle_timeout",
  "statement_timeout",
  "lock_timeout",
  "idle_in_transaction_session_timeout",
  "load_balance_hosts",
  "tcp_user_timeout",
  "keepalives",
  "keepalives_idle",
  "keepalives_interval",
  "keepalives_count",
  "sslnegotiation",
  "sslcompression",
  "gssencmode",
]);
/** The parameters that count, for a message. All others are sent to the server, which refuses unknown ones. */
const COUNTING =
  "target_session_attrs, sslmode, sslrootcert, sslcert, sslkey, sslpassword, channel_binding, prepare, and the server's own, such as options and search_path";

/** Returns null if the address is malformed. `findAddressMistake` says more of one that isn't. */
export function parsePostgresAddress(address: string): PostgresAddress | null {
  const [, scheme, user = "", list, rest = ""] = PARTS.exec(address) ?? [];
  if (scheme === undefined || list === undefined) return null;
  const names = list.split(",");
  const urls = names.map((name) => URL.parse(`${scheme}${user}${name}${rest}`));
  const hosts = urls.flatMap((url) => (url === null ? [] : [readHost(url)]));
  const [first] = urls;
  if (!first || hosts.length < names.length || (names.length > 1 && names.includes(""))) return null;
  const { searchParams: parameters, pathname: database } = first;
  const session = parameters.get(SESSION_ATTRS);
  const needsWritable = session === null ? hosts.length > 1 : SESSIONS[session] === true;
  return { hosts, needsWritable, database, parameters };
}

function readHost(url: URL): PostgresHost {
  const { hostname, searchParams } = url;
  const isElsewhere = ["host", "path", "socket"].some((name) => searchParams.has(name));
  const isSocket = hostname === "" || /^%2f/i.test(hostname);
  const name = isElsewhere || isSocket ? null : hostname.replace(/^\[|\]$/g, "");
  return { url: url.href, name };
}

/** Returns what is wrong with the address of a PostgreSQL store, without its values, or null. */
export function findAddressMistake(address: string): string | null {
  const parsed = parsePostgresAddress(address);
  if (parsed === null) return "expected an address like postgres://host:5432/database";
  if (parsed.hosts.length > HOSTS_MAX) return `lists more than ${HOSTS_MAX} hosts`;
  const { parameters } = parsed;
  if (parameters.get("host")?.includes(","))
    return "lists several hosts in a parameter; expected them before the path, as in postgres://host1:5432,host2:5432/database";
  const mode = parameters.get("sslmode");
  if (mode !== null && !SSL_MODES.includes(mode))
    return `expected sslmode to be one of ${SSL_MODES.join(", ")}`;
  const session = parameters.get(SESSION_ATTRS);
  if (session === null || Object.hasOwn(SESSIONS, session)) return null;
  return `expected ${SESSION_ATTRS} to be read-write, primary or any, since the store has to be written`;
}

/** Warns of parameters that have no effect. Null if there are none. */
export function warnOfParameters(address: string): string | null {
  const parsed = parsePostgresAddress(address);
  if (parsed === null) return null;
  const idle = [...parsed.parameters.keys()].filter((name) => WITHOUT_EFFECT.has(name.toLowerCase()));
  if (idle.length === 0) return null;
  const verb = idle.length === 1 ? "has" : "have";
  return `${idle.join(", ")} in the address ${verb} no effect, and the next release will refuse such parameters; those that count are ${COUNTING}`;
}
