// The tokens of a gateway that needs none: a call that asks for one fails.
export const NO_TOKENS = {
  get: (): Promise<string> => Promise.reject(new Error("no token is needed here")),
  refuse: (): void => {},
};
