// The refusals of what a directory sends, by the words that SCIM has for them (RFC 7644, section 3.12).

/** Those of the protocol, and `notFound`, which has no word there. */
export type RefusalReason =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "notFound"
  | "tooMany"
  | "uniqueness";

/** A request that changes nothing. The message is for the people who run the directory. */
export class DirectoryRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
