// The judge of a day: compares the answers of clients, and the calls that servers saw, with the rows.
import type { JsonObject } from "../../../../src/core/json/json.ts";
import type { ToolServerFake } from "../../../simulator/tools/tool-server.ts";
import { listResults, type Sent } from "./clients.ts";

export const toNano = (usd: unknown) => Math.round(Number(usd) * 1e9);

type Servers = Readonly<Record<string, ToolServerFake>>;

interface Evidence {
  readonly sent: readonly Sent[];
  readonly rows: readonly JsonObject[];
  /** The calls of what was sent that they have carried out, and no others. */
  readonly servers: Readonly<Record<string, Pick<ToolServerFake, "texts" | "spoiled">>>;
  /** In nano-dollars, with the markup. */
  readonly price: number;
}

/** Returns what is wrong with what was sent and charged, in words. */
export function judgeRequests({ sent, rows, servers, price }: Evidence): readonly string[] {
  const ran = new Map<string, number>();
  const spoiled = new Set(Object.values(servers).flatMap((server) => server.spoiled));
  for (const text of Object.values(servers).flatMap((server) => server.texts))
    ran.set(text, (ran.get(text) ?? 0) + 1);
  const byRequest = Map.groupBy(rows, ({ request_id: id }) => String(id));
  const byOnce = Map.groupBy(sent, ({ manner }) => manner.once);
  const seen = { ran, spoiled, price };
  return [
    ...listRunTwice(sent, ran),
    ...sent.flatMap((one) => {
      const own = byRequest.get(one.requestId) ?? [];
      const sharing = one.manner.once === null ? [] : (byOnce.get(one.manner.once) ?? []);
      const shared = sharing.flatMap(({ requestId }) => byRequest.get(requestId) ?? []);
      return judgeOne(one, { own, shared }, seen);
    }),
    ...judgeOnce(sent, byRequest),
  ];
}

/** A session, and a credential, is one owner's alone. */
export function judgeServers(servers: Servers): readonly string[] {
  return Object.entries(servers).flatMap(([name, server]) => judgeServer(name, server));
}

/** Only a client that got no result, and asks again, may have a tool run again. */
function listRunTwice(sent: readonly Sent[], ran: ReadonlyMap<string, number>): readonly string[] {
  const cuts = new Map<string, number>();
  const texts = sent.flatMap((one) => one.texts.map((text) => ({ text, one })));
  for (const { text, one } of texts) cuts.set(text, (cuts.get(text) ?? 0) + (hasResult(one, text) ? 0 : 1));
  return [...ran].flatMap(([text, times]) =>
    times > 1 + (isKept(sent, text) ? (cuts.get(text) ?? 0) : 0) ? [`'${text}' ran ${times} times`] : [],
  );
}

/** An answer that its client's time limit has ended lacks the results that came too late. */
function hasResult({ outcome, isLoop, node }: Sent, text: string): boolean {
  if (outcome?.kind !== "answer" || node.life.isOver) return false;
  return !isLoop || listResults(outcome.body).some(({ output }) => output === `echo: ${text}`);
}

function isKept(sent: readonly Sent[], text: string): boolean {
  return sent.some(({ manner, texts }) => manner.once !== null && texts.includes(text));
}

interface Seen {
  readonly ran: ReadonlyMap<string, number>;
  readonly spoiled: ReadonlySet<string>;
  readonly price: number;
}

interface Rows {
  readonly own: readonly JsonObject[];
  /** Those of all requests with its Idempotency-Key. Empty without one. */
  readonly shared: readonly JsonObject[];
}

function judgeOne(one: Sent, { own: rows, shared }: Rows, seen: Seen): readonly string[] {
  const problems: string[] = [];
  const { outcome } = one;
  const calls = rows.filter(({ operation }) => operation === "tool");
  const paid = calls.filter(({ charged_usd: charged }) => charged !== 0);
  const say = (words: string) =>
    void problems.push(`${one.requestId}: ${words}: ${JSON.stringify({ ...one, node: one.node.url, rows })}`);
  if (paid.some(({ charged_usd: charged }) => toNano(charged) !== seen.price))
    say("a call with another price");
  const carriedOut = one.texts.filter((text) => seen.ran.has(text)).length;
  // One that its client ended is paid once it was sent, though it may not have reached its server.
  const isLimited = one.isLoop && one.manner.limitSeconds !== null;
  const isEnded = outcome?.kind === "left" || isOwnEnd(one) || isLimited;
  if (paid.length > (one.manner.once === null && !isEnded ? carriedOut : one.texts.length))
    say(`${paid.length} calls paid, ${carriedOut} carried out`);
  if (one.mayCall === false && carriedOut > 0) say("a call without the right");
  if (outcome === null) say("no outcome");
  else if (outcome.kind === "answer")
    one.manner.once === null ? judgeAnswer(one, rows, say) : judgeShared(one, shared, say);
  else if (outcome.kind === "refused" && !isOwnEnd(one) && sumUp(rows) !== 0)
    say("a refusal that is charged");
  else if (isEnded && !(one.isLoop || one.isShaken || one.node.life.isOver)) {
    const whole = one.texts.filter((text) => seen.ran.has(text) && !seen.spoiled.has(text)).length;
    if (one.manner.once === null && paid.length < whole) say("a client that left, and didn't pay");
  }
  return problems;
}

