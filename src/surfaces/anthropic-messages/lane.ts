// The gateway's changes to a Messages request, passed on or translated: one row per field, with its reason.
import { Fault } from "../../core/faults/fault.ts";
import { asArray, asObject, asString, type JsonObject } from "../../core/json/json.ts";
import { NONE } from "../../operations/form.ts";
import { type LaneRules, passes, refuseUnknown } from "../known.ts";
import {
  explainInstructions,
  explainShared,
  type LaneResult,
  LaneTable,
  OTHER_TIERS,
  REMOTE,
  refuseDemand,
  refuseField,
} from "../lane.ts";
import { type Path, rewriteBody, type Visitor } from "../raw-body.ts";
import {
  BETAS,
  FETCH_TOOLS,
  GRAMMAR,
  type Kind,
  OWN_FORMS,
  REMOTE_BLOCKS,
  SEARCH_TOOLS,
  TOOLS,
} from "./known.ts";

export const BODY = new LaneTable(
  {
    container: explainShared("A container"),
    mcp_servers: REMOTE,
    thread: "A thread belongs to the provider's account.",
    user_profile_id: "A profile belongs to the provider's account.",
    workspace_id: "A workspace belongs to the operator.",
    fallback_credit_token: "Credits belong to the operator.",
    ...explainInstructions("system"),
  },
  {
    service_tier: OTHER_TIERS,
    speed: "Fast mode costs more than the card's price.",
    fallbacks: "A fallback model has a different price.",
    billing_policy: "The operator decides how requests are billed.",
    anthropic_beta: "Betas are named in the header.",
    betas: "Betas are named in the header.",
    diagnostics: "It names a message by the provider's id, which clients never see.",
    safeguards: "The card has no price for another model that reviews the answer.",
  },
);

/** Fields that are left out where nobody looks at constraints. */
const CONSTRAINTS = new LaneTable(
  {},
  { inference_geo: "Inference in a chosen region costs more than the card's price." },
);

/** Fields that name an object in the provider's account, at any depth. */
const NAMES = new LaneTable({ file_id: "A file belongs to the provider's account." });

/** The vendor's clients send about ten. Each unknown one would be checked, and named in the answer's headers. */
const BETAS_MAX = 100;
/** The limit if the client sets none: without one, a provider may search endlessly. */
const USES_DEFAULT = 5;
/** The limit of a fetched page if the client sets none: a long page of documentation. */
const FETCHED_TOKENS_DEFAULT = 25_000;
/** The hold counts text at 1.4 bytes a token at worst, so these are the bytes of as many tokens. */
const BYTES_PER_TOKEN = 1.4;

const SEARCHES: ReadonlySet<string> = new Set(SEARCH_TOOLS);
const FETCHES: ReadonlySet<string> = new Set(FETCH_TOOLS);

interface MessagesLane extends LaneResult {
  /** The most pages that the provider may fetch, and their bytes. */
  readonly fetches: number;
  readonly fetchedBytes: number;
  /** The places at which a message adds or removes a tool: a translation loses them. */
  readonly toolChanges: readonly string[];
}

/** Returns the body as it may be sent. Throws a Fault for what is refused. */
export function applyLane(given: JsonObject, rules: LaneRules): MessagesLane {
  const fields: JsonObject = { ...given };
  const dropped = BODY.removeFrom(fields, rules.remoteTools === true);
  if (rules.constraints === "drop") dropped.push(...CONSTRAINTS.removeFrom(fields, false));
  const found = new MessagesFindings(rules, dropped);
  // It is this function's own either way: the copy or one with changes.
  const body = rewriteBody(GRAMMAR, "body", fields, found);
  if (asArray(body.tools).length === 0 && asArray(given.tools).length > 0) delete body.tools;
  const { type: demand, name } = asObject(body.tool_choice);
  const choice = asString(name) ?? "";
  if (found.droppedNames?.has(choice) || (demand === "any" && found.isBereft)) throw refuseDemand();
  if (body.tool_choice !== undefined && found.toolsKept === 0) {
    delete body.tool_choice;
    dropped.push("tool_choice");
  }
  const { searches, fetches, fetchedBytes, toolChanges } = found;
  return { body, dropped, searches, fetches, fetchedBytes, toolChanges };
}

class MessagesFindings implements Visitor<Kind> {
  /** Null if no tool with a name was dropped. */
  droppedNames: Set<string> | null = null;
  readonly toolChanges: string[] = [];
  toolsKept = 0;
  toolsDropped = 0;
  searches = 0;
  fetches = 0;
  fetchedBytes = 0;
  readonly rules: LaneRules;
  readonly #dropped: string[];

