// The parts of the gateway that every request goes through, whatever it asks for: calls of tools have the same ones.
import type { Contents } from "./answer/contents.ts";
import type { Entrance } from "./entrance.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { Admissions } from "./settle/admissions.ts";
import type { Closing } from "./settle/closing.ts";

export interface RequestLife {
  readonly underWay: OpenRequests;
  readonly admissions: Admissions;
  readonly entrance: Entrance;
  readonly contents: Contents;
  readonly closing: Closing;
}
