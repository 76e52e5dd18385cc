// The sender of tests' changes.
import type { Act } from "../../src/core/people/people.ts";

export const TESTER: Act = {
  actor: { kind: "admin", id: "admin", name: "admin token" },
  address: "127.0.0.1",
  agent: "tests",
  route: "a test",
  requestId: "req_test",
};
