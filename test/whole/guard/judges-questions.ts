// What clients are asked in the judges' tests, and what counts of an answer.

export interface Question {
  readonly prompt: string;
  /** `object` is any JSON object, of which the form isn't said. */
  readonly kind: "text" | "calls" | "format" | "object";
}

/** An answer without what differs between two of the same: ids and times. */
export interface Judged {
  readonly text: string;
  readonly calls: readonly unknown[];
  readonly finish: unknown;
}

export interface Client {
  readonly url: string;
  readonly secret: string;
}

export type Ask = (client: Client, isStream: boolean, question: Question) => Promise<Judged>;

/** A word of the operator's that JSON writes otherwise than text. */
export const ODD = 'Anna "Nan" O\\Neil';

const SAID = `say: ${ODD}: Write to ada@corp-x.de, or pay by 4532 0151 1283 0366. 😀 Ünïcödé. Again: ada@corp-x.de, o'neil@corp-x.de`;
const CALLS =
  'call get_weather({"city":"ada@corp-x.de"}) and call get_weather({"city":"by \\"4532 0151 1283 0366\\" or o\'neil@corp-x.de"})';

export const QUESTIONS: readonly Question[] = [
  { prompt: SAID, kind: "text" },
  { prompt: CALLS, kind: "calls" },
  { prompt: SAID, kind: "format" },
  { prompt: SAID, kind: "object" },
];
