// A member's request for more of a limit.
import type { Thing } from "./thing.ts";

export const LIMIT_REQUEST = {
  name: "limit_request",
  tag: "People",
  actions: {
    list: {
      id: "listLimitRequests",
      method: "GET",
      path: "/limit-requests",
      permission: "limit_requests.read",
      summary: "List the requests for more, newest first",
    },
    make: {
      id: "askForMore",
      method: "POST",
      path: "/limit-requests",
      permission: "limit_requests.make",
      summary: "Ask for more of one's own limit in an account, or raise somebody else's",
      audit: "limit_request.made",
    },
    decide: {
      id: "decideLimitRequest",
      method: "POST",
      path: "/limit-requests/:id/decide",
      permission: "members.limit",
      summary: "Grant or refuse somebody's request for more",
      audit: "limit_request.decided",
    },
  },
} as const satisfies Thing;
