// A request with a mistake, and what its answer has to name.

export interface Mistake {
  readonly name: string;
  /** POST if there is a body, else GET. */
  readonly method?: string;
  /** `/v1/chat/completions` if missing. */
  readonly path?: string;
  /** Override a valid key and JSON's type. Null leaves a header out. `{name}` is one of the world's secrets. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** An object is sent as JSON, a string unchanged. Missing for a GET. */
  readonly body?: unknown;
  /** The holder of the key: the world's restricted key may only use `Acme#*`. */
  readonly who?: "restricted";
  readonly status: number;
  /** The reason, the place in the request, and what would be right. One point each. */
  readonly what: RegExp;
  readonly where: RegExp;
  readonly right: RegExp;
}

/** A valid chat-completions body with changes. */
export function ask(changes: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { model: "OpenAI#gpt-5.4", messages: [{ role: "user", content: "say: good day" }], ...changes };
}
