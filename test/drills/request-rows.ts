// The requests whose costs are counted, made from rows: each of a row's bodies differs in one text alone, by as many bytes.
import type { Request } from "./costs.ts";
import type { MeasuredGateway } from "./measured-gateway.ts";

export const WORDS = "The words of turn";
const BATCH = 4;

export interface RequestRow {
  readonly name: string;
  readonly body: object;
  /** Chat completions' by default. */
  readonly path?: string;
  readonly isPaid?: boolean;
  /** The text of the body that differs each time, if it isn't `WORDS`. */
  readonly words?: string;
  /** The requests of a batch, if they are fewer than usual. */
  readonly count?: number;
}

/** Returns what makes bodies that differ in one text alone. */
export function varyWords(body: object, words: string): () => string {
  const [before = "", after = ""] = JSON.stringify(body).split(words);
  let turn = 1_000_000;
  return () => `${before}${words} ${turn++}${after}`;
}

/** Returns the secrets of a key without an allowance, which would end, and of one that pays. */
export async function makeKeys(
  gateway: MeasuredGateway,
): Promise<{ readonly free: string; readonly payer: string }> {
  const free = await gateway.admin("/keys", { name: "free", requests_per_day: null });
  const { id } = await gateway.admin("/accounts", { name: "payer" });
  await gateway.admin(`/accounts/${id}/topups`, { amount_usd: 100 });
  const payer = await gateway.admin("/keys", { name: "payer", account_id: id, requests_per_day: 0 });
  return { free: String(free.secret), payer: String(payer.secret) };
}

export async function makeRequests(
  gateway: MeasuredGateway,
  rows: readonly RequestRow[],
): Promise<readonly Request[]> {
  const keys = await makeKeys(gateway);
  return rows.map(
    ({ name, body, path = "/v1/chat/completions", isPaid = false, words = WORDS, count = BATCH }) => {
      const makeBody = varyWords(body, words);
      const secret = isPaid ? keys.payer : keys.free;
      const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
      const send = async () => {
        const response = await fetch(gateway.url + path, { method: "POST", headers, body: makeBody() });
        const text = await response.text();
        if (!response.ok) throw new Error(`${name}: ${text}`);
      };
      return { name, count, send };
    },
  );
}
