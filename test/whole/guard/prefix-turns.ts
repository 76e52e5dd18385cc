// A conversation of prose with a value in each turn, as agents send it: each request repeats all of the one before.

const WORDS =
  "the account was closed after a review of what each team had written about its costs and the next steps".split(
    " ",
  );
const TURN_CHARACTERS = 5000;

export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** Returns the messages of so many turns, about 10 KB each. Other seeds give other texts. */
export function makeTurns(count: number, seed: number): readonly Turn[] {
  let state = seed + 1;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 8;
  };
  const write = (at: number) => {
    let text = `Turn ${at} of ${seed}: write to person${at}.${seed}@corp-x.de.`;
    while (text.length < TURN_CHARACTERS) text += ` ${WORDS[next() % WORDS.length]}`;
    return text;
  };
  return Array.from({ length: 2 * count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: write(at),
  }));
}
