// The texts of another gateway's files, as an import may use them: none of them becomes live, and none is a login.
import { isObject } from "../core/json/json.ts";
import type { Report } from "./report.ts";

/** The name and password in an address. */
const LOGIN = /^(https?:\/\/)[^/?#\s]*@/i;

/**
 * Returns what was parsed with its texts as they stand in the configuration: `${` is the text that it was there, and an
 * address has no name and password, of which a row of the report tells.
 */
export function readForeign(value: unknown, report: Report): unknown {
  return mapTexts(value, (text) => {
    const plain = text.replaceAll("${", () => "$${");
    if (!LOGIN.test(plain)) return plain;
    const address = plain.replace(LOGIN, "$1");
    report.leave(
      null,
      `login of ${address}`,
      "its name and password are left out: send them as a header or key",
    );
    return address;
  });
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, map));
  if (!isObject(value) || value instanceof Date) return value;
  const fields = Object.entries(value).map(([name, field]) => [map(name), mapTexts(field, map)]);
  return Object.fromEntries(fields);
}
