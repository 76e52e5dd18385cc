// The limits of a minute, a row for each: what it counts, on whom it can be set, its fault and its words. Fields, schemas, views
// and comparisons are made from the rows. Their arithmetic is in `ledger/limits/minute-checks.ts`, and for credentials in
// `health/rate.ts`.

/** The largest limit that a credential can be given. */
export const PER_MINUTE_MAX = 1_000_000_000;

/** The words of a field that sets a limit. */
interface FieldWords {
  /** For the manual's table. */
  readonly manual: string;
  /** For the command's help. */
  readonly help: string;
}

/** The note of a field of the configuration. */
interface FieldMeaning {
  readonly meaning: string;
}

interface MinuteRow {
  /** The name on the wire, and the kind of the limit in views, metrics and errors. */
  readonly name: string;
  /** The name in the rows that the code works with. */
  readonly property: string;
  /** The count of a `Minute` that it bounds. */
  readonly counts: "requests" | "tokens" | "parallel";
  /** The code of its refusals. */
  readonly fault: string;
  /** Its name in the console. */
  readonly label: string;
  readonly key: FieldWords & FieldMeaning & { readonly countLabel: string };
  readonly account: FieldWords;
  /** In the rules of the sign-in. */
  readonly member: FieldMeaning;
  readonly credential: Pick<FieldWords, "manual"> & FieldMeaning;
}

/** In the order of views, forms, flags and the manual. */
export const MINUTE_LIMITS = [
  {
    name: "requests_per_minute",
    property: "requestsPerMinute",
    counts: "requests",
    fault: "requests_per_minute_exceeded",
    label: "Requests per minute",
    key: {
      countLabel: "Requests in any 60 seconds",
      manual: `in any 60 seconds; null for no limit, or \`"default"\` for that of \`key_defaults\``,
      meaning: "The most requests of a key in any 60 seconds.",
      help: 'its requests in any 60 seconds: a number, "unlimited" or "default"',
    },
    account: {
      manual: "in any 60 seconds, of all its keys together; or null",
      help: 'the requests of all its keys in any 60 seconds: a number or "unlimited"',
    },
    member: { meaning: "The most requests of each member in any 60 seconds." },
    credential: {
      manual: "the provider's limit on the requests of a minute, or null",
      meaning:
        "The requests per minute that the provider allows this key ([limits of a credential](providers.md#limits-of-a-credential)). Each gateway process counts its own calls.",
    },
  },
  {
    name: "tokens_per_minute",
    property: "tokensPerMinute",
    counts: "tokens",
    fault: "tokens_per_minute_exceeded",
    label: "Tokens per minute",
    key: {
      countLabel: "Tokens in any 60 seconds",
      manual:
        'tokens read and written in any 60 seconds, without those read from a cache; null for no limit, or `"default"`',
      meaning: "The most tokens of a key in any 60 seconds, those read from a cache left out.",
      help: 'its tokens in any 60 seconds: a number, "unlimited" or "default"',
    },
    account: {
      manual: "tokens read and written in any 60 seconds, without those read from a cache; or null",
      help: 'the tokens of all its keys in any 60 seconds: a number or "unlimited"',
    },
    member: { meaning: "The most tokens of each member in any 60 seconds." },
    credential: {
      manual: "the provider's limit on the tokens of a minute, or null",
      meaning: "The tokens per minute that the provider allows this key.",
    },
  },
  {
    name: "parallel",
    property: "parallel",
    counts: "parallel",
    fault: "too_many_parallel_requests",
    label: "Parallel requests",
    key: {
      countLabel: "Requests at the same time",
      manual: 'requests at the same time; null for no limit, or `"default"`',
      meaning: "The most requests of a key at the same time.",
      help: 'its requests at the same time: a number, "unlimited" or "default"',
    },
    account: {
      manual: "requests at the same time, or null",
      help: 'the requests of all its keys at the same time: a number or "unlimited"',
    },
    member: { meaning: "The most requests of each member at the same time." },
    credential: {
      manual: "the most calls of a gateway process at the same time, or null",
      meaning: "The most calls with this key at the same time, by each gateway process.",
    },
  },
] as const satisfies readonly MinuteRow[];

export type MinuteLimit = (typeof MINUTE_LIMITS)[number];

/** Makes something of each row, under one of its names. */
export function mapLimits<Row extends MinuteLimit, Word extends "name" | "property" | "counts", Made>(
  rows: readonly Row[],
  word: Word,
  make: (row: Row) => Made,
): Readonly<Record<Row[Word], Made>> {
  const made: Partial<Record<Row[Word], Made>> = {};
  for (const row of rows) made[row[word]] = make(row);
  if (hasAll(made, rows, word)) return made;
  throw new TypeError("A row of the limits is missing.");
}

function hasAll<Row extends MinuteLimit, Word extends keyof Row, Made>(
  made: Partial<Record<Row[Word] & string, Made>>,
  rows: readonly Row[],
  word: Word,
): made is Record<Row[Word] & string, Made> {
  return rows.every((row) => String(row[word]) in made);
}

/** The rows by what they count. */
export const COUNTED = mapLimits(MINUTE_LIMITS, "counts", (row) => row);
