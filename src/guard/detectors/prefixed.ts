// Secrets that begin with a prefix of their issuer's: a row each.
import { endsAt, findRunEnd, isAlphanumeric, isToken } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";

/** A longer run of token characters is something else. */
const TOKEN_MAX = 1024;
/** The different characters that a secret has at least: `sk-proj-xxxx…` stands for one. */
const DIFFERENT_MIN = 6;

interface Form {
  readonly prefix: string;
  /** Behind the prefix. */
  readonly least: number;
  readonly most: number;
  readonly isIn: (code: number) => boolean;
  /** A further condition on what stands behind the prefix. */
  readonly accepts?: (body: string) => boolean;
}

interface Row {
  readonly name: string;
  readonly rule: string;
  readonly forms: readonly Form[];
}

const tokens = (prefix: string, least: number, most = TOKEN_MAX): Form => ({
  prefix,
  least,
  most,
  isIn: isToken,
});
const letters = (prefix: string, least: number, most = least): Form => ({
  prefix,
  least,
  most,
  isIn: isAlphanumeric,
});

const OPENAI_MARK = "T3BlbkFJ";

const ROWS: readonly Row[] = [
  {
    name: "openai_key",
    rule: "keys of OpenAI: sk-, sk-proj-, sk-svcacct-, sk-admin-",
    forms: [
      { ...letters("sk-", 48), accepts: (body) => body.startsWith(OPENAI_MARK, 20) },
      tokens("sk-proj-", 40),
      tokens("sk-svcacct-", 40),
      tokens("sk-admin-", 40),
    ],
  },
];

function hasVariety(body: string): boolean {
  return new Set(body).size >= DIFFERENT_MIN;
}

function matchForm(text: string, at: number, form: Form): Span | null {
  if (!text.startsWith(form.prefix, at)) return null;
  const from = at + form.prefix.length;
  const to = findRunEnd(text, from, form.most + 1, form.isIn);
  const end = form.least === form.most ? Math.min(to, from + form.most) : to;
  if (end - from < form.least || end - from > form.most || !endsAt(text, end)) return null;
  const body = text.slice(from, end);
  return hasVariety(body) && form.accepts?.(body) !== false ? { from: at, to: end } : null;
}

/** The lengths of the runs that begin with a prefix: its own first part, or more if it is letters and digits alone. */
function listRuns(prefix: string): readonly number[] {
  const first = findRunEnd(prefix, 0, prefix.length, isAlphanumeric);
  return first < prefix.length ? [first] : Array.from({ length: 32 - first }, (_, more) => first + more);
}

function makeDetector({ name, rule, forms }: Row): Detector {
  return {
    name,
    group: "secrets",
    mark: "SECRET",
    rule,
    starts: [...new Set(forms.map(({ prefix }) => prefix.charAt(0)))].join(""),
    runs: [...new Set(forms.flatMap(({ prefix }) => listRuns(prefix)))],
    find: (text, at) => {
      for (const form of forms) {
        const found = matchForm(text, at, form);
        if (found) return found;
      }
      return null;
    },
  };
}

export const PREFIXED: ReadonlyMap<string, Detector> = new Map(
  ROWS.map((row) => [row.name, makeDetector(row)]),
);
