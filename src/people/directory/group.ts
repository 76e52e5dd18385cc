// A group's attributes and members: what a directory may write, step by step.
import { isObject, type JsonObject } from "../../core/json/json.ts";
import type { GroupAttributes, MemberSteps } from "../../core/people/directory.ts";
import { listSteps, readText, type Step } from "./operations.ts";
import { DirectoryRefusal } from "./refusal.ts";
import { cannotRemove, TEXT_CHARACTERS_MAX } from "./user.ts";

export const GROUP_MEMBERS_MAX = 20_000;

/** The result of some steps, whatever the group's members are. Undefined for fields that stay. */
interface GroupSteps {
  readonly displayName: string | undefined;
  readonly externalId: string | null | undefined;
  readonly members: MemberSteps;
}

/** One that grows step by step: a body has too many members to copy them for each. */
interface GroupDraft {
  displayName: string | undefined;
  externalId: string | null | undefined;
  isWhole: boolean;
  readonly users: Map<string, boolean>;
}

/** Returns what a POST or PUT makes of a group. Absent members are none. */
export function readGroup(body: JsonObject): GroupAttributes & { readonly members: MemberSteps } {
  const draft: GroupDraft = { displayName: undefined, externalId: null, isWhole: true, users: new Map() };
  for (const step of listSteps("add", body)) applyGroupStep(draft, step);
  const { displayName, externalId = null, isWhole, users } = draft;
  if (displayName === undefined) throw new DirectoryRefusal("invalidValue", "'displayName' is required");
  return { displayName, externalId, members: { isWhole, users } };
}

/** Returns what the steps of a PATCH make of a group. */
export function planGroup(steps: readonly Step[]): GroupSteps {
  const draft: GroupDraft = {
    displayName: undefined,
    externalId: undefined,
    isWhole: false,
    users: new Map(),
  };
  for (const step of steps) applyGroupStep(draft, step);
  const { displayName, externalId, isWhole, users } = draft;
  return { displayName, externalId, members: { isWhole, users } };
}

function applyGroupStep(draft: GroupDraft, step: Step): void {
  const { verb, path, value } = step;
  switch (path.attribute) {
    case "displayname":
      if (verb === "remove") throw cannotRemove("displayName");
      draft.displayName = readDisplayName(value);
      return;
    case "externalid":
      draft.externalId = verb === "remove" ? null : readText("externalId", value, TEXT_CHARACTERS_MAX);
      return;
    case "members":
      applyMembers(draft, step);
      return;
  }
}

function readDisplayName(value: unknown): string {
  const name = readText("displayName", value, TEXT_CHARACTERS_MAX);
  if (name !== null) return name;
  throw new DirectoryRefusal("invalidValue", "'displayName' must be a text of 1 to 256 characters");
}

function applyMembers(draft: GroupDraft, { verb, path, value }: Step): void {
  const named = readMatch(path);
  if (named !== null) {
    mark(draft, [named], verb !== "remove");
    return;
  }
  // Microsoft Entra names those that go in the value. Without one, all go.
  const isEmptied = verb === "remove" && (value === undefined || value === null);
  if (isEmptied || verb === "replace") {
    draft.isWhole = true;
    draft.users.clear();
  }
  mark(draft, readMembers(value), verb !== "remove");
}

/** Returns the user that `members[value eq "…"]` names. Null without a filter. */
function readMatch({ matches, part }: Step["path"]): string | null {
  if (matches === null) {
    if (part === null || part === "value") return null;
    throw new DirectoryRefusal("invalidPath", "members can't be changed, only added and removed");
  }
  const [match, another] = matches;
  if (another === undefined && match?.part === "value" && typeof match.value === "string") return match.value;
  throw new DirectoryRefusal("invalidPath", `members are found as members[value eq "id"]`);
}

function readMembers(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  const list = Array.isArray(value) ? value : [value];
  return list.map((one) => {
    const id = isObject(one)
      ? Object.entries(one).find(([name]) => name.toLowerCase() === "value")?.[1]
      : one;
    if (typeof id === "string" && id !== "" && id.length <= TEXT_CHARACTERS_MAX) return id;
    throw new DirectoryRefusal("invalidValue", "an element of 'members' must be an object with a 'value'");
  });
}

function mark({ users }: GroupDraft, ids: readonly string[], isComing: boolean): void {
  for (const id of ids) users.set(id, isComing);
}
