// The documents by which a directory may learn what these routes can do (RFC 7644, section 4).
import type { JsonObject } from "../../core/json/json.ts";
import { ENTERPRISE_SCHEMA, GROUP_SCHEMA, USER_SCHEMA } from "./names.ts";

export const PAGE_MAX = 200;
const CORE = "urn:ietf:params:scim:schemas:core:2.0";

export function describeService(baseUrl: string): JsonObject {
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: PAGE_MAX },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: false },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "A token of the kind 'scim', sent as 'Authorization: Bearer'.",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${baseUrl}/ServiceProviderConfig` },
  };
}

export function listResourceTypes(baseUrl: string): readonly JsonObject[] {
  const describe = (id: string, path: string, schema: string, extensions: readonly string[]) => ({
    schemas: [`${CORE}:ResourceType`],
    id,
    name: id,
    endpoint: path,
    description: `${id} of the directory`,
    schema,
    ...(extensions.length > 0
      ? { schemaExtensions: extensions.map((extension) => ({ schema: extension, required: false })) }
      : {}),
    meta: { resourceType: "ResourceType", location: `${baseUrl}/ResourceTypes/${id}` },
  });
  return [
    describe("User", "/Users", USER_SCHEMA, [ENTERPRISE_SCHEMA]),
    describe("Group", "/Groups", GROUP_SCHEMA, []),
  ];
}

interface AttributeNotes {
  readonly type?: "string" | "boolean" | "complex" | "reference";
  readonly required?: true;
  readonly multiValued?: true;
  readonly caseExact?: true;
  readonly mutability?: "readOnly" | "immutable";
  readonly uniqueness?: "server";
  readonly referenceTypes?: readonly string[];
  readonly canonicalValues?: readonly string[];
  readonly subAttributes?: readonly JsonObject[];
}

function describeAttribute(name: string, notes: AttributeNotes = {}): JsonObject {
  return {
    name,
    type: "string",
    multiValued: false,
    description: name,
    required: false,
    caseExact: false,
    mutability: "readWrite",
    returned: "default",
    uniqueness: "none",
    ...notes,
  };
}

function listReferenceParts(type: string): readonly JsonObject[] {
  return [
    describeAttribute("value", { caseExact: true, mutability: "immutable" }),
    describeAttribute("$ref", {
      type: "reference",
      caseExact: true,
      mutability: "immutable",
      referenceTypes: [type],
    }),
  ];
}

const EXTERNAL_ID = describeAttribute("externalId", { caseExact: true });

const USER_ATTRIBUTES = [
  describeAttribute("userName", { required: true, uniqueness: "server" }),
  EXTERNAL_ID,
  describeAttribute("displayName"),
  describeAttribute("name", {
    type: "complex",
    subAttributes: ["formatted", "givenName", "familyName"].map((name) => describeAttribute(name)),
  }),
  describeAttribute("emails", {
    type: "complex",
    multiValued: true,
    subAttributes: [
      describeAttribute("value"),
      describeAttribute("type", { canonicalValues: ["work", "home", "other"] }),
      describeAttribute("primary", { type: "boolean" }),
    ],
  }),
  // It may be left out of a new user, but never removed.
  describeAttribute("active", { type: "boolean", required: true }),
  describeAttribute("groups", {
    type: "complex",
    multiValued: true,
    mutability: "readOnly",
    subAttributes: [...listReferenceParts("Group"), describeAttribute("display")].map((one) => ({
      ...one,
      mutability: "readOnly",
    })),
  }),
];

const GROUP_ATTRIBUTES = [
  describeAttribute("displayName", { required: true, uniqueness: "server" }),
  EXTERNAL_ID,
  describeAttribute("members", {
    type: "complex",
    multiValued: true,
    subAttributes: [
      ...listReferenceParts("User"),
      describeAttribute("type", { mutability: "readOnly", canonicalValues: ["User"] }),
    ],
  }),
];

const ENTERPRISE_ATTRIBUTES = ["department", "costCenter", "employeeNumber"].map((name) =>
  describeAttribute(name),
);

export function listSchemas(baseUrl: string): readonly JsonObject[] {
  const describe = (id: string, name: string, attributes: readonly JsonObject[]) => ({
    schemas: [`${CORE}:Schema`],
    id,
    name,
    description: name,
    attributes,
    meta: { resourceType: "Schema", location: `${baseUrl}/Schemas/${id}` },
  });
  return [
    describe(USER_SCHEMA, "User", USER_ATTRIBUTES),
    describe(GROUP_SCHEMA, "Group", GROUP_ATTRIBUTES),
    describe(ENTERPRISE_SCHEMA, "Enterprise User", ENTERPRISE_ATTRIBUTES),
  ];
}
