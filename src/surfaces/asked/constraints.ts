// The fields by which clients ask for protection or forbid a way, as other gateways and vendors name them: one row each, with
// what meets it. Left out unnoticed, they would leave a client without what it asked for.
import { Fault } from "../../core/faults/fault.ts";
import { parseBounded, REQUEST_SHAPE } from "../../core/json/bounds.ts";
import { asObject, isObject, type JsonObject } from "../../core/json/json.ts";
import { type ConstraintField, explainGuardrail } from "../../core/log/constraint.ts";
import type { SurfaceName } from "../../core/log/record.ts";
import { hideSecret } from "../../core/text/secret-form.ts";
import { refuseLongList } from "../checker.ts";
import { explainMeant } from "../openai-chat/other-forms.ts";
import { refuseForeignForm } from "./answer-forms.ts";

/**
 * The ways in which a constraint is met, besides a model whose provider takes its field: `hook`, a hook of that name; `only` and `ignore`,
 * models of providers that are listed, or aren't; `first`, that nobody but the plan's first model is asked; `cache`, that
 * nothing is taken from the cache or stored there; `nothing`, none of these.
 */
type ConstraintUse = "hook" | "only" | "ignore" | "first" | "cache" | "nothing";

interface ConstraintRow {
  readonly field: ConstraintField;
  /** The place of its value. The first name is a field of the body. */
  readonly path: readonly string[];
  readonly meets: ConstraintUse;
  /** True for a value that asks for something. */
  asks(value: unknown): boolean;
  /** Says why nothing meets it. `what` is the model asked for, or the guardrail. Missing for those that are always met. */
  explain?(param: string, what: string): string;
}

const isTrue = (value: unknown) => value === true;
const isFalse = (value: unknown) => value === false;
const isDenied = (value: unknown) => value === "deny";
const isFullList = (value: unknown) => Array.isArray(value) && value.length > 0;
const isRegion = (value: unknown) => isGiven(value) && value !== "global";

/** False for null, false, and what is empty. */
function isGiven(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== "";
}

function avoidsCache(value: unknown): boolean {
  const { "no-cache": noCache, "no-store": noStore } = asObject(value);
  return noCache === true || noStore === true;
}

const lacksGuardrail = (_param: string, name: string) => explainGuardrail(name);
const promisesNothing = (param: string, model: string) =>
  `'${param}' asks for providers that keep no prompts, which the gateway can't promise for '${model}'. Leave it out if the operator has told you where prompts go.`;
const leavesNone = (param: string) =>
  `'${param}' leaves no model that may answer. Name providers as GET /v1/models does.`;
const limitsWho = (param: string) =>
  `'${param}' limits who may answer. Name the model, or send x-poundkey-allow or x-poundkey-max-cost.`;
const asksRegion = (param: string) =>
  `'${param}' asks for a region, which the operator sets at the provider. Leave it out.`;

function makeRow(
  field: ConstraintField,
  meets: ConstraintUse,
  asks: ConstraintRow["asks"],
  explain?: ConstraintRow["explain"],
  path: readonly string[] = field.split("."),
): ConstraintRow {
  return { field, path, meets, asks, ...(explain && { explain }) };
}

/** LiteLLM's, OpenRouter's, Vercel's and Anthropic's references, November 2026. */
const CONSTRAINTS: readonly ConstraintRow[] = [
  makeRow("guardrails", "hook", isGiven, lacksGuardrail),
  // Metadata has texts too, which mean whatever their client wants.
  makeRow("guardrails", "hook", isFullList, lacksGuardrail, ["metadata", "guardrails"]),
  makeRow("guardrails", "hook", isFullList, lacksGuardrail, ["litellm_metadata", "guardrails"]),
  makeRow("provider.data_collection", "nothing", isDenied, promisesNothing),
  makeRow("provider.zdr", "nothing", isTrue, promisesNothing),
  makeRow("providerOptions.gateway.zeroDataRetention", "nothing", isTrue, promisesNothing),
  makeRow("providerOptions.gateway.disallowPromptTraining", "nothing", isTrue, promisesNothing),
  makeRow("provider.only", "only", isGiven, leavesNone),
  makeRow("provider.ignore", "ignore", isGiven, leavesNone),
  makeRow("providerOptions.gateway.only", "only", isGiven, leavesNone),
  makeRow("provider.quantizations", "nothing", isGiven, limitsWho),
  makeRow("provider.max_price", "nothing", isGiven, limitsWho),
  makeRow("provider.require_parameters", "nothing", isTrue, limitsWho),
  makeRow("provider.enforce_distillable_text", "nothing", isTrue, limitsWho),
  makeRow("provider.allow_fallbacks", "first", isFalse),
  makeRow("disable_fallbacks", "first", isTrue),
  makeRow("inference_geo", "nothing", isRegion, asksRegion),
  makeRow("cache", "cache", avoidsCache),
];

