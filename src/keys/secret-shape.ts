// Explains a text that can't be a gateway secret, by its form alone: nothing is looked up, and nothing of it is shown.
import { checkSecret, SECRET_CHARACTERS } from "./secret.ts";

/** The look of a vendor's keys, as the providers' rows give it. */
interface VendorSecret {
  readonly look: RegExp;
  readonly owner: string;
}

/** Secrets of vendors that are no provider of models, or that no key of a provider's looks like. */
const OTHER_VENDORS: readonly VendorSecret[] = [
  { look: /^ya29\./, owner: "Google (an access token)" },
  { look: /^hf_/, owner: "Hugging Face" },
  { look: /^(AKIA|ASIA|ABSK)/, owner: "Amazon (AWS)" },
  { look: /^(gh[opsu]_|github_pat_)/, owner: "GitHub" },
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
  [/^pk-login-/, "it is the command line's sign-in. Requests to models need a key of this gateway, 'sk-…'"],
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

/** Explains texts that were sent in the place of a gateway secret. */
export class SecretShapes {
  readonly #vendors: readonly VendorSecret[];

  constructor(vendors: readonly VendorSecret[]) {
    this.#vendors = [...vendors, ...OTHER_VENDORS];
  }

  /**
   * Returns what is wrong with the text and what would be right, as two sentences without their last stop. Null if it has
   * the form of our secrets, so that only a look-up can tell.
   */
  explain(text: string): string | null {
    if (checkSecret(text)) return null;
    if (text.length > SEARCHED_CHARACTERS_MAX) return explainLength(text);
    const vendor = this.#vendors.find(({ look }) => look.test(text));
    if (vendor) return `it is a provider's key, of ${vendor.owner}. ${WANTED}`;
    const shape = SHAPES.find(([look]) => look.test(text));
    if (shape) return shape[1];
    if (SESSION.test(text))
      return "it has the form of a console's session. Send a key of this gateway, 'sk-…'";
    if (!text.startsWith("sk-"))
      return "it does not begin with 'sk-', as this gateway's keys do. Copy it again";
    if (text.length !== SECRET_CHARACTERS || !LETTERS.test(text.slice(3))) return explainLength(text);
    return "it is mistyped, as its last six characters, a checksum, show. Copy it again";
  }

  /** Returns the look of a text in a few words: `a placeholder`. Those of our own secrets' form are an `unknown key`. */
  name(text: string): string {
    const explained = this.explain(text);
    if (explained === null) return "unknown key";
    const [clause = ""] = explained.split(/[.,;]/, 1);
    return clause.replace(/^it (is )?/, "");
  }
}

function explainLength({ length }: string): string {
  const wanted = `This gateway's keys have ${SECRET_CHARACTERS}: 'sk-' and letters and digits`;
  return `it has ${length} characters. ${wanted}. Copy it again`;
}
