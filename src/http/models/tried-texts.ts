// The texts of a body that is only tried, as a step would see them in a request to its path, or in the answer to one, and the
// body with some of them replaced.
import type { JsonObject } from "../../core/json/json.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { Family } from "../../core/models/dialect.ts";
import type { GuardPlace } from "../../core/models/guard.ts";
import type { Limits } from "../../core/settings.ts";
import { suggest } from "../../core/text/nearest.ts";
import type { ChangeText, NativeTexts } from "../../core/text/texts.ts";
import type { Form } from "../../operations/form.ts";
import {
  listInOrder,
  listTexts,
  type OrderedText,
  replaceInOrder,
  type Walk,
} from "../../operations/ordered-texts.ts";
import { mapTextsBut } from "../../operations/text-walk.ts";
import { MESSAGES_TEXTS } from "../../surfaces/anthropic-messages/texts.ts";
import { GEMINI_TEXTS } from "../../surfaces/gemini/texts.ts";
import { SURFACES } from "../../surfaces/index.ts";
import { RESPONSES_TEXTS } from "../../surfaces/openai-responses/texts.ts";
import type { AnySurface, Surface } from "../../surfaces/surface.ts";
import { matchesPath } from "../serve/paths.ts";

interface TriedBody {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly at: GuardPlace;
}

/** The parts of a request in which a step sees more than its texts. */
interface TriedRequest {
  readonly ask: object;
  readonly raw: { readonly body: JsonObject } | null;
  readonly operation: { readonly makes?: "pictures" | "sound" };
}

export interface TriedTexts {
  /** Null for an answer, or a text by itself. */
  readonly request: TriedRequest | null;
  /** The model that the request names. Null in an answer. */
  readonly model: string | null;
  readonly texts: readonly OrderedText[];
  /** Returns the body with the texts of these visits replaced. */
  readonly replace: (replaced: ReadonlyMap<number, string>) => JsonObject;
}

const ANSWERS: Readonly<Partial<Record<Family, NativeTexts>>> = {
  anthropic: MESSAGES_TEXTS,
  gemini: GEMINI_TEXTS,
  responses: RESPONSES_TEXTS,
};
/** The fields of a client's body that are no texts. */
const WORDS: ReadonlySet<string> = new Set(["model"]);
/** Nothing that was sealed is opened. */
const SEALER = { seal: (text: string) => text, open: () => null };

/** Throws the Faults of a path that no surface has, and of a body that its surface doesn't take. */
export function listTriedTexts(tried: TriedBody, limits: Limits): TriedTexts {
  return findSurface(tried.path).use((surface) =>
    tried.at === "request" ? listAsked(surface, tried, limits) : listAnswered(surface, tried),
  );
}

function findSurface(path: string): AnySurface {
  const found =
    SURFACES.find((one) => one.path === path) ?? SURFACES.find((one) => matchesPath(one.path, path));
  if (found) return found.verbs?.[path.split(":").at(-1) ?? ""] ?? found.surface;
  const known = SURFACES.map((one) => one.path);
  throw invalidValue("path", `no API has this path${suggest(path, known) || "; try /v1/chat/completions"}`);
}

function listAsked<F extends Form>(
  surface: Surface<F>,
  { path, body }: TriedBody,
  limits: Limits,
): TriedTexts {
  const { ask, raw } = surface.read({
    url: `http://localhost${path}`,
    headers: new Headers(),
    body,
    limits,
    seal: SEALER,
    keeping: null,
    stored: null,
  });
  const walk = raw?.texts.mapRequest ?? makeWalk(surface, ask);
  return {
    request: { ask, raw, operation: surface.operation },
    model: ask.model,
    texts: takeAll(listInOrder<JsonObject>(body, walk)),
    replace: (replaced) => takeAll(replaceInOrder<JsonObject>(body, walk, replaced)),
  };
}

/** Reaches the texts of a body that no family sends on as it came. */
function makeWalk<F extends Form>({ operation }: Surface<F>, ask: F["ask"]): Walk<JsonObject> {
  const blank = { ...ask };
  for (const field of Object.keys(blank)) Reflect.set(blank, field, undefined);
  return (body, change) =>
    Array.isArray(body.messages)
      ? operation.mapTexts(Object.assign({ ...blank }, body), change)
      : mapTextsBut(body, WORDS, change);
}

/** A tried body is short enough to be walked in one go. */
function takeAll<Result>(steps: Generator<undefined, Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

function listAnswered<F extends Form>({ family, operation }: Surface<F>, { body }: TriedBody): TriedTexts {
  const native = ANSWERS[family];
  if (native) return makeAnswered((change) => native.mapAnswer(body, change));
  const reply = operation.restore(body);
  if (reply === null) throw invalidValue("body", "it is no whole answer of this path");
  return makeAnswered((change) => operation.mapReply(reply, change, null));
}

function makeAnswered(walk: (change: ChangeText) => object): TriedTexts {
  return {
    request: null,
    model: null,
    texts: listTexts(walk),
    replace(replaced) {
      let visit = 0;
      const change: ChangeText = (text) => replaced.get(visit++) ?? text;
      return { ...walk(Object.assign(change, { takesIntegers: true as const })) };
    },
  };
}