/** True if its client ended it, which pays for what was sent. */
function isOwnEnd({ manner, outcome }: Sent): boolean {
  if (outcome?.kind !== "refused") return false;
  return manner.limitSeconds === null ? outcome.code === "client_gone" : outcome.code.endsWith("_timeout");
}

function sumUp(rows: readonly JsonObject[]): number {
  return rows.reduce((sum, { charged_usd: charged }) => sum + toNano(charged), 0);
}

function judgeAnswer(one: Sent, rows: readonly JsonObject[], say: (words: string) => void): void {
  const { outcome, isLoop } = one;
  if (outcome?.kind !== "answer") return;
  const { answered, paid } = countCalls(rows);
  const results = isLoop ? listResults(outcome.body).length : 1;
  // A result that comes as its client's time ends is paid, though the answer doesn't have it.
  const isRight = one.manner.limitSeconds === null ? paid === results : paid >= results;
  if (!isRight || answered < results) say(`${results} results`);
  if (sumUp(rows) !== toNano(outcome.chargedUsd)) say("another sum than its rows'");
}

/** Of several requests with one Idempotency-Key, each makes some of the calls, and the others repeat them. */
function judgeShared(one: Sent, rows: readonly JsonObject[], say: (words: string) => void): void {
  const { outcome, isLoop } = one;
  if (outcome?.kind !== "answer") return;
  const { answered, paid } = countCalls(rows);
  const results = isLoop ? listResults(outcome.body).length : 1;
  if (Math.min(answered, paid) < results) say(`${results} results, ${paid} paid by all with its key`);
  if (sumUp(rows) < toNano(outcome.chargedUsd)) say("more than all the rows of its key");
}

function countCalls(rows: readonly JsonObject[]): { readonly answered: number; readonly paid: number } {
  const calls = rows.filter(({ operation }) => operation === "tool");
  return {
    answered: calls.filter(({ outcome }) => outcome === "answered").length,
    paid: calls.filter(({ charged_usd: charged }) => charged !== 0).length,
  };
}

/** An Idempotency-Key is charged for once, if all who sent it got one answer: a call that failed is made again for the next. */
function judgeOnce(
  sent: readonly Sent[],
  rows: ReadonlyMap<string, readonly JsonObject[]>,
): readonly string[] {
  const kept = Map.groupBy(
    sent.filter(({ manner }) => manner.once !== null),
    ({ manner }) => manner.once,
  );
  return [...kept].flatMap(([once, all]) => {
    const told = new Set(
      all.map(({ outcome }) => (outcome?.kind === "answer" ? toNano(outcome.chargedUsd) : null)),
    );
    const [one] = told;
    if (told.size > 1 || one === null || all.some(({ node }) => node.life.isOver)) return [];
    const charged = all.map(({ requestId }) => sumUp(rows.get(requestId) ?? []));
    return charged.reduce((sum, more) => sum + more, 0) === one
      ? []
      : [`${once}: charged ${charged}, told ${one}`];
  });
}

function judgeServer(name: string, server: ToolServerFake): readonly string[] {
  const problems = server.mistakes.map((mistake) => `${name}: ${mistake}`);
  const owners = new Map<string, string>();
  for (const { headers, params } of server.listSeen("tools/call")) {
    const owner = readOwner(params);
    const { "mcp-session-id": session, authorization } = headers;
    if (session !== undefined && owners.getOrInsertComputed(session, () => owner) !== owner)
      problems.push(`${name}: ${session} of ${owners.get(session)} was used for ${owner}`);
    if (authorization !== (name === "guarded" ? `Bearer ${owner}` : undefined))
      problems.push(`${name}: ${authorization} for ${owner}`);
  }
  return problems;
}

function readOwner({ arguments: given }: JsonObject): string {
  const text = typeof given === "object" && given !== null && "text" in given ? String(given.text) : "";
  return text.split(" ")[0] ?? "";
}
