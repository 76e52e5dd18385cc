// Records what clients ask a gateway and what reaches its providers, and finds where a prompt changes what stood in it before.
import { asArray, asObject, type JsonObject, parseJson } from "../../../src/core/json/json.ts";
import type { Fetch } from "../../../src/core/world/world.ts";
import { readEnd, readFront } from "../../whole/prefix/conversations.ts";
import { type AgentWorld, startAgentWorld } from "../world.ts";

/** A conversation's requests, as the client sent them and as they reached the provider. */
export interface Taken {
  readonly asked: readonly JsonObject[];
  readonly sent: readonly JsonObject[];
  /** The number of calls that the provider refused. */
  readonly refused: number;
}

export interface Recorded {
  readonly world: AgentWorld;
  /** Stands between the clients and the gateway. */
  readonly url: string;
  /** Returns the requests since the last call that offer tools and contain the word: a client may send some of its own. */
  take(word: string): Taken;
  stop(): Promise<void>;
}

export async function startRecorded(): Promise<Recorded> {
  let asked: JsonObject[] = [];
  let sent: JsonObject[] = [];
  let refused = 0;
  const recording: Fetch = async (url, init) => {
    const request = new Request(url, init);
    sent.push(asObject(parseJson(await request.clone().text())));
    const answer = await fetch(request);
    if (!answer.ok) refused++;
    return answer;
  };
  const world = await startAgentWorld(undefined, { fetch: recording });
  const relay = startRelay(world.url, (body) => asked.push(body));
  return {
    world,
    url: relay.url.origin,
    take(word) {
      const isMain = (body: JsonObject) =>
        asArray(body.tools).length > 0 && JSON.stringify(body).includes(word);
      const taken = { asked: asked.filter(isMain), sent: sent.filter(isMain), refused };
      [asked, sent, refused] = [[], [], 0];
      return taken;
    },
    async stop() {
      await relay.stop(true);
      await world.stop();
    },
  };
}

function startRelay(target: string, onBody: (body: JsonObject) => void) {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const text = await request.text();
      onBody(asObject(parseJson(text)));
      headers.delete("host");
      const body = method === "GET" ? {} : { body: text };
      const answer = await fetch(target + pathname + search, { method, headers, ...body });
      const kept = new Headers(answer.headers);
      for (const name of ["content-encoding", "content-length"]) kept.delete(name);
      return new Response(answer.body, { status: answer.status, headers: kept });
    },
  });
}

/** Everything that is read of a request, in its order. */
function listRead(body: JsonObject): readonly unknown[] {
  const { tools, system, turns } = readFront(body);
  return [tools, system, ...turns, ...readEnd(body)];
}

function grows(before: JsonObject, after: JsonObject): boolean {
  const earlier = listRead(before);
  return Bun.deepEquals(listRead(after).slice(0, earlier.length), earlier);
}

/** Lists the turns in which the provider reads something else than before although the client only added. */
export function listBroken({ asked, sent }: Taken): readonly string[] {
  if (asked.length !== sent.length) return [`${asked.length} asked, ${sent.length} sent`];
  return sent.flatMap((body, at) => {
    const [earlier, own, earlierOwn] = [sent[at - 1], asked[at], asked[at - 1]];
    if (earlier === undefined || own === undefined || earlierOwn === undefined) return [];
    // The changes that a client makes itself are its own.
    return grows(earlier, body) || !grows(earlierOwn, own) ? [] : [`turn ${at + 1}`];
  });
}

const THOUGHT = /"(signature|thoughtSignature|encrypted_content|reasoning_details|reasoning_content)":/;

/** True if a body of a later turn has thinking. */
export function hasThinking(bodies: readonly JsonObject[]): boolean {
  return bodies.some((body) => THOUGHT.test(JSON.stringify(body)));
}

export const SEEN_HEAD =
  "client | model | turns | refused | the client returns thinking | it reaches the provider";

export function tellSeen(name: string, model: string, { asked, sent, refused }: Taken): string {
  return [name, model, sent.length, refused, hasThinking(asked), hasThinking(sent)].join(" | ");
}
