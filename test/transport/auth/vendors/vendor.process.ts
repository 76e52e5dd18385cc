// One of the clouds' own libraries, which asks for keys or a token by the variables of its process:
// `bun vendor.process.ts IDENTITY ORIGIN`. Prints what it was given. A process each, since the libraries remember what they found.
import { KNOWN } from "../cloud-rules.ts";

/** Not a name that the compiler would look for: they are only installed by .ci/run. */
const load = (name: string) => import(name);

const [identity = "", origin = ""] = process.argv.slice(2);
const REGION = process.env.AWS_REGION;
/** The library only trusts an authority by HTTPS, so its client leads there instead. */
const AUTHORITY = "https://login.microsoftonline.com";

type GiveKeys = () => Promise<{ readonly accessKeyId: string }>;

async function askAws(): Promise<string> {
  const { fromTokenFile, fromInstanceMetadata, fromHttp, fromTemporaryCredentials } = await load(
    "@aws-sdk/credential-providers",
  );
  const clientConfig = { region: REGION };
  const params = {
    RoleArn: KNOWN.otherArn,
    ExternalId: KNOWN.externalId,
    RoleSessionName: process.env.AWS_ROLE_SESSION_NAME,
  };
  const assume = (masterCredentials: GiveKeys): GiveKeys =>
    fromTemporaryCredentials({ params, clientConfig, masterCredentials });
  const sources: Readonly<Record<string, () => GiveKeys>> = {
    EKS: () => fromTokenFile({ clientConfig }),
    EC2: () => fromInstanceMetadata(),
    ECS: () => fromHttp({}),
    "another account's role from EKS": () => assume(fromTokenFile({ clientConfig })),
    "another account's role from EC2": () => assume(fromInstanceMetadata()),
  };
  const give = sources[identity]?.();
  return (await give?.())?.accessKeyId ?? "";
}

interface PipelineRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: { toJSON(): Record<string, string> };
  readonly body?: string;
}

/** Sends the library's requests to the fake. */
async function makeClient() {
  const { createHttpHeaders } = await load("@azure/core-rest-pipeline");
  return {
    async sendRequest(request: PipelineRequest) {
      const { method, body } = request;
      const sent = { method, headers: request.headers.toJSON(), ...(body === undefined ? {} : { body }) };
      const response = await fetch(request.url.replace(AUTHORITY, `${origin}/entra`), sent);
      const headers = createHttpHeaders(Object.fromEntries(response.headers));
      return { request, status: response.status, headers, bodyAsText: await response.text() };
    },
  };
}

async function askAzure(): Promise<string> {
  const { WorkloadIdentityCredential, ManagedIdentityCredential } = await load("@azure/identity");
  const client = { httpClient: await makeClient() };
  const authority = { authorityHost: AUTHORITY, disableInstanceDiscovery: true };
  const sources: Readonly<Record<string, () => { getToken(scope: string): Promise<{ token: string }> }>> = {
    AKS: () => new WorkloadIdentityCredential({ ...client, ...authority }),
    "an Azure VM": () => new ManagedIdentityCredential(client),
    "one of an Azure VM's identities": () =>
      new ManagedIdentityCredential({ ...client, clientId: KNOWN.client }),
    "App Service": () => new ManagedIdentityCredential(client),
  };
  return (await sources[identity]?.().getToken(`${KNOWN.resource}/.default`))?.token ?? "";
}

process.stdout.write((await askAws()) || (await askAzure()));
