// The ports of a gateway that needs no tokens: a call that asks for one fails.
const fail = () => Promise.reject(new Error("no token is needed here"));

export const NO_TOKENS = {
  clock: { nowMs: () => 0 },
  deadlines: { nowMs: () => 0, watch: (atMs: number) => ({ atMs, clear: () => {} }) },
  fetch: fail,
  readFile: fail,
};
