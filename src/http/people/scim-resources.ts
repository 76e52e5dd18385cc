// The resources of /scim/v2 by path and method, and how they answer.
import {
  type ActingDirectory,
  createUser,
  deleteUser,
  findUser,
  patchUser,
  replaceUser,
} from "../../admin/people/directory.ts";
import {
  createGroup,
  deleteGroup,
  findGroup,
  patchGroup,
  replaceGroup,
} from "../../admin/people/directory-groups.ts";
import {
  type ListQuery,
  listGroups,
  listUsers,
  readGroups,
  readMembers,
} from "../../admin/people/directory-lists.ts";
import { Fault } from "../../core/faults/fault.ts";
import type { JsonObject } from "../../core/json/json.ts";
import type { DirectoryGroup, DirectoryUser } from "../../core/people/directory.ts";
import {
  describeService,
  listResourceTypes,
  listSchemas,
  PAGE_MAX,
} from "../../people/directory/discovery.ts";
import {
  isShown,
  type Projection,
  projectResource,
  readProjection,
} from "../../people/directory/projection.ts";
import { DirectoryRefusal } from "../../people/directory/refusal.ts";
import { viewGroup, viewList, viewUser } from "../../people/directory/resources.ts";
import type { HeaderMap } from "../serve/answers.ts";

const COUNT_DEFAULT = 100;

export interface ScimAsk {
  readonly method: string;
  /** Behind the prefix, without a slash at its end. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly baseUrl: string;
  readonly readBody: () => Promise<JsonObject>;
}

export interface ScimAnswer {
  readonly status: number;
  /** Null for none. */
  readonly body: JsonObject | null;
  readonly headers: HeaderMap;
}

interface ResourceAsk extends ScimAsk {
  readonly parts: ActingDirectory;
  /** The id in the path. */
  readonly id: string;
  readonly projection: Projection;
}

type ScimHandler = (asked: ResourceAsk) => Promise<ScimAnswer>;
type ScimMethods = Readonly<Record<string, ScimHandler>>;

const USERS: ScimMethods = {
  GET: async (asked) => {
    const query = readListQuery(asked.query);
    const { total, rows } = await listUsers(asked.parts, query);
    return list(await viewUsers(asked, rows), total, query);
  },
  POST: async (asked) => made(asked, await createUser(asked.parts, await asked.readBody()), showUser),
};

const USER: ScimMethods = {
  GET: async (asked) => ok(await showUser(asked, await findUser(asked.parts, asked.id))),
  PUT: async (asked) =>
    ok(await showUser(asked, await replaceUser(asked.parts, asked.id, await asked.readBody()))),
  PATCH: async (asked) =>
    ok(await showUser(asked, await patchUser(asked.parts, asked.id, await asked.readBody()))),
  DELETE: async (asked) => {
    await deleteUser(asked.parts, asked.id);
    return NOTHING;
  },
};

const GROUPS: ScimMethods = {
  GET: async (asked) => {
    const query = readListQuery(asked.query);
    const { total, rows } = await listGroups(asked.parts, query);
    return list(await viewGroups(asked, rows), total, query);
  },
  POST: async (asked) => made(asked, await createGroup(asked.parts, await asked.readBody()), showGroup),
};

const GROUP: ScimMethods = {
  GET: async (asked) => ok(await showGroup(asked, await findGroup(asked.parts, asked.id))),
  PUT: async (asked) =>
    ok(await showGroup(asked, await replaceGroup(asked.parts, asked.id, await asked.readBody()))),
  PATCH: async (asked) => {
    await patchGroup(asked.parts, asked.id, await asked.readBody());
    return NOTHING;
  },
  DELETE: async (asked) => {
    await deleteGroup(asked.parts, asked.id);
    return NOTHING;
  },
};

const NOTHING: ScimAnswer = { status: 204, body: null, headers: {} };

function describeAll(find: (baseUrl: string) => readonly JsonObject[]): ScimMethods {
  return {
    GET: async ({ baseUrl }) => {
      const resources = find(baseUrl);
      return ok(viewList(resources, resources.length, 1));
    },
  };
}

function describeOne(find: (baseUrl: string) => readonly JsonObject[]): ScimMethods {
  return {
    GET: async ({ baseUrl, id }) => {
      const found = find(baseUrl).find((one) => String(one.id).toLowerCase() === id.toLowerCase());
      if (found !== undefined) return ok(found);
      throw new DirectoryRefusal("notFound", "there is nothing of this name");
    },
  };
}

