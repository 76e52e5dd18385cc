// The gateway's changes to a generateContent request, passed on or translated: one row per field, with its reason.

import { asArray, asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import { isSecureUrl } from "../../operations/chat/prompt/address.ts";
import { type LaneRules, passes, refuseUnknown } from "../known.ts";
import {
  explainInstructions,
  explainShared,
  type LaneResult,
  LaneTable,
  OTHER_TIERS,
  refuseField,
} from "../lane.ts";
import { type Path, rewriteBody, type Visitor } from "../raw-body.ts";
import { isOurSignature } from "../signature.ts";
import { GRAMMAR, type Kind, PART, SEARCH_TOOLS, TOOLS } from "./known.ts";
import { readSignature } from "./signature.ts";
import { toDocumented } from "./spelling.ts";

export const BODY = new LaneTable(
  {
    cachedContent: explainShared("A cache"),
    ...explainInstructions("systemInstruction", "system_instruction"),
  },
  {
    serviceTier: OTHER_TIERS,
    labels: "Labels appear on the operator's bill.",
    store: "The operator decides what is logged.",
  },
);

const OTHER_MODEL = "Another model has a different price.";
const CONFIG = new LaneTable(
  { outputConfig: explainShared("A storage bucket") },
  { routingConfig: OTHER_MODEL, modelConfig: OTHER_MODEL, modelSelectionConfig: OTHER_MODEL },
);

/** Only the body itself has tools. Nobody would hold for others. */
const STRAY_TOOLS = /^(contents(\[\d+\])?|systemInstruction)\.tools$/;

/** The model decides how many queries it makes, each of which is billed (ai.google.dev/gemini-api/docs/pricing). */
const SEARCHES_MAX = 5;
const SEARCHES: ReadonlySet<string> = new Set(SEARCH_TOOLS);

/** Returns the body, in the documented spelling, as it may be sent. Throws a Fault for what is refused. */
export function applyLane(given: JsonObject, rules: LaneRules): LaneResult {
  // The URL names the model.
  const { model: _model, ...fields } = given;
  const dropped = [
    ...BODY.removeFrom(fields, false),
    ...CONFIG.removeWithin(fields, "generationConfig", false),
  ];
  const found = new GeminiFindings(rules, dropped);
  const body = { ...rewriteBody(GRAMMAR, "body", fields, found) };
  if (asArray(body.tools).length === 0 && asArray(given.tools).length > 0) delete body.tools;
  // The API also accepts a single part without a list. Only lists are sent.
  if (asArray(body.contents).some(hasSinglePart)) body.contents = asArray(body.contents).map(listPart);
  return { body, dropped, searches: found.searches };
}

function hasSinglePart(content: unknown): boolean {
  return isObject(asObject(content).parts);
}

function listPart(content: unknown): unknown {
  return hasSinglePart(content) ? { ...asObject(content), parts: [asObject(content).parts] } : content;
}

class GeminiFindings implements Visitor<Kind> {
  searches = 0;
  readonly rules: LaneRules;
  readonly #dropped: string[];

  constructor(rules: LaneRules, dropped: string[]) {
    this.rules = rules;
    this.#dropped = dropped;
  }

  countFound(): number {
    return this.searches + this.#dropped.length;
  }

  enter(kind: Kind, node: JsonObject, path: Path): JsonObject | null {
    if (kind === "tool") return this.#tool(node, path);
    return kind === "part" ? this.#part(node, path) : node;
  }

  checkField(field: string, value: unknown, path: Path): void {
    if (field === "tools" && STRAY_TOOLS.test(String(path))) throw refuseUnknown(String(path), field);
    if (field !== "fileUri" && field !== "file_uri") return;
    if (typeof value === "string" && isSecureUrl(value)) return;
    const reason = `${explainShared("A file")} Only https: URLs of other hosts may be named.`;
    throw refuseField(path.holder, reason);
  }

  checkSetting(): void {
    // Nothing here has a type: each tool and part has a field of its own.
  }

  /** Returns the tool without what can't be held. Each of its fields is a tool. */
  #tool(tool: JsonObject, path: Path): JsonObject | null {
    const kept = Object.entries(tool).filter(([name, value]) => {
      if (value === null || value === undefined) return false;
      const row = TOOLS.find(name);
      if (passes(row, name, "tools", this.rules)) {
        if (SEARCHES.has(name)) this.searches = SEARCHES_MAX;
        return true;
      }
      if (row?.treatment === "refuse") throw refuseField(`${path}.${name}`, row.reason);
      this.#dropped.push(`${path}.${name}`);
      return false;
    });
    if (kept.length === 0) return null;
    return kept.length === Object.keys(tool).length ? tool : Object.fromEntries(kept);
  }

  /** Returns the part without a signature of ours, which holds another provider's thinking. Null if nothing is left. */
  #part(part: JsonObject, path: Path): JsonObject | null {
    for (const field in part) {
      const name = toDocumented(field);
      const isKnown = part[field] === null || PART.has(name) || passes(undefined, name, "blocks", this.rules);
      if (!isKnown) throw refuseUnknown(`${path}.${field}`, field);
    }
    const isOurs = isOurSignature(readSignature(part.thoughtSignature ?? part.thought_signature));
    const { thoughtSignature: _signature, thought_signature: _snake, ...others } = part;
    const kept = isOurs ? others : part;
    return Object.keys(kept).length > 0 ? kept : null;
  }
}
