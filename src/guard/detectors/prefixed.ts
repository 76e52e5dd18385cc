// Secrets that begin with a prefix of their issuer's: a row each.
import { endsAt, findRunEnd, isAlphanumeric, isCapital, isLetter, isToken } from "../characters.ts";
import type { Detector, Span } from "../detector.ts";

/** A longer run of token characters is something else. */
const TOKEN_MAX = 1024;
/** The different characters that a secret has at least: `sk-proj-xxxx…` stands for one. */
const DIFFERENT_MIN = 6;

interface PrefixForm {
  readonly prefix: string;
  /** Behind the prefix. */
  readonly least: number;
  readonly most: number;
  readonly isIn: (code: number) => boolean;
  /** A further condition on what stands behind the prefix. */
  readonly accepts?: (body: string) => boolean;
}

interface PrefixRow {
  readonly name: string;
  readonly rule: string;
  readonly forms: readonly PrefixForm[];
}

const tokens = (prefix: string, least: number, most = TOKEN_MAX): PrefixForm => ({
  prefix,
  least,
  most,
  isIn: isToken,
});
const letters = (prefix: string, least: number, most = least): PrefixForm => ({
  prefix,
  least,
  most,
  isIn: isAlphanumeric,
});

const OPENAI_MARK = "T3BlbkFJ";
const isBase32 = (code: number): boolean => isCapital(code) || (code >= 50 && code <= 55);
const isWord = (code: number): boolean => isAlphanumeric(code) || code === 95;
const isTokenOrDot = (code: number): boolean => isToken(code) || code === 46;

const ROWS: readonly PrefixRow[] = [
  {
    name: "openai_key",
    rule: "keys of OpenAI: sk-, sk-proj-, sk-svcacct-, sk-admin-",
    forms: [
      { ...letters("sk-", 48), accepts: (body) => body.startsWith(OPENAI_MARK, 20) },
      ...["proj", "svcacct", "admin"].map((kind) => tokens(`sk-${kind}-`, 40)),
    ],
  },
  {
    name: "anthropic_key",
    rule: "keys of Anthropic: sk-ant-",
    forms: ["api03", "admin01", "oat01"].map((kind) => tokens(`sk-ant-${kind}-`, 80)),
  },
  { name: "google_key", rule: "keys of Google: AIza", forms: [tokens("AIza", 35, 35)] },
  {
    name: "aws_key",
    rule: "ids of access keys of AWS: AKIA, ASIA, ABIA, ACCA",
    forms: ["AKIA", "ASIA", "ABIA", "ACCA"].map((prefix) => ({
      prefix,
      least: 16,
      most: 16,
      isIn: isBase32,
      accepts: (body) => !body.endsWith("EXAMPLE"),
    })),
  },
  {
    name: "github_token",
    rule: "tokens of GitHub: ghp_, gho_, ghu_, ghs_, ghr_, github_pat_",
    forms: [
      ...["p", "o", "u", "s", "r"].map((kind) => letters(`gh${kind}_`, 36)),
      { prefix: "github_pat_", least: 82, most: 82, isIn: isWord },
    ],
  },
  { name: "gitlab_token", rule: "tokens of GitLab: glpat-", forms: [tokens("glpat-", 20)] },
  {
    name: "slack_token",
    rule: "tokens of Slack: xoxb- and its like",
    forms: ["a", "b", "e", "p", "r", "s"].map((kind) => ({
      ...tokens(`xox${kind}-`, 20),
      accepts: (body) => /\d/.test(body),
    })),
  },
  {
    name: "stripe_key",
    rule: "live keys of Stripe: sk_live_, rk_live_, sk_prod_, rk_prod_",
    forms: ["sk_live_", "sk_prod_", "rk_live_", "rk_prod_"].map((prefix) => letters(prefix, 10, 99)),
  },
  { name: "npm_token", rule: "tokens of npm: npm_", forms: [letters("npm_", 36)] },
  { name: "pypi_token", rule: "tokens of PyPI: pypi-", forms: [tokens("pypi-AgEIcHlwaS5vcmc", 50)] },
  {
    name: "sendgrid_key",
    rule: "keys of SendGrid: SG.",
    forms: [{ prefix: "SG.", least: 66, most: 66, isIn: isTokenOrDot }],
  },
  {
    name: "huggingface_token",
    rule: "tokens of Hugging Face: hf_",
    forms: [{ prefix: "hf_", least: 34, most: 34, isIn: isLetter }],
  },
];

function hasVariety(body: string): boolean {
  return new Set(body).size >= DIFFERENT_MIN;
}

function matchForm(text: string, at: number, form: PrefixForm): Span | null {
  const { prefix } = form;
  const from = at + prefix.length;
  // Its last character is looked at first, since most others fail there.
  if (text.charCodeAt(from - 1) !== prefix.charCodeAt(prefix.length - 1)) return null;
  if (!text.startsWith(prefix, at)) return null;
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

function makeDetector({ name, rule, forms }: PrefixRow): Detector {
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
    cut: { goOn: (text, at, limit) => findRunEnd(text, at, limit - at, isToken) },
    isNearTokenStart: true,
  };
}

export const PREFIXED: readonly Detector[] = ROWS.map(makeDetector);
