// Notes the lines of the fields that the console's pages show, so that they can say where each comes from.
import type { FieldPlace, SettingsOrigin } from "../../core/settings-origin.ts";
import type { YamlText } from "../yaml.ts";

/** Models and prices aren't among them: there may be tens of thousands. */
const SHOWN: ReadonlySet<string> = new Set([
  "server",
  "quota",
  "billing",
  "limits",
  "key_defaults",
  "key_maxima",
  "member_defaults",
  "log",
  "router",
  "webhooks",
  "sign_in",
  "scim",
  "mcp",
  "aliases",
  "providers",
  "store",
]);
/** Enough for `mcp.servers.NAME.url` and `sign_in.oidc.rules[0]`. */
const DEPTH_MAX = 4;
const FIELDS_MAX = 2000;

interface ConfigurationText {
  readonly file: string;
  /** The fields that the command line sets instead. */
  readonly overrides: {
    readonly host?: string | undefined;
    readonly port?: number | undefined;
    readonly store?: string | undefined;
  };
}

export function readOrigin(
  yaml: YamlText,
  { file, overrides }: ConfigurationText,
  sections: SettingsOrigin["sections"],
): SettingsOrigin {
  const lines = yaml.listLines(SHOWN, DEPTH_MAX).take(FIELDS_MAX).toArray();
  const overridden = listOverridden(overrides);
  const inFile = lines.filter(({ path }) => !overridden.some((one) => isSame(one.path, path)));
  return { file, fields: [...overridden, ...inFile], sections };
}

function listOverridden({ host, port, store }: ConfigurationText["overrides"]): readonly FieldPlace[] {
  const paths = [
    ...(host === undefined ? [] : [["server", "host"]]),
    ...(port === undefined ? [] : [["server", "port"]]),
    ...(store === undefined ? [] : [["store"]]),
  ];
  return paths.map((path) => ({ path, line: null }));
}

function isSame(one: FieldPlace["path"], other: FieldPlace["path"]): boolean {
  return one.length === other.length && one.every((step, at) => step === other[at]);
}
