// The ways to come by an access token or keys of a role, as plain data from the operator's configuration: every address in it is the operator's.

/** All lead to a short-lived bearer token, which `transport/auth/tokens.ts` fetches and keeps. */
export type TokenSource =
  | ClientCredentials
  | ServiceAccount
  | RefreshToken
  | MetadataServer
  | WorkloadIdentity;

/** OAuth's client credentials, as Entra grants them (Microsoft identity platform, "Client credentials flow"). */
export interface ClientCredentials {
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

/** The file that `gcloud auth application-default login` writes. */
export interface RefreshToken {
  readonly kind: "refresh_token";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
}

/** The server that gives machines of Google's cloud the token of their service account. */
export interface MetadataServer {
  readonly kind: "metadata";
  readonly url: string;
}

/** Workload identity federation with a token in a file (Google IAM, "external_account"). */
export interface WorkloadIdentity {
  readonly kind: "workload_identity";
  readonly tokenUrl: string;
  readonly audience: string;
  readonly subjectTokenType: string;
  /** Read again for each exchange, since the platform replaces the token in it. */
  readonly file: string;
  /** The field of the file's JSON that holds the token; null: the whole file is the token. */
  readonly field: string | null;
  /** The service account to act as; null: the workload itself has the rights. */
  readonly impersonationUrl: string | null;
}

/** The agent that gives containers of ECS and EKS the keys of their role (AWS SDKs, "Container credential provider"). */
export interface AwsContainer {
  readonly kind: "aws_container";
  readonly url: string;
  /** The token that the agent is shown, or the file with it, which is read again for each request; null: nothing is shown. */
  readonly authorization: { readonly value: string } | { readonly file: string } | null;
  /** The region that signatures name. */
  readonly region: string;
}