  constructor(rules: LaneRules, dropped: string[]) {
    this.rules = rules;
    this.#dropped = dropped;
  }

  countFound(): number {
    const { searches, fetches, toolsKept, toolChanges } = this;
    return searches + fetches + toolsKept + toolChanges.length + this.#dropped.length;
  }

  /** True if the request has only tools that are dropped. */
  get isBereft(): boolean {
    return this.toolsKept === 0 && this.toolsDropped > 0;
  }

  enter(kind: Kind, node: JsonObject, path: Path, isKnown: boolean): JsonObject | null {
    if (kind === "tool") return this.#tool(node, path);
    if (kind === "changedTool") this.toolChanges.push(String(path));
    const type = asString(node.type);
    const row = type === undefined ? undefined : REMOTE_BLOCKS.find(type);
    if (isKnown && row === undefined) return node;
    if (type !== undefined && passes(row, type, "blocks", this.rules)) return node;
    throw row ? refuseField(String(path), row.reason) : refuseUnknown(String(path), type ?? "", OWN_FORMS);
  }

  checkField(field: string, _value: unknown, path: Path): void {
    const row = NAMES.findRefusal(field, false);
    if (row) throw refuseField(String(path), row.reason);
  }

  /** A tool that the provider runs, in a place where nobody would hold for it. */
  checkSetting(type: string, path: Path): void {
    const treatment = TOOLS.find(type)?.treatment ?? "pass";
    if (treatment !== "pass") throw refuseUnknown(String(path), type);
  }

  /** Returns the tool with the limits that are held. Null if it is dropped. */
  #tool(tool: JsonObject, path: Path): JsonObject | null {
    // A tool without a type is the client's own. No tool has a type that isn't a text.
    const type = String(tool.type ?? "custom");
    const row = TOOLS.find(type);
    if (!passes(row, type, "tools", this.rules)) {
      if (row?.treatment === "remote") throw refuseField(String(path), row.reason);
      this.#dropped.push(String(path));
      this.toolsDropped++;
      if (typeof tool.name === "string" && tool.name !== "") {
        this.droppedNames ??= new Set();
        this.droppedNames.add(tool.name);
      }
      return null;
    }
    this.toolsKept++;
    if (SEARCHES.has(type)) {
      const uses = readLimit(tool, "max_uses", USES_DEFAULT, path);
      this.searches += uses;
      return { ...tool, max_uses: uses };
    }
    return FETCHES.has(type) ? this.#limitFetches(tool, path) : tool;
  }

  #limitFetches(tool: JsonObject, path: Path): JsonObject {
    const uses = readLimit(tool, "max_uses", USES_DEFAULT, path);
    const tokens = readLimit(tool, "max_content_tokens", FETCHED_TOKENS_DEFAULT, path);
    this.fetches += uses;
    this.fetchedBytes += uses * tokens * BYTES_PER_TOKEN;
    return { ...tool, max_uses: uses, max_content_tokens: tokens };
  }
}

/** Returns a tool's limit, or the default if it has none. Tools in messages are checked here only. */
function readLimit(tool: JsonObject, field: string, usual: number, path: Path): number {
  const given = tool[field] ?? usual;
  if (typeof given === "number" && Number.isSafeInteger(given) && given >= 1) return given;
  const param = `${path}.${field}`;
  throw new Fault("invalid_value", `Invalid '${param}': expected an integer of at least 1.`, { param });
}

/** Returns the betas that may be passed on, and the names of the others. Throws the Fault `invalid_value` for too many. */
export function passBetas(headers: Headers, rules: LaneRules): PassedBetas {
  const sent = headers.get("anthropic-beta");
  return sent === null ? NO_BETAS : readBetas(sent, rules);
}

interface PassedBetas {
  readonly betas: readonly string[];
  readonly dropped: readonly string[];
}

const NO_BETAS: PassedBetas = { betas: NONE, dropped: NONE };

function readBetas(sent: string, rules: LaneRules): PassedBetas {
  const given = sent.split(",", BETAS_MAX + 1).map((beta) => beta.trim());
  if (given.length > BETAS_MAX) {
    const message = `Invalid header 'anthropic-beta': expected at most ${BETAS_MAX} names.`;
    throw new Fault("invalid_value", message, { param: "anthropic-beta" });
  }
  const named = given.filter((beta) => beta !== "");
  const betas = named.filter((beta) => passes(BETAS.find(beta), beta, "betas", rules));
  const dropped = named.filter((beta) => !betas.includes(beta)).map((beta) => `anthropic-beta.${beta}`);
  return { betas, dropped };
}
