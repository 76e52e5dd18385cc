// A named token of the admin routes. Its rights never change.
import { TOKEN_FIELDS } from "../fields/token.ts";
import type { Thing } from "./thing.ts";

export const TOKEN = {
  name: "token",
  tag: "Tokens",
  fields: TOKEN_FIELDS,
  actions: {
    list: {
      id: "listTokens",
      method: "GET",
      path: "/tokens",
      permission: "tokens.write",
      summary: "List the named tokens within one's own rights, newest first",
    },
    make: {
      id: "createToken",
      method: "POST",
      path: "/tokens",
      permission: "tokens.write",
      summary: "Create a named token; its secret is shown only once",
      audit: "token.created",
    },
    take: {
      id: "takeToken",
      method: "POST",
      path: "/tokens/:id/take",
      permission: "tokens.write",
      summary: "Take a named token over, with a new secret; it stands on the sender from then on",
      audit: "token.taken",
    },
    end: {
      id: "revokeToken",
      method: "DELETE",
      path: "/tokens/:id",
      permission: "tokens.write",
      summary: "Revoke a named token, and its console sessions, at once",
      audit: "token.revoked",
    },
  },
} as const satisfies Thing;
