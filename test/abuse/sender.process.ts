// Sends one hostile request, or its harmless counterpart, as often as the parent process asks for.
import { HOSTILE, type Request } from "./hostile.ts";

export interface Order {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly isHostile: boolean;
  /** Null for as long as it takes. */
  readonly seconds: number | null;
  /** The most requests that are sent, spread over the time. */
  readonly count: number | null;
  readonly lanes: number;
}

export interface Sent {
  readonly count: number;
  readonly statuses: Readonly<Record<string, number>>;
}

const PATIENT_MS = 90_000;
const row = HOSTILE.find(({ name }) => name === process.argv[2]);
if (!row) throw new Error("There is no such row.");
const hostile = row.make();
const plain = row.plain(hostile.body.length);
let number = 0;

async function send(url: string, secret: string, { path, type, body, headers }: Request): Promise<string> {
  const isNumbered = body.length < 1000 && body.includes("NUMBER");
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": type, ...headers },
    body: isNumbered ? body.toString().replace("NUMBER", `${number++}`) : body,
    signal: AbortSignal.timeout(PATIENT_MS),
  });
  const text = await response.text();
  const code = response.ok ? "" : ` ${/"(?:code|type|status)": ?"([^"]+)"[^{]*$/.exec(text)?.[1] ?? ""}`;
  return `${response.status}${code}`;
}

async function obey({ url, secrets, isHostile, seconds, count, lanes }: Order): Promise<Sent> {
  const request = isHostile ? hostile : plain;
  const statuses: Record<string, number> = {};
  const startedMs = performance.now();
  const endMs = startedMs + (seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const everyMs = count === null || seconds === null ? 0 : (seconds * 1000) / count;
  let sent = 0;
  const lane = async () => {
    while (sent < (count ?? Number.POSITIVE_INFINITY)) {
      const at = sent++;
      const dueMs = startedMs + at * everyMs;
      if (dueMs > performance.now()) await Bun.sleep(dueMs - performance.now());
      if (performance.now() >= endMs) return;
      const status = await send(url, secrets[at % secrets.length] ?? "", request).catch(
        (thrown: unknown) => `failed: ${thrown instanceof Error ? thrown.name : thrown}`,
      );
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { count: Object.values(statuses).reduce((sum, one) => sum + one, 0), statuses };
}

process.on("message", (order: Order) => {
  void obey(order).then((sent) => process.send?.(sent));
});
process.send?.("ready");
