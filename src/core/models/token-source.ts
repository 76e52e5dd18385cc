// The ways to obtain an access token or a role's keys. Plain data; every address in it is one that the cloud's standard
// fixes, or that the operator names.
import type { NetworkRules } from "../world/network.ts";

/** A source at a server that may have to be reached by a proxy. Those on the machine's own link are always called directly. */
interface RemoteSource {
  readonly network?: NetworkRules;
}

/** Each of them yields a short-lived bearer token, fetched and cached by `transport/auth/tokens.ts`. */
export type TokenSource =
  | ClientCredentials
  | ServiceAccount
  | RefreshToken
  | MetadataServer
  | WorkloadIdentity
  | FederatedApplication
  | ManagedIdentity;

/** OAuth client credentials, as used by Entra (Microsoft identity platform, "Client credentials flow") and tool servers. */
export interface ClientCredentials extends RemoteSource {
  readonly kind: "client_credentials";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Missing if the server has a scope of its own for the client. */
  readonly scope?: string;
  /** The server that the token is for (RFC 8707). */
  readonly resource?: string;
}

/** A service account's key file (Google identity, "Using OAuth 2.0 for server to server applications"). */
export interface ServiceAccount extends RemoteSource {
  readonly kind: "service_account";
  readonly tokenUrl: string;
  readonly email: string;
  /** PKCS#8 in PEM. */
  readonly privateKey: string;
  readonly keyId: string | null;
}

/** The file written by `gcloud auth application-default login`. */
interface RefreshToken extends RemoteSource {
  readonly kind: "refresh_token";
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
}

/** The metadata server that gives Google Cloud machines their service account's token. */
export interface MetadataServer {
  readonly kind: "metadata";
  readonly url: string;
}

/** Workload identity federation with a token in a file (Google IAM, "external_account"). */
export interface WorkloadIdentity extends RemoteSource {
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

/**
 * An application that Entra knows by a token of another issuer, such as a cluster's (Microsoft identity platform, "Client
 * credentials flow: access token request with a federated credential").
 */
export interface FederatedApplication extends RemoteSource {
  readonly kind: "federated_application";
  readonly tokenUrl: string;
  readonly clientId: string;
  /** The file with the token. Read for each request, because the platform rotates it. */
  readonly file: string;
  readonly scope: string;
}

/**
 * The identity of a machine, a container or an app in Azure (Microsoft Entra, "How to use managed identities on a virtual
 * machine to acquire an access token"; Azure App Service, "REST endpoint reference").
 */
export interface ManagedIdentity {
  readonly kind: "managed_identity";
  /** The whole address, with its query. */
  readonly url: string;
  /** The secret that App Service and Container Apps give their apps for it. Null on virtual machines. */
  readonly header: string | null;
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

/** Each of them yields a role's short-lived keys, which are cached and renewed as tokens are. */
export type AwsKeySource = AwsRoleSource | AwsAssumedRole;
/** A role that AWS itself gives to where the gateway runs. */
export type AwsRoleSource = AwsContainer | AwsInstance | AwsWebIdentity;

/** The agent that gives ECS and EKS containers the keys of their role (AWS SDKs, "Container credential provider"). */
export interface AwsContainer {
  readonly kind: "aws_container";
  readonly url: string;
  /** The token for the agent, or a file with it that is read for each request. Null for none. */
  readonly authorization: { readonly value: string } | { readonly file: string } | null;
  /** The region used in signatures. */
  readonly region: string;
}

/** The role of an EC2 instance, by the second version of its metadata service (EC2, "Use IMDS"). */
export interface AwsInstance {
  readonly kind: "aws_instance";
  /** The metadata service's address, without a path. */
  readonly origin: string;
  readonly region: string;
}

/** A role that AWS gives to the holder of a token in a file (STS, "AssumeRoleWithWebIdentity"). */
export interface AwsWebIdentity extends RemoteSource {
  readonly kind: "aws_web_identity";
  readonly stsUrl: string;
  readonly roleArn: string;
  readonly sessionName: string;
  /** Read for each request, because the platform rotates the token in it. */
  readonly file: string;
  readonly region: string;
}

/** Another role, often another account's, that this identity may take (STS, "AssumeRole"). */
export interface AwsAssumedRole extends RemoteSource {
  readonly kind: "aws_assumed_role";
  readonly stsUrl: string;
  readonly roleArn: string;
  readonly sessionName: string;
  /** The word that the role's owner requires. Null for none. */
  readonly externalId: string | null;
  /** The source of the keys that sign the request for the role's. */
  readonly base: AwsProof | AwsRoleSource;
  readonly region: string;
}
