// Mistakes in the key: its header and scheme, what stands around it, and keys of something else.
import { ask, type Mistake } from "./mistake.ts";

type Key = readonly [name: string, headers: Mistake["headers"], what: RegExp, right: RegExp, where?: RegExp];

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const only = (header: string, value: string) => ({ authorization: null, [header]: value });
const THIS_KEY = /this gateway/;

const VENDORS: Readonly<Record<string, string>> = {
  OpenAI: "sk-proj-abcDEF123_456-abc",
  "OpenAI, an older form": "sk-abcdefghijklmnopqrstT3BlbkFJabcdefghijklmnopqrst",
  Anthropic: "sk-ant-api03-abcDEF_123-456AA",
  OpenRouter: "sk-or-v1-0123456789abcdef0123456789abcdef",
  Google: "AIzaSyA0123456789abcdefghijklmnopqrstuv",
  Groq: "gsk_abcdefghijklmnop0123456789",
  xAI: "xai-abcdefghijklmnop0123456789",
  Perplexity: "pplx-abcdefghijklmnop0123456789",
  "Hugging Face": "hf_abcdefghijklmnop0123456789",
  NVIDIA: "nvapi-abcdefghijklmnop0123456789",
  "Amazon|AWS": "AKIAIOSFODNN7EXAMPLE",
};

const KEYS: readonly Key[] = [
  ["Bearer twice", bearer("Bearer {secret}"), /twice/, /'?Authorization: Bearer sk-/],
  ["double quotes", bearer('"{secret}"'), /quot/, /without/],
  ["single quotes", bearer("'{secret}'"), /quot/, /without/],
  ["angle brackets", bearer("<{secret}>"), /bracket/, /without/],
  ["a space inside", bearer("{halves}"), /space/, /52|without/],
  ["a line break, written out", bearer("{secret}\\n"), /line break|backslash/, /without/],
  ["two keys", bearer("{secret},{secret}"), /comma|two/, /one/],
  ["its last letter cut", bearer("{cut}"), /51 characters/, /52/],
  ["a letter too many", bearer("{secret}x"), /53 characters/, /52/],
  ["a mistyped letter", bearer("{typo}"), /mistyped/, /again|copy/i],
  ["capitals", bearer("{upper}"), /capital|case/, /sk-/],
  ["its prefix missing", bearer("{bare}"), /begin|prefix/, /sk-/],
  ["a placeholder", bearer("sk-..."), /placeholder/, THIS_KEY],
  ["a placeholder in words", bearer("YOUR_API_KEY"), /placeholder/, THIS_KEY],
  ["a variable that wasn't filled in", bearer("$OPENAI_API_KEY"), /variable/, /value|set/],
  ["a variable in braces", bearer("{{apiKey}}"), /variable|template/, /value|set|fill/],
  ["undefined", bearer("undefined"), /not set|no value/, THIS_KEY],
  [
    "the admin token",
    bearer("pk-admin-0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"),
    /admin token/,
    /sk-|key/,
  ],
  ["a key's id", bearer("key_0123456789abcdefghijk"), /\bid\b/, /secret|sk-/],
  ["a signed token", bearer("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"), /JWT|sign/, THIS_KEY],
  ["a revoked key", bearer("{revoked}"), /wrong, revoked or expired/, /operator|new/, /API key/],
  ["a key never made", bearer("{wrong}"), /wrong, revoked or expired/, /operator|new/, /API key/],
  ["a key in x-api-key, cut", only("x-api-key", "{cut}"), /51 characters/, /52/, /x-api-key/],
  [
    "a vendor's key in x-goog-api-key",
    only("x-goog-api-key", "AIzaSyAbc0123456789"),
    /Google/,
    THIS_KEY,
    /x-goog/,
  ],
  ["no key", { authorization: null }, /didn't provide/, /Bearer sk-/],
  ["no scheme", { authorization: "{secret}" }, /no scheme|'Bearer '|lacks/, /Bearer sk-/],
  ["Basic", { authorization: "Basic c2stOng=" }, /Basic/, /Bearer/],
  ["Token", { authorization: "Token {secret}" }, /Token|another scheme/, /Bearer/],
  ["an empty Bearer", { authorization: "Bearer " }, /empty|nothing/, /Bearer sk-/],
  ["Azure's header", only("api-key", "{secret}"), /'?api-key/, /Bearer/, /api-key/],
];

export const SECRET_MISTAKES: readonly Mistake[] = [
  ...Object.entries(VENDORS).map(([vendor, secret]): Key => {
    const [name = ""] = vendor.split(",");
    return [`a key of ${vendor}`, bearer(secret), new RegExp(name), THIS_KEY];
  }),
  ...KEYS,
].map(([name, headers, what, right, where = /Authorization/]) => ({
  name,
  ...(headers ? { headers } : {}),
  body: ask(),
  status: 401,
  what,
  where,
  right,
}));

export const URL_SECRET: Mistake = {
  name: "a key in the URL",
  path: "/v1/models?api_key={secret}",
  status: 400,
  what: /logs/,
  where: /URL/,
  right: /Authorization/,
};

/** Mistakes at the admin routes, and before a page's request. */
export const DOOR_MISTAKES: readonly Mistake[] = [
  {
    name: "a gateway key at the admin routes",
    path: "/admin/v1/keys",
    status: 401,
    what: /key for requests to models/,
    where: /admin token/,
    right: /'pk-admin-/,
  },
  {
    name: "a page of an origin that isn't allowed",
    method: "OPTIONS",
    headers: {
      authorization: null,
      origin: "https://app.example.com",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    },
    status: 405,
    what: /preflight/,
    where: /'https:\/\/app\.example\.com'/,
    right: /'server\.cors'/,
  },
];
