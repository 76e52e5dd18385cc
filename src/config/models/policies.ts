// Reads the files of settings that agents get from the gateway, by their person's group.
import { isObject, parseJson } from "../../core/json/json.ts";
import type { AgentPolicy } from "../../core/people/sign-in.ts";
import type { Issues } from "../errors.ts";
import { describeUnread, type Environment } from "../interpolate.ts";

const FILE_BYTES_MAX = 1_000_000;
const PLACE = ["sign_in", "agents", "managed_settings"] as const;

/** `files` has the path of a file by the name of a group. Reports files that can't be read or hold no JSON object. */
export function readPolicies(
  files: Readonly<Record<string, string>>,
  readFile: Environment["readFile"],
  issues: Issues,
): readonly AgentPolicy[] {
  return Object.entries(files).flatMap(([group, file]) => {
    const wrong = (what: string) => {
      issues.atValue([...PLACE, group], `${file}: ${what}`);
      return [];
    };
    try {
      const settings = parseJson(readFile(file, FILE_BYTES_MAX));
      return isObject(settings)
        ? [makePolicy(group, file, settings)]
        : wrong("expected a JSON object of settings");
    } catch (thrown) {
      return wrong(`the file ${describeUnread(thrown)}`);
    }
  });
}

/** The checksum is Claude Code's own: of the settings as JSON without spaces, with the fields of each object in order. */
function makePolicy(group: string, file: string, settings: Readonly<Record<string, unknown>>): AgentPolicy {
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(sortFields(settings))).digest("hex");
  return { group, file, uuid: formatUuid(digest), checksum: `sha256:${digest}`, settings };
}

function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, inner]) => [name, sortFields(inner)]));
}

const UUID = /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/;

/** Returns a UUID of version 8 (RFC 9562), the same for the same settings. */
function formatUuid(digest: string): string {
  return digest.replace(UUID, "$1-$2-8$3-8$4-$5");
}
