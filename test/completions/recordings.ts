// Recorded legacy completions as test material.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asObject, type JsonObject } from "../../src/core/json.ts";
import { fixturesFolder } from "../recorded/load.ts";

export interface Recorded {
  readonly id: string;
  readonly request: JsonObject;
  readonly status: number;
  readonly body: string;
  readonly isStream: boolean;
}

/** All of them; none where the recordings are absent. */
export function readRecordedCompletions(): readonly Recorded[] {
  const folder = fixturesFolder();
  if (folder === null) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return files.flatMap((file) =>
    readFileSync(join(folder, file), "utf8")
      .split("\n")
      .map((line) => asObject(line === "" ? null : JSON.parse(line)))
      .filter(({ api }) => api === "completions")
      .map(({ id, request, response, stream }) => ({
        id: String(id),
        request: asObject(asObject(request).body),
        status: Number(asObject(response).status),
        body: String(asObject(response).body),
        isStream: stream === true,
      })),
  );
}
