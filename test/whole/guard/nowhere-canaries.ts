// A value for each detector, in the words that it needs before it. Made-up, and none of them a documentation value.

const A = "q7Wd2kZp9Xs4Lb8Rt3Vn";
const LONG = A + A.toLowerCase() + A + A.toLowerCase() + A;
const JWT = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", A].join(".");
const KEY = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7${A}`;

interface Canary {
  readonly detector: string;
  /** Stands nowhere afterwards. */
  readonly value: string;
  /** The text before it. */
  readonly word?: string;
}

export const CANARIES: readonly Canary[] = [
  { detector: "openai_key", value: `sk-proj-${A}${A}${A}` },
  { detector: "anthropic_key", value: `sk-ant-api03-${LONG}` },
  { detector: "google_key", value: `AIza${A}Qm5Yc1Hg6Jf0Kd7` },
  { detector: "aws_key", value: `AKIA${"Q3EGRI4ZT5UMX7WB"}` },
  { detector: "github_token", value: `ghp_${A}Qm5Yc1Hg6Jf0Kd72` },
  { detector: "gitlab_token", value: `glpat-${A}` },
  { detector: "slack_token", value: `xoxb-4829163750-${A}` },
  { detector: "stripe_key", value: `sk_live_${A}Qm5Y` },
  { detector: "npm_token", value: `npm_${A}Qm5Yc1Hg6Jf0Kd72` },
  { detector: "pypi_token", value: `pypi-AgEIcHlwaS5vcmc${LONG}` },
  { detector: "sendgrid_key", value: `SG.${A}Qm.${A}${A}Qm5` },
  { detector: "huggingface_token", value: "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" },
  { detector: "jwt", value: JWT },
  { detector: "private_key", value: KEY, word: "-----BEGIN PRIVATE KEY-----\n" },
  { detector: "url_password", value: "zugangswort7", word: "postgres://ada:" },
  { detector: "email", value: "ada.canary@corp-x.de" },
  { detector: "phone", value: "+49 30 901820" },
  { detector: "card", value: "4532 0151 1283 0366" },
  { detector: "iban", value: "DE89 3704 0044 0532 0130 00" },
  { detector: "ip", value: "93.184.216.34" },
  { detector: "mac", value: "3c:22:fb:1a:2b:3c" },
  { detector: "us_ssn", value: "536-90-4399" },
  { detector: "us_itin", value: "912-90-3456" },
  { detector: "uk_nhs", value: "943 476 5870" },
  { detector: "uk_nino", value: "AB123456C" },
  { detector: "ca_sin", value: "130 692 544" },
  { detector: "au_tfn", value: "123 456 782" },
  { detector: "au_medicare", value: "2123 45670 1" },
  { detector: "in_aadhaar", value: "2341 2341 2346" },
  { detector: "in_pan", value: "ACUPA7085R" },
  { detector: "br_cpf", value: "390.533.447-05" },
  { detector: "nl_bsn", value: "111222333", word: "bsn " },
  { detector: "fr_nir", value: "2 95 10 99 126 111 93" },
  { detector: "es_nif", value: "54362315K" },
  { detector: "it_cf", value: "RCCMNL83S18D969H" },
  { detector: "pl_pesel", value: "44051401359", word: "pesel " },
  { detector: "de_steuerid", value: "36 574 261 809" },
  { detector: "cn_id", value: "360426199101010071" },
  { detector: "sg_nric", value: "S1234567D" },
  { detector: "kr_rrn", value: "971013-9019902" },
  { detector: "fi_hetu", value: "131052-308T" },
  { detector: "se_pnr", value: "880320-0016" },
];

const BEHIND: Readonly<Record<string, string>> = {
  private_key: "\n-----END PRIVATE KEY-----",
  url_password: "@db.corp-x.de/app",
};

/** All of them in one text, each in a line of its own. */
export const SENTENCE = CANARIES.map(
  ({ detector, value, word = "" }) => `It is ${word}${value}${BEHIND[detector] ?? ""} here.`,
).join("\n");

/** Returns the detectors whose values stand in a text, as they are or as PostgreSQL shows bytes. */
export function listShown(text: string): readonly string[] {
  return CANARIES.filter(({ value }) => {
    const bare = value.replace(/[ .-]/g, "");
    const hex = Buffer.from(value).toString("hex");
    return [value, JSON.stringify(value).slice(1, -1), hex, bare].some((form) => text.includes(form));
  }).map(({ detector }) => detector);
}
