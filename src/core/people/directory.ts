// The users and groups of the company's directory, as they are stored, and the changes to them.
import type { GatewayKey } from "../keys/key.ts";
import type { Member } from "./people.ts";

export interface DirectoryEmail {
  readonly value: string;
  /** `work`, for instance. Null if the directory gave none. */
  readonly type: string | null;
  readonly isPrimary: boolean;
}

/** The attributes that a directory can set. Null for those that it hasn't. */
export interface UserAttributes {
  readonly userName: string;
  readonly externalId: string | null;
  readonly displayName: string | null;
  readonly formattedName: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly emails: readonly DirectoryEmail[];
  readonly isActive: boolean;
  readonly department: string | null;
  readonly costCenter: string | null;
  readonly employeeNumber: string | null;
}

export interface DirectoryUser extends UserAttributes {
  /** `usr_…`, never used again. */
  readonly id: string;
  /** The person, of whom there is one for each user. */
  readonly memberId: string;
  /** True once the person's subject at the issuer is known. It stays for good. */
  readonly isLinked: boolean;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
}

export interface GroupAttributes {
  readonly displayName: string;
  readonly externalId: string | null;
}

export interface DirectoryGroup extends GroupAttributes {
  /** `grp_…`, never used again. */
  readonly id: string;
  /** True once it had a member: only then does it decide about the rules that name it. */
  readonly isFilled: boolean;
  readonly createdAtMs: number;
  readonly changedAtMs: number;
  /** Null while it exists. One that was deleted still decides about claims from before. */
  readonly deletedAtMs: number | null;
}

/** The changes of a group's members: those that come and go, on top of its own or of none. */
export interface MemberSteps {
  /** True if all that were there before go, unless they come. */
  readonly isWhole: boolean;
  /** By user id, true for those that come. */
  readonly users: ReadonlyMap<string, boolean>;
}

/** Each field narrows a list of users further. Folded where case doesn't count. */
export interface UserFilter {
  readonly id?: string | undefined;
  readonly userName?: string | undefined;
  readonly externalId?: string | undefined;
  readonly displayName?: string | undefined;
  readonly isActive?: boolean | undefined;
  readonly email?: { readonly value: string; readonly type: string | null } | undefined;
}

/** Each field narrows a list of groups further. */
export interface GroupFilter {
  readonly id?: string | undefined;
  readonly displayName?: string | undefined;
  readonly externalId?: string | undefined;
  /** The id of a user. */
  readonly member?: string | undefined;
}

export interface DirectoryPage {
  /** The rows that are left out, oldest first. */
  readonly offset: number;
  readonly limit: number;
}

interface DirectoryList<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

type MembershipQuery =
  | { readonly users: readonly string[] }
  | { readonly people: readonly string[] }
  | { readonly groups: readonly string[] };

/** A group that a user is in, or a user who is in a group. */
interface Membership {
  /** The person's id where people were asked by. */
  readonly userId: string;
  readonly groupId: string;
  /** The group's name, or nothing where groups were asked by. */
  readonly display: string;
}

/** The part of a person on which the rights by a directory depend. A change of a large group reads it of thousands. */
export type ReviewedMember = Pick<
  Member,
  "id" | "ruleGrants" | "ruleLimits" | "readsContent" | "groups" | "seenAtMs" | "refusedAtMs"
>;

/** The part of a user on which the person's rights depend. */
export type ReviewedUser = Pick<DirectoryUser, "id" | "memberId" | "userName" | "emails" | "isActive">;

/** All that decides by the directory about a person's rights. */
export interface Standing {
  readonly member: ReviewedMember;
  readonly user: ReviewedUser;
  /** The ids of the groups that the user is in, of those that rules name. */
  readonly groupIds: ReadonlySet<string>;
}

/** The names by which users and people are found. Folded where case doesn't count. */
export interface UserClaim {
  /** The user's id. */
  readonly id: string;
  /** Null if both stay as they are. */
  readonly names: { readonly userName: string; readonly externalId: string | null } | null;
  /** The people whom a new user may be: those with one of these ids, this id at the issuer, or one of these addresses. */
  readonly people: {
    readonly ids: readonly string[];
    readonly objectId: string | null;
    readonly emails: readonly string[];
  };
  /** The groups that rules name. */
  readonly ruleGroups: readonly string[];
  /** True if there is no such user yet. */
  readonly isNew: boolean;
}

