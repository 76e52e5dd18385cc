// The schemas of the request log as the operator sees it.

import { Type } from "@sinclair/typebox";
import { CONSTRAINT_FIELDS } from "../../core/log/constraint.ts";
import { MOVE_CAUSES } from "../../core/log/moved.ts";
import { ENDINGS, REQUEST_OUTCOMES, TRANSPORTS, USAGE_SOURCES } from "../../core/log/record.ts";
import { ATTEMPT_OUTCOMES, HOOK_ACTIONS } from "../../core/log/trace.ts";
import { GUARD_ACTIONS, GUARD_PLACES } from "../../core/models/guard.ts";
import { HOOK_PLACES } from "../../core/models/hook.ts";
import { SOURCES } from "../../core/models/origin.ts";
import { STAY_REASONS } from "../../core/models/selector.ts";
import { REMOVAL_REASONS } from "../../core/models/thinking/removed-reasoning.ts";
import { MARK_TIMES } from "../../core/models/words/cache-marks.ts";
import { pageFields } from "../list.ts";
import { pricingSchema } from "../models/settings-schema.ts";
import {
  allowNull,
  allowWords,
  anyObject,
  boolean,
  closeObject,
  count,
  instant,
  number,
  share,
  text,
  usd,
  type View,
} from "../schema.ts";
import { failureFields } from "./failure.ts";
import { tokensSchema, unitsSchema } from "./figures.ts";
import { requestFilterFields } from "./log-filters.ts";
import { claimedCostFields, providerCostFields } from "./provider-cost.ts";

export const requestsExportQuery = closeObject(requestFilterFields);
export const requestsQuery = closeObject({ ...requestFilterFields, ...pageFields });

const withoutMarkup = Type.Number({ description: "USD, without the markup." });

/** The reason for which a conversation stays with its model, whatever the scores are. */
const staysSchema = Type.Object({
  because: allowWords(STAY_REASONS),
  cached_tokens: count,
  thinking_tokens: count,
});

/** A selector's reasons for its choice, without the numbers that only learning uses. */
const decisionSchema = Type.Object({
  selector: text,
  share,
  promised: Type.Optional(share),
  choice: allowNull(text),
  why: Type.Optional(allowNull(text)),
  pinned: allowNull(text),
  /** Absent in decisions of earlier versions. */
  side_call: Type.Optional(allowNull(text)),
  instead_of: allowNull(text),
  features: Type.Object({
    categories: Type.Record(text, number),
    difficulty: number,
    output_tokens: number,
    support: number,
  }),
  difficulty: number,
  likeness: number,
  taught: Type.Optional(boolean),
  margin: Type.Optional(allowNull(number)),
  usual_cost_usd: Type.Optional(usd),
  cost_weight: Type.Optional(allowNull(number)),
  time_weight: Type.Optional(allowNull(number)),
  /** A boolean in decisions of earlier versions. */
  stays: Type.Optional(Type.Union([boolean, staysSchema, Type.Null()])),
  basis: Type.Optional(
    Type.Object({
      likeness: number,
      familiar: boolean,
      labelled: Type.Array(Type.Object({ topic: text, share: number, prompts: number })),
    }),
  ),
  candidates: Type.Array(
    Type.Object({
      model: text,
      created: number,
      quality: number,
      quality_low: number,
      doubt: Type.Optional(number),
      source: Type.Optional(allowWords(SOURCES)),
      source_date: Type.Optional(allowNull(text)),
      changed: Type.Optional(allowNull(Type.Object({ on: text, to: allowWords(["worse", "better"]) }))),
      level: number,
      cost_usd: allowNull(withoutMarkup),
      latency_ms: number,
      cost_usd_high: Type.Optional(allowNull(withoutMarkup)),
      latency_ms_high: Type.Optional(number),
      tokens: number,
      score: number,
    }),
  ),
  removed: Type.Record(text, count),
});
export type DecisionView = View<typeof decisionSchema>;

