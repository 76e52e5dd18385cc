// The rules of a stranger: it refuses twelve fields and forms by a seed, each in one of the public sentences.
import { asObject, isObject, type JsonObject } from "../../../src/core/json/json.ts";
import { Dice } from "../../sim/dice.ts";
import { findRefusable, listFields, type Wire } from "./forms.ts";
import { SENTENCES, type Sentence } from "./sentences.ts";

export interface Rule {
  readonly wire: Wire;
  readonly sentence: Sentence;
  /** The path of the field, or the form's name. */
  readonly refuses: string;
  readonly isIn: (body: JsonObject) => boolean;
  /** True if a gateway can tell what is refused, and can say the same without it. */
  readonly canMend: boolean;
  readonly kind: string;
}

const COUNT = 12;

/** Returns the rules of a stranger, in the order in which it checks them. Fewer than twelve if its API has no more. */
export function chooseRules(wire: Wire, seed: number): readonly Rule[] {
  const dice = new Dice(seed);
  const left = shuffle(listRules(wire), dice);
  const chosen: Rule[] = [];
  // Different sentences first, then further things that the same sentences can refuse.
  for (const isAgain of [false, true])
    for (const rule of left) {
      const isUsed = chosen.some(
        (one) => one.kind === rule.kind || (!isAgain && one.sentence === rule.sentence),
      );
      if (!isUsed && chosen.length < COUNT) chosen.push(rule);
    }
  return chosen;
}

/** Returns all that the sentences can refuse in an API. */
export function listRules(wire: Wire): readonly Rule[] {
  return SENTENCES.filter(({ wires }) => wires.includes(wire)).flatMap((sentence) => {
    const { refuses, fields, family } = sentence;
    // A field within a list has its own sentences: few servers name its place in the form of the others.
    const usual = listFields(wire).filter((path) => !path.includes("*"));
    const names = refuses === "field" ? (fields ?? usual) : [refuses];
    return names.flatMap((name): readonly Rule[] => {
      const found = findRefusable(wire, name);
      if (found === null) return [];
      const { isIn, canChange, kind = name } = found;
      return [{ wire, sentence, refuses: name, isIn, canMend: canChange && family !== null, kind }];
    });
  });
}

function shuffle<One>(list: readonly One[], dice: Dice): readonly One[] {
  return list
    .map((one) => ({ one, at: dice.next() }))
    .toSorted((first, second) => first.at - second.at)
    .map(({ one }) => one);
}

/** Returns the answer to a request that the rule refuses. */
export function writeRefusal(rule: Rule): Response {
  const { status, body } = rule.sentence;
  const filled = fill(body, rule);
  return typeof filled === "string" ? new Response(filled, { status }) : Response.json(filled, { status });
}

/**
 * Returns a pattern of the sentence, the longest text of its body. The field may have the name that the client's API has for it,
 * and addresses may be left out.
 */
export function matchSentence({ sentence }: Rule): RegExp {
  const [said = ""] = listTexts(sentence.body).toSorted((one, other) => other.length - one.length);
  const pieces = said.split(/\{(?:field|name|parent|camel)\}|https?:\/\/\S+/);
  return new RegExp(pieces.map((piece) => RegExp.escape(piece)).join(".+?"));
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

function fill(body: unknown, rule: Rule): unknown {
  if (typeof body === "string") return fillText(body, rule.refuses);
  if (Array.isArray(body)) return body.map((item) => fill(item, rule));
  if (!isObject(body)) return body;
  return Object.fromEntries(Object.entries(asObject(body)).map(([name, value]) => [name, fill(value, rule)]));
}

function fillText(text: string, path: string): string {
  const steps = path.split(".");
  const name = steps.at(-1) ?? "";
  const words: Readonly<Record<string, string>> = {
    "{field}": path.replace("*", "0"),
    "{name}": name,
    "{parent}": steps
      .slice(0, -1)
      .join(".")
      .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    "{camel}": (path.includes("*") ? name : path).replace(/[._](\w)/g, (_, letter: string) =>
      letter.toUpperCase(),
    ),
  };
  return text.replace(/\{(field|name|parent|camel)\}/g, (place) => words[place] ?? place);
}