/** The rows that a change of a user depends on. */
export interface UserRows {
  readonly user: DirectoryUser | null;
  /** True if another user has the same name, or the same id in the directory. */
  readonly isTaken: boolean;
  /** The user's own person, and the people whom the claim may mean. */
  readonly members: readonly Member[];
  /** The people among them who have a user. */
  readonly provisioned: ReadonlySet<string>;
  readonly groupIds: ReadonlySet<string>;
  /** Those that rules name, deleted ones included. */
  readonly groups: readonly DirectoryGroup[];
  /** All that there are. */
  readonly users: number;
  /** Those of the user's own person that aren't revoked. */
  readonly keys: readonly GatewayKey[];
}

export interface UserWrite {
  readonly user: DirectoryUser;
  readonly isDeleted: boolean;
  readonly member: Member;
  /** True if sessions and agents' sign-ins end. */
  readonly endsAccess: boolean;
  /** The person's keys that are paused, resumed or revoked, as they are after it. */
  readonly keys: readonly GatewayKey[];
  /** The person who was made for this user and never signed in, and is somebody who is known. Null if nobody goes. */
  readonly replaces: string | null;
  /** Ids that lead to the person from now on. */
  readonly aliases: readonly string[];
}

export interface GroupClaim {
  readonly id: string;
  /** Folded. Null if the name stays as it is. */
  readonly displayName: string | null;
  readonly externalId: string | null;
  readonly steps: MemberSteps;
  /** The names in the claims of people whom the change may concern, besides those that come and go. Null if it concerns nobody else. */
  readonly wideNames: readonly string[] | null;
  readonly ruleGroups: readonly string[];
}

/** The rows that a change of a group depends on. */
export interface GroupRows {
  readonly group: DirectoryGroup | null;
  readonly isTaken: boolean;
  /** All members if the steps are whole, else those that are named. */
  readonly members: ReadonlySet<string>;
  /** The number of all members. */
  readonly size: number;
  /** The users that exist, of those that come. */
  readonly known: ReadonlySet<string>;
  readonly groups: readonly DirectoryGroup[];
  /** Everybody who may be concerned, as they are before the change. */
  readonly standings: readonly Standing[];
  /** All groups that there are. */
  readonly count: number;
  /** True if parts of an earlier change of the group are left. */
  readonly isUnfinished: boolean;
}

/** The part of a person that follows from rules. */
export type MemberRights = Pick<Member, "id" | "ruleGrants" | "ruleLimits" | "readsContent">;

export interface GroupWrite {
  readonly group: DirectoryGroup;
  readonly came: readonly string[];
  readonly went: readonly string[];
  readonly rights: readonly MemberRights[];
  /** The people whose access ends, since no rule matches them any more. */
  readonly left: readonly string[];
  readonly nowMs: number;
}

/** The start of a change that concerns too many people for one transaction. The rest is stored as parts. */
export interface GroupBeginning extends Pick<GroupWrite, "group" | "came" | "went"> {
  /** The group that the change was decided on. Null for a new one. */
  readonly before: DirectoryGroup | null;
  readonly parts: readonly UserMoves[];
  /** The names in the claims of people whose rights it may change. They are looked for afterwards, page by page. */
  readonly names: readonly string[];
}

/** Users whom one transaction moves. */
interface UserMoves {
  readonly came: readonly string[];
  readonly went: readonly string[];
  /** Those who neither come nor go, but whose rights may change. */
  readonly others: readonly string[];
}

/** A part of a group's change that is still to be done. */
export interface GroupPart extends UserMoves {
  readonly groupId: string;
  readonly part: number;
  /** Empty, or the names in the claims of people who are looked for among the users after an id. */
  readonly names: readonly string[];
  readonly after: string;
}