export const requestSchema = Type.Object({
  id: text,
  request_id: allowNull(text),
  key_id: text,
  account_id: text,
  at: instant,
  operation: text,
  surface: text,
  model_asked: allowNull(text),
  model_tried: allowNull(text),
  model_used: allowNull(text),
  selector: allowNull(text),
  decision: allowNull(decisionSchema),
  attempts: count,
  stream: boolean,
  status: Type.Integer(),
  error_code: allowNull(text),
  tokens: tokensSchema,
  units: unitsSchema,
  cost_usd: usd,
  ...providerCostFields,
  ...claimedCostFields,
  charged_usd: usd,
  hold_usd: usd,
  usage_source: allowWords(USAGE_SOURCES),
  ended: allowWords(ENDINGS),
  late: boolean,
  total_ms: number,
  first_token_ms: allowNull(number),
  outcome: allowWords(REQUEST_OUTCOMES),
  provider: allowNull(text),
  address: allowNull(text),
  session: allowNull(text),
  trace_id: allowNull(text),
  parent_trace_id: allowNull(text),
  member_id: allowNull(text),
  // The completion whose answer it got from the cache, and what that had cost.
  cached_from: allowNull(text),
  saved_usd: usd,
  // Those of its key, its account and its own header.
  tags: allowNull(Type.Record(text, text)),
  transport: allowWords(TRANSPORTS),
  // The WebSocket on which it came.
  socket_id: allowNull(text),
  // True if it asked for a summary in its conversation's place.
  compaction: boolean,
  // The batch whose line it is, the line's number from 1, and its own id there.
  batch_id: allowNull(text),
  batch_line: allowNull(count),
  custom_id: allowNull(text),
  // The tool server and its own name of the tool that was called.
  server: allowNull(text),
  tool: allowNull(text),
  // `is_error` if the result says so, the code of the server's JSON-RPC error, or that of a failure.
  tool_error: allowNull(text),
  argument_bytes: allowNull(count),
  result_bytes: allowNull(count),
  // The response in which it was called.
  response_id: allowNull(text),
  // Those that were met, or under `guard.constraints: report` those that would be refused. `misspelt` stands for any field.
  constraints: Type.Array(allowWords(CONSTRAINT_FIELDS)),
  // The words of `refuses` for all that its model's server refused, so that the call was repeated in another form.
  mended: Type.Array(text),
  // The thinking of the history that the model wasn't shown. The provider's reasons count blocks; `family` and `refused`, which
  // are the gateway's, count answers.
  reasoning_removed: Type.Array(Type.Object({ reason: allowWords(REMOVAL_REASONS), count })),
  // The time for which the gateway asked the provider to cache the prompt. Null if it set no mark.
  cache_marked: allowNull(allowWords(MARK_TIMES)),
  // The reason for which a turn was served elsewhere than at the first place of its conversation's order. Null if it wasn't.
  moved: allowNull(allowWords(MOVE_CAUSES)),
  // Findings of the guard by detector, action and place: the number of different values, and the first rule with that action.
  guard: Type.Array(
    Type.Object({
      detector: text,
      action: allowWords(GUARD_ACTIONS),
      at: allowWords(GUARD_PLACES),
      count,
      rule: text,
    }),
  ),
  // `family` for a model that no card had, with the relative whose price it got.
  price_source: allowNull(allowWords(["family"])),
  like: allowNull(text),
});
export type RequestView = View<typeof requestSchema>;

/** Milliseconds since the request began. */
const attemptSchema = Type.Object({
  model: text,
  credential: allowNull(text),
  start_ms: number,
  first_token_ms: allowNull(number),
  end_ms: number,
  outcome: allowWords(ATTEMPT_OUTCOMES),
  error_code: allowNull(text),
  upstream_status: allowNull(Type.Integer()),
  ...failureFields,
});
export type AttemptView = View<typeof attemptSchema>;

const hookSchema = Type.Object({
  name: text,
  at: allowWords(HOOK_PLACES),
  action: allowWords(HOOK_ACTIONS),
  // The price of the hook's own model, with the markup. Null if it has none.
  cost_usd: allowNull(usd),
  start_ms: number,
  end_ms: number,
});
export type HookView = View<typeof hookSchema>;

const costSchema = Type.Object({
  lines: Type.Array(Type.Object({ what: text, count: number, usd_per_million: usd, usd })),
  markup: number,
  total_usd: usd,
});

/** The prompt and answer as the client and the provider sent them, with messages in OpenAI's chat form. */
const contentSchema = Type.Object({
  messages: Type.Array(Type.Unknown()),
  request: anyObject,
  reply: allowNull(anyObject),
  truncated: boolean,
});
export type ContentView = View<typeof contentSchema>;

export const requestDetailSchema = Type.Object({
  ...requestSchema.properties,
  timeline: allowNull(
    Type.Object({
      admitted_ms: allowNull(number),
      attempts: Type.Array(attemptSchema),
      hooks: Type.Array(hookSchema),
      end_ms: number,
    }),
  ),
  cost: allowNull(costSchema),
  hook_cost_usd: usd,
  usage_implausible: allowNull(Type.Object({ prompt_tokens: count, completion_tokens: count })),
  // Each word of `mended` with the end of the sentence "The model refuses …".
  mends: Type.Array(Type.Object({ refuses: text, meaning: text })),
  unpriced: Type.Array(
    Type.String({
      description: "What it came from that its model has no price for: `service_tier=priority`.",
    }),
  ),
  served: Type.Array(
    Type.String({ description: "What it came from that was charged by a price of its own." }),
  ),
  unknown_finish_reasons: Type.Array(
    Type.String({
      description: "A reason for the answer's end that the gateway doesn't know, as its provider said it.",
    }),
  ),
  price_id: Type.Union([text, Type.Null()], {
    description:
      "Identifies the price by which the answer was charged. Null if nothing was charged by a price.",
  }),
  price: Type.Union([pricingSchema, Type.Null()], {
    description: "The whole price of that id, with factors. Null for some seconds after its first use.",
  }),
  error: allowNull(Type.Object({ code: allowNull(text), message: text, type: text, status: Type.Integer() })),
  content: allowNull(contentSchema),
});
export type RequestDetailView = View<typeof requestDetailSchema>;
