// Of each position that may hold a string or a number: whether it is a text. A field without a verdict fails a test.

import type { Position } from "./list.ts";
import { listOwn } from "./schemas.ts";
import { readPositions, SDK_BODIES, type SdkBody } from "./sdks.ts";
import given from "./verdicts.data.json" with { type: "json" };

/** The verdicts with their reasons. */
export const VERDICTS = {
  text: "What a person, a tool or the model has written, or a name that the client chose: it is searched.",
  refused:
    "No request with it passes, since it belongs to the provider's account, or names what others share.",
  "left out": "It reaches no provider.",
  id: "An id.",
  "tool name": "The name of a tool, which calls have to repeat.",
  word: "A word of the API's, such as a type, a language or a voice.",
  bytes: "Bytes, or what a provider has signed or encrypted.",
  address: "The address of a picture or a file.",
  repeated: "The tokens of a text that stands beside it.",
  number: "A number of the API's own, such as a limit.",
} as const;
export type Verdict = keyof typeof VERDICTS;

type Rows = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
const ROWS: Rows = given;

export interface Judged extends Position {
  readonly verdict: Verdict | null;
}

export interface JudgedBody {
  readonly body: SdkBody;
  readonly positions: readonly Judged[];
  /** The texts once more, by the other ways that lead to their types. */
  readonly again: readonly Position[];
  /** The verdicts on positions that there aren't. */
  readonly gone: readonly string[];
  /** The positions with several verdicts, and verdicts that there aren't. */
  readonly wrong: readonly string[];
}

export const JUDGED: readonly JudgedBody[] = SDK_BODIES.map(judge);

function judge(body: SdkBody): JudgedBody {
  const rows = Object.entries(ROWS[body.path] ?? {});
  const { all, read } = readPositions(body);
  const verdicts = new Map(rows.flatMap(([name, ids]) => ids.map((id) => [id, name] as const)));
  const find = (id: string) => {
    const name = verdicts.get(id);
    return name !== undefined && isVerdict(name) ? name : null;
  };
  const positions = [...all, ...listOwn(body)].map((one) => ({ ...one, verdict: find(one.id) }));
  const known = new Set(positions.map(({ id }) => id));
  const listed = rows.flatMap(([, ids]) => ids);
  return {
    body,
    positions,
    again: read.listAgain((id) => find(id) === "text"),
    gone: listed.filter((id) => !known.has(id)),
    wrong: [
      ...listed.filter((id, at) => listed.indexOf(id) !== at),
      ...rows.map(([name]) => name).filter((name) => !isVerdict(name)),
    ],
  };
}

function isVerdict(name: string): name is Verdict {
  return name in VERDICTS;
}
