// The addresses of recordings made in a cloud, split into the parts that the gateway's configuration names.
import type { ModelCard } from "../../src/core/models/card.ts";
import type { Outgoing, Target } from "../../src/core/models/dialect.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import type { Recording } from "./load.ts";

/** The provider's row for each cloud's fixture file. */
export const CLOUD_OF_FILE: Readonly<Record<string, string>> = {
  bedrock: "Bedrock",
  azure: "Azure",
  vertexai: "Vertex",
};

interface Place {
  readonly baseUrl: string;
  readonly apiVersion?: string;
  readonly deployment?: string;
}

const DATED = /^(?<root>.*\/openai)\/deployments\/(?<deployment>[^/]+)\/.*[?&]api-version=(?<version>[^&]+)/;
const VERSION_ONE = /^(?<base>.*\/openai\/v1)\//;
const BEDROCK = /^(?<base>https:\/\/[^/]+)\/model\//;
const VERTEX = /^(?<base>.*\/v1(beta1)?(\/projects\/[^/]+\/locations\/[^/]+)?)\/publishers\//;

/** Null for an address that the gateway doesn't call, such as that of Azure's older inference API. */
function readPlace({ file, url }: Recording): Place | null {
  const { root, deployment = "", version = "" } = DATED.exec(url)?.groups ?? {};
  if (root !== undefined) return { baseUrl: `${root}/v1`, deployment, apiVersion: version };
  const pattern = file === "azure" ? VERSION_ONE : file === "bedrock" ? BEDROCK : VERTEX;
  const { base } = pattern.exec(url)?.groups ?? {};
  return base === undefined ? null : { baseUrl: base };
}

/** Some clients of Bedrock don't encode the colons of a model's id. */
export function encodeModel(url: string): string {
  return url.replace(/(?<=\/model\/)[^/]+/, (id) => encodeURIComponent(decodeURIComponent(id)));
}

export interface Carried {
  readonly outgoing: Outgoing;
  /** The differences between the gateway's call and the recorded one, which another client made. */
  readonly differences: readonly string[];
}

/** Returns the call in the cloud's form at the recorded address, or null if it isn't a call to a cloud. */
export function carryAsRecorded(
  recording: Recording,
  dialect: Dialect,
  card: ModelCard,
  encode: (target: Target) => Outgoing,
): Carried | null {
  const place = readPlace(recording);
  if (!place || !dialect.carry) return null;
  const { deployment, ...address } = place;
  const target = { ...address, secret: null, headers: {} };
  const deployed = deployment === undefined ? card : { ...card, deployment };
  const outgoing = dialect.carry(encode(target), deployed, target);
  // Some clients requested finishes as numbers, which changes nothing else.
  const recorded = encodeModel(recording.url.replace(/[?&]%24alt=json[^&]*/, ""));
  const isSame = outgoing.url === recorded || outgoing.url === `${recorded}?alt=sse`;
  const differences = isSame ? [] : [`url ${outgoing.url}, not ${recorded}`];
  // Azure's older API reads the model from the address, and clients write any name in the body.
  const body =
    deployment === undefined ? outgoing.body : { ...outgoing.body, model: recording.request?.model };
  return { outgoing: { ...outgoing, body }, differences };
}
