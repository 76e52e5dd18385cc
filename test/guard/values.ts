// Valid values of each detector by a repeatable chance, as people write them.
import { CAPITALS, DIGITS, LETTERS } from "../../src/guard/characters.ts";
import { DETECTORS } from "../../src/guard/detectors.ts";
import { mintSecret } from "../../src/keys/secret.ts";
import recorded from "./numbers.data.json" with { type: "json" };
import { GROUPS, writeGroups } from "./written.ts";

type Chance = (most: number) => number;

export interface Value {
  readonly value: string;
  /** Must stand somewhere before it. */
  readonly word?: string;
  /** The text that belongs directly around it. */
  readonly around?: readonly [before: string, after: string];
}

const BASE32 = `${CAPITALS}234567`;
const TOKENS = LETTERS + DIGITS;
const NUMBERS: Readonly<Record<string, readonly string[]>> = recorded;
const WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  DETECTORS.map(({ name, words = [] }) => [name, words]),
);
const CARD_GROUPS: Readonly<Record<number, readonly number[]>> = { 15: [4, 6, 5], 16: [4, 4, 4, 4] };

function draw(chance: Chance, count: number, alphabet = TOKENS): string {
  return Array.from({ length: count }, () => alphabet.charAt(chance(alphabet.length))).join("");
}

function pick<Item>(chance: Chance, items: readonly [Item, ...Item[]]): Item {
  return items[chance(items.length)] ?? items[0];
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function drawJwt(chance: Chance): string {
  const header = encode({ alg: "HS256", typ: "JWT" });
  return `${header}.${encode({ sub: draw(chance, 10, DIGITS) })}.${draw(chance, 43)}`;
}

function drawPrivateKey(chance: Chance): string {
  const kind = pick(chance, ["", "RSA ", "EC "]);
  const lines = [draw(chance, 64), draw(chance, 64), draw(chance, 20)].join("\n");
  return `-----BEGIN ${kind}PRIVATE KEY-----\n${lines}\n-----END ${kind}PRIVATE KEY-----`;
}

function drawPhone(chance: Chance): Value {
  const two = () => draw(chance, 2, DIGITS);
  const four = () => draw(chance, 4, DIGITS);
  const national = `030 9${four()}`;
  return pick<Value>(chance, [
    { value: `+49 ${national.slice(1)}0` },
    { value: `+33 1 ${two()} ${two()} ${two()} ${two()}` },
    { value: `0044 20 ${four()} ${four()}` },
    { value: `+81-3-${four()}-${four()}` },
    { value: `${national}0`, word: pick(chance, ["tel.", "Phone", "Mobil", "Telefon"]) },
  ]);
}

function drawIp(chance: Chance): string {
  const groups = () =>
    Array.from({ length: 4 }, () => `${1 + chance(9)}${draw(chance, 3, "0123456789abcdef")}`);
  if (chance(3) === 0) return `2a00:${groups().join(":")}::${1 + chance(9)}`;
  return [11 + chance(90), ...Array.from({ length: 3 }, () => chance(256))].join(".");
}

/** `2123 45670 1`: the ninth digit is the checksum. */
function drawMedicare(chance: Chance): string {
  const first = `${2 + chance(5)}${draw(chance, 7, DIGITS)}`;
  const sum = [1, 3, 7, 9, 1, 3, 7, 9].reduce(
    (all, weight, at) => all + weight * Number(first.charAt(at)),
    0,
  );
  return `${first.slice(0, 4)} ${first.slice(4)}${sum % 10} ${1 + chance(9)}`;
}

function drawNric(chance: Chance): string {
  const number = draw(chance, 7, DIGITS);
  const sum = [2, 7, 6, 5, 4, 3, 2].reduce((all, weight, at) => all + weight * Number(number.charAt(at)), 0);
  return `S${number}${"JZIHGFEDCBA".charAt(sum % 11)}`;
}

function drawNino(chance: Chance): string {
  const parts = [
    pick(chance, ["AB", "CE", "JK", "PR"]),
    ...Array.from({ length: 3 }, () => draw(chance, 2, DIGITS)),
  ];
  return [...parts, draw(chance, 1, "ABCD")].join(pick(chance, ["", " "]));
}

function drawEmail(chance: Chance): string {
  const name = draw(chance, 6, LETTERS);
  return `${name}${pick(chance, ["", ".lovelace", "+tag", "_2"])}@${pick(chance, ["corp-x.de", "mail.corp-x.co.uk"])}`;
}

const secret =
  (write: (chance: Chance) => string) =>
  (chance: Chance): Value => ({ value: write(chance) });
const prefixed = (prefix: string, count: number, alphabet = TOKENS) =>
  secret((chance) => `${prefix}${draw(chance, count, alphabet)}`);

const DRAWN: Readonly<Record<string, (chance: Chance) => Value>> = {
  openai_key: prefixed("sk-proj-", 64),
  anthropic_key: prefixed("sk-ant-api03-", 95),
  google_key: prefixed("AIza", 35),
  aws_key: prefixed("AKIA", 16, BASE32),
  github_token: prefixed("ghp_", 36),
  gitlab_token: prefixed("glpat-", 20),
  slack_token: prefixed("xoxb-4829163750-", 24),
  stripe_key: prefixed("sk_live_", 24),
  npm_token: prefixed("npm_", 36),
  pypi_token: prefixed("pypi-AgEIcHlwaS5vcmc", 120),
  sendgrid_key: secret((chance) => `SG.${draw(chance, 22)}.${draw(chance, 43)}`),
  huggingface_token: prefixed("hf_", 34, LETTERS),
  poundkey_key: secret((chance) =>
    mintSecret({ bytes: (count) => Uint8Array.from({ length: count }, () => chance(256)) }),
  ),
  jwt: secret(drawJwt),
  private_key: secret(drawPrivateKey),
  url_password: (chance) => ({ value: draw(chance, 14), around: ["postgres://ada:", "@db:5432/app"] }),
  email: secret(drawEmail),
  phone: drawPhone,
  ip: secret(drawIp),
  uk_nino: secret(drawNino),
  au_medicare: secret(drawMedicare),
  sg_nric: secret(drawNric),
  assigned_secret: (chance) => ({ value: draw(chance, 24), around: ["db_password = '", "'"] }),
};

/** One of the judge's numbers: in groups, or without separators after one of the detector's words. */
function drawNumber(detector: string, chance: Chance): Value {
  const numbers = NUMBERS[detector] ?? [];
  const value = numbers[chance(numbers.length)] ?? "";
  const groups: (typeof GROUPS)[string] | undefined =
    detector === "card" ? [CARD_GROUPS[value.length] ?? [], " "] : GROUPS[detector];
  const words = WORDS.get(detector) ?? [];
  if (groups && chance(2) === 0) return { value: writeGroups(value, groups) };
  const word = words[chance(words.length)];
  return word === undefined ? { value } : { value, word };
}

export function drawValue(detector: string, chance: Chance): Value {
  return DRAWN[detector]?.(chance) ?? drawNumber(detector, chance);
}
