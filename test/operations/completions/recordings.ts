// Recorded legacy completions as test material.
import { asObject, type JsonObject } from "../../../src/core/json/json.ts";
import { fixturesFolder } from "../../recorded/load.ts";
import { readRows } from "../../recorded/rows.ts";

export interface Recorded {
  readonly id: string;
  readonly request: JsonObject;
  readonly status: number;
  readonly body: string;
  readonly isStream: boolean;
}

export function readRecordedCompletions(): readonly Recorded[] {
  return readRows(fixturesFolder())
    .filter(({ row }) => row.api === "completions")
    .map(({ row: { id, request, response, stream } }) => ({
      id: String(id),
      request: asObject(asObject(request).body),
      status: Number(asObject(response).status),
      body: String(asObject(response).body),
      isStream: stream === true,
    }));
}
