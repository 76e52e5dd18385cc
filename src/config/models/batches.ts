// The fields of files and batches, and the settings that they make.
import { type Static, Type } from "@sinclair/typebox";
import type { BatchRules, FileRules } from "../../core/settings.ts";
import { parseDuration } from "../../core/text/duration.ts";
import { duration, integer, options, size } from "../field-types.ts";
import { parseSize } from "../units.ts";

/** The largest file that can be configured, and with it the largest of a batch. */
const LARGEST = "2GB";

export const files = options(
  {
    max_bytes: size("1MB", "100000GB"),
    max_bytes_per_account: Type.Union([Type.Literal(0), size("1MB", "100000GB")], {
      expected: "a size like 2GB, from 1MB to 100000GB, or 0 for no files and no batches",
    }),
    max_file: size("1MB", LARGEST),
    keep: duration("1h", "400d"),
  },
  "Files that clients upload, and those that batches make.",
);

export const batches = options(
  {
    on: Type.Boolean(),
    parallel: integer(0, 1000),
    per_account: integer(1, 1000),
    lines: integer(1, 1_000_000),
    max_bytes: size("1MB", LARGEST),
    unfinished: integer(1, 10_000),
    window: duration("1m", "7d"),
    model_wait: duration("1m", "7d"),
    keep: duration("1h", "400d"),
    tries: integer(1, 20),
  },
  "Batches of requests.",
);

type FilesConfig = Static<typeof files>;
type BatchesConfig = Static<typeof batches>;

export function buildFileRules({
  max_bytes = "5GB",
  max_bytes_per_account = "2GB",
  max_file = "512MB",
  keep = "30d",
}: FilesConfig = {}): FileRules {
  return {
    bytesMax: readBytes(max_bytes),
    accountBytesMax: readBytes(max_bytes_per_account),
    fileBytesMax: readBytes(max_file),
    keepMs: readMs(keep),
  };
}

export function buildBatchRules({
  on: isOn = true,
  parallel: parallelMax = 64,
  per_account: perAccountMax = 32,
  lines: linesMax = 100_000,
  max_bytes = "256MB",
  unfinished: unfinishedMax = 100,
  window = "24h",
  model_wait = "6h",
  keep = "30d",
  tries: triesMax = 5,
}: BatchesConfig = {}): BatchRules {
  return {
    isOn,
    parallelMax,
    perAccountMax,
    linesMax,
    bytesMax: readBytes(max_bytes),
    unfinishedMax,
    windowMs: readMs(window),
    modelWaitMs: readMs(model_wait),
    keepMs: readMs(keep),
    triesMax,
  };
}

function readMs(given: string): number {
  return parseDuration(given) ?? 0;
}

function readBytes(given: string | number): number {
  return parseSize(given) ?? 0;
}
