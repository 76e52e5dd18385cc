// The fields of the Responses API's conversations, and the settings that they make.
import { type Static, Type } from "@sinclair/typebox";
import type { ResponseRules, SocketRules } from "../core/settings.ts";
import { parseDuration } from "../core/text/duration.ts";
import { duration, integer, options, orNull, size } from "./field-types.ts";
import { modelId } from "./models/model-schema.ts";
import { parseSize } from "./units.ts";

const sockets = options(
  {
    on: Type.Boolean(),
    all: integer(1, 100_000),
    per_account: integer(1, 100_000),
    per_key: integer(1, 100_000),
    lanes: integer(1, 64),
    queue: integer(1, 256),
    frame: size("64KB", "1GiB"),
    bytes: size("64KB", "1GiB"),
    bytes_per_account: size("64KB", "64GiB"),
    memory: size("64KB", "64GiB"),
    age: duration("10s", "60m"),
    idle: duration("5s", "60m"),
  },
  "WebSocket connections of the Responses API, of each process.",
);

export const responses = options(
  {
    keep: Type.Union([Type.Literal(0), duration("1m", "3650d")], {
      expected: "a duration like 30d, from 1m to 3650d, or 0 to store none",
    }),
    max_bytes: size("1MB", "100GB"),
    upstream_store: Type.Boolean(),
    compact: Type.Union([Type.Literal("auto"), Type.Literal("own")], { expected: "auto or own" }),
    sockets,
    compact_model: orNull(
      modelId,
      "a model id like Anthropic#claude-haiku-4-5, or null for the request's own",
    ),
  },
  "Conversations of the Responses API: which are stored, and who summarises them.",
);

/** The schema has checked it. */
type ResponsesConfig = Static<typeof responses>;

export function buildCompactionRules({ compact, compact_model: model = null }: ResponsesConfig = {}) {
  const isOwn = compact === "own";
  return isOwn || model !== null ? { compaction: { isOwn, model } } : {};
}

export function buildResponseRules({
  keep = 0,
  max_bytes = "64MB",
  sockets = {},
}: ResponsesConfig): ResponseRules {
  return {
    keepMs: keep === 0 ? 0 : readMs(keep),
    bytesMax: readBytes(max_bytes),
    sockets: buildSocketRules(sockets),
  };
}

function buildSocketRules({
  on: isOn = true,
  all: allMax = 500,
  per_account: perAccountMax = 128,
  per_key: perKeyMax = 8,
  lanes: lanesMax = 16,
  queue: queueMax = 32,
  frame = "4MB",
  bytes = "16MB",
  bytes_per_account = "64MB",
  memory = "256MB",
  age = "60m",
  idle = "20m",
}: NonNullable<ResponsesConfig["sockets"]>): SocketRules {
  return {
    isOn,
    allMax,
    perAccountMax,
    perKeyMax,
    lanesMax,
    queueMax,
    frameBytesMax: readBytes(frame),
    bytesMax: readBytes(bytes),
    accountBytesMax: readBytes(bytes_per_account),
    memoryBytesMax: readBytes(memory),
    ageMs: readMs(age),
    idleMs: readMs(idle),
  };
}

function readMs(duration: string): number {
  return parseDuration(duration) ?? 0;
}

function readBytes(given: string | number): number {
  return parseSize(given) ?? 0;
}
