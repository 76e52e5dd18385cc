// A conversation that only grows, in no API's form: what a client has said and was answered, and what it asks next.
import type { JsonObject } from "../../../../src/core/json/json.ts";
import type { SurfaceKey } from "../../../surfaces/crossing/crossing.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** The signatures by which thinking comes back: a vendor's own, or ours around it. */
export type Signed = "claude" | "openai" | "sealed";

export type AnswerPart =
  | {
      readonly kind: "thinking";
      readonly text: string;
      readonly signed: Signed;
      readonly signature: string;
      /** An item's id, which OpenAI's models get back. */
      readonly id?: string;
    }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly call: Call };

/** An answer, and the same in the form in which it came: the items that the client sends back. */
export interface Answer {
  readonly kind: "answer";
  readonly surface: SurfaceKey;
  readonly given: readonly JsonObject[];
  readonly parts: readonly AnswerPart[];
}

export type Said =
  | { readonly kind: "user"; readonly text: string; readonly hasPicture: boolean }
  | { readonly kind: "late"; readonly text: string }
  | { readonly kind: "added"; readonly tool: Tool }
  | { readonly kind: "removed"; readonly name: string }
  | { readonly kind: "result"; readonly call: Call; readonly text: string }
  | Answer;

/** The way in which one request is asked, beside the conversation. */
export type Ask = "plain" | "required" | "named" | "allowed" | "json";

export interface Talk {
  readonly system: string;
  /** Offered from the beginning. */
  readonly tools: readonly Tool[];
  readonly effort: "high" | null;
  readonly said: readonly Said[];
}

/** The beginning of the client's own late system messages, which tells them from what the gateway says. */
export const NOTED = "note-";

/** The beginning of the names of tools that clients remove. */
export const LEAVING = "leaving_";

/** The smallest picture. */
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** The model's next answer, as the generator wants it. */
export interface AnswerPlan {
  readonly thinks: boolean;
  /** With a second thought behind the text. */
  readonly interleaves: boolean;
  readonly text: string;
  readonly calls: readonly Call[];
}
