// The ways to obtain an access token or a role's keys. Plain data; every address in it comes from the operator's
// configuration.

/** Each of them yields a short-lived bearer token, fetched and cached by `transport/auth/tokens.ts`. */
export type TokenSource =
  | ClientCredentials
  | ServiceAccount
  | RefreshToken
  | MetadataServer
  | WorkloadIdentity;

/** OAuth client credentials, as used by Entra (Microsoft identity platform, "Client credentials flow"). */
interface ClientCredentials {
  readonly kind: "client_credentials";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

/** A service account's key file (Google identity, "Using OAuth 2.0 for server to server applications"). */
export interface ServiceAccount {
  readonly kind: "service_account";
  readonly tokenUrl: string;
  readonly email: string;
  /** PKCS#8 in PEM. */
  readonly privateKey: string;
  readonly keyId: string | null;
}

/** The file written by `gcloud auth application-default login`. */
interface RefreshToken {
  readonly kind: "refresh_token";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
}

/** The metadata server that gives Google Cloud machines their service account's token. */
interface MetadataServer {
  readonly kind: "metadata";
  readonly url: string;
}

/** Workload identity federation with a token in a file (Google IAM, "external_account"). */
export interface WorkloadIdentity {
  readonly kind: "workload_identity";
  readonly tokenUrl: string;
  readonly audience: string;
  readonly subjectTokenType: string;
  /** Read for each exchange, because the platform rotates the token in it. */
  readonly file: string;
  /** The JSON field that holds the token. Null if the whole file is the token. */
  readonly field: string | null;
  /** The service account to impersonate. Null if the workload itself has the permissions. */
  readonly impersonationUrl: string | null;
}

/** Keys of an AWS account or role that sign each call. */
export interface AwsProof {
  readonly kind: "aws";
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Null for long-term keys. */
  readonly sessionToken: string | null;
  /** For example `us-east-1`. */
  readonly region: string;
}

/** The agent that gives ECS and EKS containers the keys of their role (AWS SDKs, "Container credential provider"). */
export interface AwsContainer {
  readonly kind: "aws_container";
  readonly url: string;
  /** The token for the agent, or a file with it that is read for each request. Null for none. */
  readonly authorization: { readonly value: string } | { readonly file: string } | null;
  /** The region used in signatures. */
  readonly region: string;
}
