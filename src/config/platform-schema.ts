// The configuration's schema of the fields that only the clouds have: where a customer's models are, and who the customer is.
import { Type } from "@sinclair/typebox";
import { baseUrl, section, text } from "./field-types.ts";

const optional = Type.Optional;

/** Ids, secrets and scopes as they go into forms and headers. */
const word = (expected: string) => text(expected, /^[\x21-\x7e]{1,1024}$/);

const entra = section(
  {
    tenant: text("a tenant's id or domain", /^[A-Za-z0-9.-]{1,253}$/),
    client_id: word("the application's client id"),
    client_secret: word("the application's client secret"),
    authority: optional(baseUrl),
    scope: optional(word("a scope like https://cognitiveservices.azure.com/.default")),
  },
  "An application's client credentials at Microsoft Entra, in place of keys.",
);

const aws = section(
  {
    access_key_id: word("the id of an access key"),
    secret_access_key: word("the secret of an access key"),
    session_token: optional(text("the token of a session", /^[\x21-\x7e]{1,4096}$/)),
  },
  "The keys of an AWS account or role, with which each call is signed, in place of keys.",
);

/** Amazon Bedrock API reference, "GuardrailConfiguration". */
const guardrail = section(
  {
    id: text(
      "a guardrail's id or ARN",
      /^([a-z0-9]{1,2048}|arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:\d{12}:guardrail\/[a-z0-9]{1,1000})$/,
    ),
    version: text('a number or "DRAFT"', /^([1-9]\d{0,7}|DRAFT)$/),
  },
  "The guardrail that reads each chat request and its answer.",
);

export const PLATFORM_FIELDS = {
  resource: optional(text("a resource's name", /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/)),
  api: optional(text('"v1" or a version like 2024-10-21', /^(v1|\d{4}-\d{2}-\d{2}(-preview)?)$/)),
  entra: optional(entra),
  region: optional(text("an AWS region like us-east-1", /^[a-z]{2,5}(-[a-z]+){1,3}-\d{1,2}$/)),
  aws: optional(aws),
  guardrail: optional(guardrail),
  project: optional(text("a project's id", /^[a-z0-9][a-z0-9.:-]{0,99}$/)),
  location: optional(text("global, us, eu or a region like us-central1", /^[a-z][a-z0-9-]{1,39}$/)),
  service_account: optional(
    text(
      `the text of a key file, as in \${file:/path/sa.json}, or "metadata"`,
      /^(\s*\{[\s\S]*\}\s*|metadata)$/,
    ),
  ),
};
