// Explains a text that can't be a gateway secret, by its form alone: nothing is looked up, and nothing of it is shown.
import { checkSecret, SECRET_CHARACTERS } from "./secret.ts";

/** Vendors' keys by their prefixes, or by the text in all of OpenAI's. */
const VENDORS: readonly (readonly [look: RegExp, owner: string])[] = [
  [/^sk-ant-/, "Anthropic"],
  [/^sk-or-/, "OpenRouter"],
  [/^sk-(proj|svcacct|admin|None)-|T3BlbkFJ/, "OpenAI"],
  [/^AIza|^AQ\./, "Google"],
  [/^ya29\./, "Google (an access token)"],
  [/^gsk_/, "Groq"],
  [/^xai-/, "xAI"],
  [/^pplx-/, "Perplexity"],
  [/^nvapi-/, "NVIDIA"],
  [/^csk-/, "Cerebras"],
  [/^fw_/, "Fireworks"],
  [/^tgp_/, "Together"],
  [/^hf_/, "Hugging Face"],
  [/^jina_/, "Jina"],
  [/^pa-[\w-]{20}/, "Voyage"],
  [/^(AKIA|ASIA|ABSK)/, "Amazon (AWS)"],
  [/^(gh[opsu]_|github_pat_)/, "GitHub"],
];

const WANTED = "Use one of this gateway's keys instead";
const UNFILLED =
  "it is the name of a variable whose value was not filled in. Set it to one of this gateway's keys";
const NO_VALUE = `so the program's setting has no value. ${WANTED}`;

/** Texts that can't be a secret, with what they are and what would be right. The first match counts. */
const SHAPES: readonly (readonly [look: RegExp, says: string])[] = [
  [/^bearer\b/i, "the word 'Bearer' appears twice. Send it once: 'Authorization: Bearer sk-…'"],
  [/^["'`\u201c\u2018]|["'`\u201d\u2019]$/, "it is in quotation marks. Send it without them"],
  [/^\$|^%\w+%$|\{\{|^(?!YOUR)[A-Z][A-Z0-9]*_[A-Z0-9_]*(KEY|TOKEN)$/, UNFILLED],
  [/^[<([{]|[>)\]}]$/, "it is in brackets. Send it without them"],
  [/^(undefined|null|none|nil|false|\[object object\])$/i, `the word says that it is not set, ${NO_VALUE}`],
  [/^pk-admin-/, "it is the console's admin token. Requests to models need a key of this gateway, 'sk-…'"],
  [/^pk-/, "it is a token for administration. Requests to models need a key of this gateway, 'sk-…'"],
  [
    /^(key|acct|cred)_[0-9A-Za-z]+$/,
    "it is an id. Send the key's secret, 'sk-…', which was shown when it was made",
  ],
  [/^eyJ[\w-]+\./, `it is a signed token (JWT) of some sign-in. ${WANTED}`],
  [
    /\.\.\.|\u2026|x{4}|\*{3}|your|api[-_ ]?key|placeholder|changeme|dummy|^sk-?$|^(empty|test|secret)$/i,
    `it is a placeholder. ${WANTED}`,
  ],
  [/\\[nrt]/, "it contains an escaped line break. Send it without"],
  [/[,;]/, "it contains a comma or semicolon, as if it were two keys. Send one"],
  [/\s/, `it contains a space. Send it without: a key has ${SECRET_CHARACTERS} characters in one piece`],
  [/[^\x21-\x7e]/, "it has characters that no key has. Copy it again"],
  [/^SK-/, "it is in capitals. Keys are case-sensitive, and begin with 'sk-'"],
];

/** Longer texts are no vendor's key either, except signed tokens. */
const SEARCHED_CHARACTERS_MAX = 4096;
const SESSION = /^[0-9A-Za-z]{43}$/;
const LETTERS = /^[0-9A-Za-z]+$/;

/**
 * Returns what is wrong with the text and what would be right, as two sentences without their last stop. Null if it has
 * the form of our secrets, so that only a look-up can tell.
 */
export function explainShape(text: string): string | null {
  if (checkSecret(text)) return null;
  if (text.length > SEARCHED_CHARACTERS_MAX) return explainLength(text);
  const vendor = VENDORS.find(([look]) => look.test(text));
  if (vendor) return `it is a provider's key, of ${vendor[1]}. ${WANTED}`;
  const shape = SHAPES.find(([look]) => look.test(text));
  if (shape) return shape[1];
  if (SESSION.test(text)) return "it has the form of a console's session. Send a key of this gateway, 'sk-…'";
  if (!text.startsWith("sk-"))
    return "it does not begin with 'sk-', as this gateway's keys do. Copy it again";
  if (text.length !== SECRET_CHARACTERS || !LETTERS.test(text.slice(3))) return explainLength(text);
  return "it is mistyped, as its last six characters, a checksum, show. Copy it again";
}

function explainLength({ length }: string): string {
  const wanted = `This gateway's keys have ${SECRET_CHARACTERS}: 'sk-' and letters and digits`;
  return `it has ${length} characters. ${wanted}. Copy it again`;
}

/** Returns the look of a text in a few words: `a placeholder`. Those of our own secrets' form are an `unknown key`. */
export function nameShape(text: string): string {
  const explained = explainShape(text);
  if (explained === null) return "unknown key";
  const [clause = ""] = explained.split(/[.,;]/, 1);
  return clause.replace(/^it (is )?/, "");
}