/** Fields of the same references whose loss takes no protection away: they are left out and named. */
export const WISHES: ReadonlySet<string> = new Set([
  "models",
  "fallbacks",
  "route",
  "transforms",
  "plugins",
  "safe_prompt",
  "safety_mode",
  "safetySettings",
]);

/** The fields of a body in which constraints stand. */
export const HOLDERS: ReadonlySet<string> = new Set(CONSTRAINTS.map(({ path: [holder = ""] }) => holder));

/** True for a field that has nothing but constraints and wishes. */
export function isOmitted(holder: string): boolean {
  return CONSTRAINTS.some(({ field }) => field.split(".")[0] === holder);
}

/** A constraint of a request. */
export interface AskedConstraint {
  readonly row: ConstraintRow;
  readonly value: unknown;
  /** Its place as the client wrote it. */
  readonly param: string;
}

/** The fields of a body by which it may ask for more than its surface's own say. */
export interface AskedFields {
  readonly constraints: readonly AskedConstraint[];
  /** Its fields that the table has, whatever their values ask for. */
  readonly holders: readonly string[];
  /** Its fields that neither the surface nor the table has. */
  readonly unknown: readonly string[];
}

/** The part of a surface that tells its own fields. */
interface AskedSurface {
  readonly name: SurfaceName;
  readonly fields: ReadonlySet<string>;
}

/** Returns the fields of a surface that ask for nothing but what it reads. */
export function listPlainFields({ fields }: Pick<AskedSurface, "fields">): ReadonlySet<string> {
  return fields.difference(HOLDERS);
}

/** Throws the Fault of a field by which the client surely means another one. In a form, values are texts. */
export function findAsked({ name, fields }: AskedSurface, body: unknown, isForm: boolean): AskedFields {
  const given = asObject(body);
  if (name === "openai-chat") refuseMeant(given);
  refuseForeignForm(name, fields, given);
  const names = Object.keys(given);
  const holders = names.filter((field) => HOLDERS.has(field));
  const values = Object.fromEntries(
    holders.map((field) => [field, isForm ? readText(given[field]) : given[field]]),
  );
  return {
    constraints: CONSTRAINTS.flatMap((row) => listAsked(row, values)),
    holders,
    unknown: names.filter((field) => !fields.has(field) && !HOLDERS.has(field)),
  };
}

function refuseMeant(given: JsonObject): void {
  const meant = explainMeant(given);
  if (meant !== null) throw new Fault("unknown_parameter", meant.message, { param: meant.field });
}

function readText(value: unknown): unknown {
  return typeof value === "string" ? (parseBounded(value, REQUEST_SHAPE) ?? value) : value;
}

function listAsked(row: ConstraintRow, values: JsonObject): readonly AskedConstraint[] {
  const value = row.path.reduce<unknown>((held, name) => asObject(held)[name], values);
  if (!row.asks(value)) return [];
  const param = row.path.join(".");
  if (row.meets !== "hook" || !Array.isArray(value)) return [{ row, value, param }];
  refuseLongList(value, GUARDRAILS_MAX, param);
  return value.map((one, at) => ({ row, value: one, param: `${param}[${at}]` }));
}

/** As many as there are rules at most. */
const GUARDRAILS_MAX = 20;
const NAME_CHARACTERS_MAX = 64;

/** Returns the name of a guardrail: a text, or the first field of an object that has its settings. */
export function nameGuardrail(value: unknown): string {
  const name = isObject(value) ? (Object.keys(value)[0] ?? "") : String(value);
  return hideSecret(name, "...")
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, NAME_CHARACTERS_MAX);
}
