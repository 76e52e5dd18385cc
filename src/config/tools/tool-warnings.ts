// Warnings about tool servers that are valid: credentials so short that words may look like them.
import type { Settings } from "../../core/settings.ts";
import { HIDDEN_CHARACTERS_MIN, type ToolAuth } from "../../core/tools/tool-server.ts";
import type { Issue } from "../errors.ts";

export function warnOfShortCredentials({ tools }: Pick<Settings, "tools">): readonly Issue[] {
  const message = `is shorter than ${HIDDEN_CHARACTERS_MIN} characters, so it isn't taken out of answers in which the server quotes it`;
  return (tools?.servers ?? []).flatMap(({ name, auth }) =>
    listSecrets(auth)
      .filter(([, secret]) => secret.length < HIDDEN_CHARACTERS_MIN)
      .map(([field]): Issue => ({ path: ["mcp", "servers", name, "auth", ...field], at: "value", message })),
  );
}

function listSecrets(auth: ToolAuth): readonly (readonly [field: readonly string[], secret: string])[] {
  switch (auth.kind) {
    case "bearer":
      return [[["bearer"], auth.token]];
    case "header":
      return [...auth.headers].map(([name, value]) => [["header", name], value]);
    case "oauth":
      return [[["oauth", "client_secret"], auth.clientSecret]];
    default:
      return [];
  }
}
