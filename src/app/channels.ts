// The addresses under which Poundkey is published, as `deploy/channels.yaml` has them.
import { asObject, asString } from "../core/json/json.ts";
import file from "../deploy/channels.yaml";

/** Each is null until it is published. */
export interface Channels {
  readonly repository: string | null;
  readonly npm: string | null;
  readonly image: string | null;
  readonly chart: string | null;
  readonly formula: string | null;
  readonly manual: string | null;
  /** The public key of releases, as PEM. */
  readonly signingKey: string | null;
}

const rows = asObject(file);
const read = (name: string) => asString(rows[name]) ?? null;

export const CHANNELS: Channels = {
  repository: read("repository"),
  npm: read("npm"),
  image: read("image"),
  chart: read("chart"),
  formula: read("formula"),
  manual: read("manual"),
  signingKey: read("signing_key"),
};
