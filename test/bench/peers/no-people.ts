// The parts of a store that know people, sign-ins and payments, for a gateway that has none of them.
import type { Store } from "../../../src/core/store.ts";

export function noPeople(): Pick<
  Store,
  "people" | "devices" | "directory" | "limitRequests" | "checkouts" | "foreign" | "cache"
> {
  const nothing = async () => null;
  const nobody = async () => [];
  const tokens = {
    tokenByDigest: nothing,
    token: nothing,
    tokens: nobody,
    accountsNamed: nobody,
  };
  const members = {
    member: nothing,
    memberTerms: nothing,
    members: nobody,
    doubtDueMembers: async () => 0,
    endedRoles: nobody,
    dueMembers: nobody,
    countByAccount: async () => ({ keys: new Map(), people: new Map() }),
    countPeople: nobody,
    erase: async () => {},
    dropErased: async () => true,
    unerased: nobody,
  };
  const none = {
    holdings: async () => ({ hasSession: false, hasToken: false }),
    endSessionsOnce: async () => 0,
    addSession: async () => {},
    session: nothing,
    endSession: async () => {},
    sessionsOf: nobody,
    keepLink: async () => {},
    takeLink: async () => false,
  };
  const people = {
    ...tokens,
    ...members,
    ...none,
    useOnce: async () => true,
  };
  const foreign = { adopt: async () => {}, end: async () => 0 };
  const limitRequests = { list: nobody, find: nothing, forgetTexts: async () => {} };
  const checkouts = {
    find: nothing,
    findByPayment: nothing,
    setPage: async () => {},
    keepStray: async () => {},
    strays: nobody,
  };
  const cache = { find: nobody, keep: async () => {}, trim: async () => {}, prune: async () => 0 };
  const devices = noDevices();
  const directory = noDirectory();
  return { people, devices, directory, limitRequests, checkouts, foreign, cache };
}

function noDirectory(): Store["directory"] {
  const nothing = async () => null;
  const nobody = async () => [];
  return {
    users: async () => ({ total: 0, rows: [] }),
    groups: async () => ({ total: 0, rows: [] }),
    memberships: nobody,
    usersOf: nobody,
    groupsNamed: nobody,
    aliased: nothing,
    summary: async () => ({ users: 0, active: 0, unlinked: 0, groups: [] }),
    measureGroup: async () => ({ members: 0, users: 0 }),
    groupUsers: async () => ({ ids: [], next: null }),
    knownUsers: async () => new Set<string>(),
    nextGroupPart: nothing,
  };
}

function noDevices(): Store["devices"] {
  const nothing = async () => null;
  const never = async (): Promise<never> => {
    throw new Error("Not part of the measurement.");
  };
  return {
    addCode: async () => false,
    codeByUser: nothing,
    stepCode: never,
    stepDevice: never,
    deviceByRefresh: nothing,
    agentByDigest: nothing,
    devicesOf: async () => [],
    endDevice: async () => false,
    addMistake: async () => true,
    removeMistake: async () => {},
  };
}
