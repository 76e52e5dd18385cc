// Prompts and answers that the log keeps, as the console reads them.

export interface Message {
  readonly role: string;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
}

/** The prompt and the answer; kept where the operator wants it so. */
export interface Content {
  readonly messages: readonly Message[];
  readonly request?: Readonly<Record<string, unknown>>;
  readonly reply: { readonly choices?: readonly { readonly message?: Message }[] } | null;
  readonly truncated: boolean;
}
