// The table of things.
import { ACCOUNT } from "./account.ts";
import { ALIAS } from "./alias.ts";
import { CREDENTIAL } from "./credential.ts";
import { DELIVERY } from "./delivery.ts";
import { FILE } from "./file.ts";
import { KEY } from "./key.ts";
import { LIMIT_REQUEST } from "./limit-request.ts";
import { PLAIN_THINGS } from "./plain-things.ts";
import type { Thing } from "./thing.ts";
import { TOKEN } from "./token.ts";

export const THINGS: readonly Thing[] = [
  ACCOUNT,
  KEY,
  TOKEN,
  ALIAS,
  CREDENTIAL,
  DELIVERY,
  FILE,
  LIMIT_REQUEST,
  ...PLAIN_THINGS,
];