/** The rows that such a part depends on. */
export interface GroupPartRows {
  readonly groups: readonly DirectoryGroup[];
  readonly standings: readonly Standing[];
}

export interface GroupPartWrite extends Pick<GroupWrite, "rights" | "left" | "nowMs"> {}

/** The users whom a change of a group may concern: its members, or those whose person's claims have one of these names. */
type GroupUsers = { readonly group: string } | { readonly names: readonly string[] };

/** A user whom somebody who signs in may be. */
export interface UserMatch {
  readonly user: DirectoryUser;
  readonly groupIds: ReadonlySet<string>;
}

interface GroupSummary {
  readonly group: DirectoryGroup;
  readonly members: number;
}

interface DirectorySummary {
  readonly users: number;
  readonly active: number;
  readonly unlinked: number;
  readonly groups: readonly GroupSummary[];
}

/** The store's reads of the directory. */
export interface DirectoryStore {
  users(filter: UserFilter, page: DirectoryPage): Promise<DirectoryList<DirectoryUser>>;
  groups(filter: GroupFilter, page: DirectoryPage): Promise<DirectoryList<DirectoryGroup>>;
  /** The groups of these users or people, or the members of these groups. */
  memberships(of: MembershipQuery): Promise<readonly Membership[]>;
  /** Users of this person, with one of these ids in the directory, or with this name or address, in this order. */
  usersOf(of: {
    readonly memberId: string;
    readonly externalIds: readonly string[];
    readonly email: string | null;
  }): Promise<readonly UserMatch[]>;
  /** The groups that rules name, deleted ones included. */
  groupsNamed(names: readonly string[]): Promise<readonly DirectoryGroup[]>;
  /** The person whom an id leads to. Null if it is nobody else's. */
  aliased(id: string): Promise<string | null>;
  summary(groups: number): Promise<DirectorySummary>;
  /** The number of a group's members, and of all users. */
  measureGroup(id: string): Promise<{ readonly members: number; readonly users: number }>;
  /** A page of users by their ids. `next` is the id that the next one begins after, or null at the end. */
  groupUsers(
    of: GroupUsers,
    page: { readonly after: string; readonly limit: number },
  ): Promise<{ readonly ids: readonly string[]; readonly next: string | null }>;
  /** Those of these users who exist. */
  knownUsers(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** The first part that is left of a group's change, or of any. */
  nextGroupPart(groupId: string | null): Promise<GroupPart | null>;
}

/** The changes of the directory. Each is one transaction, one after the other over all nodes. */
export interface DirectoryChanges {
  /** Writes what `decide` makes of the rows. Null writes nothing. It must be pure: it may run more than once. */
  changeUser(claim: UserClaim, decide: (rows: UserRows) => UserWrite | null): Promise<UserWrite | null>;
  changeGroup(claim: GroupClaim, decide: (rows: GroupRows) => GroupWrite | null): Promise<GroupWrite | null>;
  /** Writes a group and stores the parts of its change. `check` throws if the group can't be changed so. */
  beginGroup(
    claim: Omit<GroupClaim, "steps" | "wideNames" | "ruleGroups">,
    beginning: GroupBeginning,
    check: (rows: Pick<GroupRows, "group" | "isTaken" | "count" | "isUnfinished">) => void,
  ): Promise<void>;
  /**
   * Does a part, unless somebody else has done it, and writes what `decide` makes of the rows. It must be pure. `end` is the
   * last user of a step through all users, after whom the part goes on. Null if it ends.
   */
  stepGroup(
    part: GroupPart,
    end: string | null,
    ruleGroups: readonly string[],
    decide: (rows: GroupPartRows) => GroupPartWrite,
  ): Promise<GroupPartWrite | null>;
  /** Writes the rights of people after an id, in its order, up to this many. Returns the last one's id, or null at the end. */
  reviewMembers(
    page: {
      readonly after: string;
      readonly limit: number;
      readonly ruleGroups: readonly string[];
      readonly nowMs: number;
    },
    decide: (standing: Standing, groups: readonly DirectoryGroup[]) => MemberRights | null,
  ): Promise<string | null>;
}