/** By the first part of the path: all of a resource, and one of its elements. */
const RESOURCES: Readonly<Record<string, { readonly all: ScimMethods; readonly one: ScimMethods | null }>> = {
  users: { all: USERS, one: USER },
  groups: { all: GROUPS, one: GROUP },
  serviceproviderconfig: { all: { GET: async ({ baseUrl }) => ok(describeService(baseUrl)) }, one: null },
  resourcetypes: { all: describeAll(listResourceTypes), one: describeOne(listResourceTypes) },
  schemas: { all: describeAll(listSchemas), one: describeOne(listSchemas) },
};

/** Parts of SCIM that aren't built. */
const UNBUILT = /^\/(bulk|me)(\/|$)|\/\.search$/i;

/** Throws `DirectoryRefusal` and `Fault`. */
export async function answerScim(parts: ActingDirectory, ask: ScimAsk): Promise<ScimAnswer> {
  if (UNBUILT.test(ask.path)) {
    const detail = "This part of SCIM isn't supported here: see /ServiceProviderConfig.";
    return { status: 501, body: { schemas: [ERROR_SCHEMA], status: "501", detail }, headers: {} };
  }
  const [, name = "", id = "", ...more] = ask.path.split("/");
  const key = name.toLowerCase();
  const resource = Object.hasOwn(RESOURCES, key) ? RESOURCES[key] : undefined;
  const methods = id === "" ? resource?.all : resource?.one;
  if (!methods || more.length > 0) throw new DirectoryRefusal("notFound", "there is no such resource");
  const handle = Object.hasOwn(methods, ask.method) ? methods[ask.method] : undefined;
  if (handle === undefined) {
    const allow = Object.keys(methods).join(", ");
    throw new Fault("method_not_supported", `This resource supports ${allow}.`, { allow });
  }
  const { query } = ask;
  const projection = readProjection(query.get("attributes"), query.get("excludedAttributes"));
  return handle({ ...ask, parts, id: decodeId(id), projection });
}

const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";

function decodeId(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function ok(body: JsonObject): ScimAnswer {
  return { status: 200, body, headers: {} };
}

async function made<Row extends { readonly id: string }>(
  asked: ResourceAsk,
  row: Row,
  show: (asked: ResourceAsk, row: Row) => Promise<JsonObject>,
): Promise<ScimAnswer> {
  const location = `${asked.baseUrl}${asked.path}/${row.id}`;
  return { status: 201, body: await show(asked, row), headers: { location } };
}

function list(resources: readonly JsonObject[], total: number, { startIndex }: ListQuery): ScimAnswer {
  return ok(viewList(resources, total, startIndex));
}

function readListQuery(query: URLSearchParams): ListQuery {
  const filter = query.get("filter");
  return {
    filter: filter === null || filter.trim() === "" ? null : filter,
    startIndex: Math.max(1, readNumber(query, "startIndex", 1)),
    count: Math.min(PAGE_MAX, Math.max(0, readNumber(query, "count", COUNT_DEFAULT))),
  };
}

function readNumber(query: URLSearchParams, name: string, missing: number): number {
  const given = query.get(name);
  if (given === null || given === "") return missing;
  if (/^-?\d{1,9}$/.test(given)) return Number(given);
  throw new DirectoryRefusal("invalidValue", `'${name}' must be a whole number`);
}

async function showUser(asked: ResourceAsk, user: DirectoryUser): Promise<JsonObject> {
  const [shown = {}] = await viewUsers(asked, [user]);
  return shown;
}

async function viewUsers(
  { parts, baseUrl, projection }: ResourceAsk,
  users: readonly DirectoryUser[],
): Promise<readonly JsonObject[]> {
  const ids = isShown(projection, "groups") ? users.map(({ id }) => id) : [];
  const groups = await readGroups(parts, ids);
  return users.map((user) => projectResource(viewUser(user, groups.get(user.id) ?? [], baseUrl), projection));
}

async function showGroup(asked: ResourceAsk, group: DirectoryGroup): Promise<JsonObject> {
  const [shown = {}] = await viewGroups(asked, [group]);
  return shown;
}

/** Members are read only where they are shown: a group may have 20,000. */
async function viewGroups(
  { parts, baseUrl, projection }: ResourceAsk,
  groups: readonly DirectoryGroup[],
): Promise<readonly JsonObject[]> {
  const hasMembers = isShown(projection, "members");
  const members = await readMembers(parts, hasMembers ? groups.map(({ id }) => id) : []);
  return groups.map((group) => {
    const own = hasMembers ? (members.get(group.id) ?? []) : null;
    return projectResource(viewGroup(group, own, baseUrl), projection);
  });
}
