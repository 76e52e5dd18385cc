// The recorded requests as their surfaces read them, and the bodies that each would send: in every dialect and natively.

import { Fault } from "../../../src/core/faults/fault.ts";
import { asObject, asString, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import { CAPABILITIES } from "../../../src/core/models/card.ts";
import type { Outgoing } from "../../../src/core/models/dialect.ts";
import { DIALECTS } from "../../../src/core/models/dialect-names.ts";
import type { ChangeText } from "../../../src/core/text/texts.ts";
import type { Form } from "../../../src/operations/form.ts";
import { listInOrder, listTexts, type OrderedText } from "../../../src/operations/ordered-texts.ts";
import { findDialect } from "../../../src/providers/index.ts";
import { changeAsked, collectAsked } from "../../../src/steps/hooks/texts.ts";
import { SURFACES } from "../../../src/surfaces/index.ts";
import type { Exchange, Incoming, Surface } from "../../../src/surfaces/surface.ts";
import { makeModelCard } from "../../harness/cards.ts";
import { fixturesFolder } from "../../recorded/load.ts";
import { readRows } from "../../recorded/rows.ts";
import { incoming } from "../../surfaces/recorded.ts";

/** The surface that reads the requests of a recorded API. */
const PATHS: Readonly<Record<string, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
  "vertex-rawPredict": "/v1/messages",
  "bedrock-invoke": "/v1/messages",
  "bedrock-invoke-stream": "/v1/messages",
  "gemini-generateContent": "/v1beta/models/m:generateContent",
  "gemini-streamGenerateContent": "/v1beta/models/m:streamGenerateContent",
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
  rerank: "/v1/rerank",
  moderations: "/v1/moderations",
  "images-generations": "/v1/images/generations",
  "audio-speech": "/v1/audio/speech",
};

/** A request with the surface that reads it. */
export interface Given {
  readonly id: string;
  readonly path: string;
  readonly body: JsonObject;
}

export function listRecorded(): readonly Given[] {
  return readRows(fixturesFolder()).flatMap(({ row }) => {
    const path = PATHS[String(row.api)];
    const { body } = asObject(row.request);
    if (path === undefined || !isObject(body)) return [];
    // Clouds name the model in the address.
    const named = path.startsWith("/v1beta") ? {} : { model: asString(body.model) ?? "m" };
    const limited = path === "/v1/messages" ? { max_tokens: body.max_tokens ?? 100 } : {};
    return [{ id: String(row.id), path, body: { ...body, ...named, ...limited } }];
  });
}

/** A request that was read, with functions that don't depend on its operation. */
export interface Request {
  /** True if both of its forms stay the same objects. */
  isSameAfter(change: ChangeText): boolean;
  /** The texts of both forms with their places, sorted: found in one walk, and in steps. */
  listTexts(): { readonly inOneWalk: readonly string[]; readonly inSteps: readonly string[] };
  /** The bodies sent, by dialect, after its texts were changed. */
  encode(change: ChangeText): readonly Sent[];
  /** The same after a hook has changed every text. Throws the Fault of a request that can't be changed. */
  encodeHooked(change: (text: string) => string): readonly Sent[];
}

export interface Sent {
  readonly dialect: string;
  readonly body: JsonObject;
}

/** Null if its surface refuses it, as it does what belongs to the provider's account. */
export function readRequest({ path, body }: Given): Request | null {
  const pattern = path.startsWith("/v1beta") ? "/v1beta/models/*" : path;
  const surface = SURFACES.find((one) => one.path === pattern)?.surface;
  if (!surface) throw new Error(`No surface serves ${path}.`);
  const given = incoming(structuredClone(body), path);
  const limits = { ...given.limits, remoteTools: true };
  try {
    return surface.use((own) => makeRequest(own, { ...given, limits }));
  } catch (thrown) {
    if (thrown instanceof Fault) return null;
    throw thrown;
  }
}

function makeRequest<F extends Form>(surface: Surface<F>, given: Incoming): Request {
  const { operation } = surface;
  const exchange: Exchange<F> = surface.read(given);
  return {
    isSameAfter(change) {
      const { ask, raw } = exchange;
      const isSame = operation.mapTexts(ask, change) === ask;
      return isSame && (raw === null || raw.texts.mapRequest(raw.body, change) === raw.body);
    },
    listTexts() {
      const { ask, raw } = exchange;
      const walks = [
        listBothWays(ask, operation.mapTexts),
        raw && listBothWays(raw.body, raw.texts.mapRequest),
      ];
      const both = walks.flatMap((walk) => walk ?? []);
      return {
        inOneWalk: both.flatMap(({ inOneWalk }) => inOneWalk),
        inSteps: both.flatMap(({ inSteps }) => inSteps),
      };
    },
    encode: (change) => encodeAll(surface, exchange, change),
    encodeHooked: (change) => encodeAll(surface, hook(surface, exchange, change), (text) => text),
  };
}

function listBothWays<Body extends object>(body: Body, walk: (body: Body, change: ChangeText) => object) {
  const show = ({ text, place: { kind, path, isSealed, field } }: OrderedText) =>
    JSON.stringify([path, kind, isSealed, field, text]);
  const steps = listInOrder(body, walk);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return {
    inOneWalk: listTexts((change) => walk(body, change))
      .map(show)
      .toSorted(),
    inSteps: step.value.map(show).toSorted(),
  };
}

function hook<F extends Form>(
  { operation }: Surface<F>,
  exchange: Exchange<F>,
  change: (text: string) => string,
): Pick<Exchange<F>, "ask" | "raw"> {
  const call = { ...exchange, operation, kept: null };
  return changeAsked(call, new Map(collectAsked(call).map((text) => [text, change(text)])));
}

const TARGET = { baseUrl: "https://upstream.example/v1", secret: null, headers: {}, extraFields: ["*"] };

function encodeAll<F extends Form>(
  { operation }: Surface<F>,
  exchange: Pick<Exchange<F>, "ask" | "raw">,
  change: ChangeText,
): readonly Sent[] {
  const ask = operation.mapTexts(exchange.ask, change);
  const given = exchange.raw;
  const raw = given && { ...given, body: given.texts.mapRequest(given.body, change) };
  const card = makeModelCard("Acme#m", { capabilities: new Set(CAPABILITIES), outputTokensMax: 100_000 });
  return DIALECTS.flatMap((dialect): readonly Sent[] => {
    const codec = operation.findCodec(findDialect(dialect));
    if (!codec) return [];
    const lane = raw && codec.lanes?.[raw.family];
    return [
      ...tryEncode(dialect, () => operation.encode(codec, ask, card, TARGET)),
      ...(raw && lane ? tryEncode(`${dialect}, native`, () => lane.encode(raw, ask, card, TARGET)) : []),
    ];
  });
}

/** Empty if the dialect can't say what the request says. */
function tryEncode(dialect: string, encode: () => Outgoing): readonly Sent[] {
  try {
    const { body, form } = encode();
    return [{ dialect, body: form ? Object.fromEntries(form) : body }];
  } catch (thrown) {
    if (thrown instanceof Fault) return [];
    throw thrown;
  }
}
