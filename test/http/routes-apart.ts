// Admin routes whose answers have tests of their own.

/** Their answers are not the operator's JSON but a cookie, a stream, a file or a completion, each with its own tests. */
export const APART = [
  "POST /session",
  "GET /session",
  "DELETE /session",
  // In `people/cookies.test.ts`, since a request with the admin token has none.
  "DELETE /sessions/{id}",
  "GET /reconciliation.csv",
  ...[
    "requests",
    "usage",
    "journal",
    "statements",
    "keys",
    "accounts",
    "members",
    "audit",
    "reconciliation",
  ].flatMap((name) => [`GET /export/${name}.csv`, `GET /export/${name}.jsonl`]),
  "GET /requests/live",
  "POST /playground",
  "POST /playground/{id}",
  // Nobody uploads here: `test/http/files/admin-files.test.ts` has files, and the console's test of a batch reads one.
  "DELETE /files/{id}",
  "GET /files/{id}/content",
  // Nothing waits here: `test/whole/events/webhooks.test.ts` has a receiver that fails.
  "POST /webhooks/deliveries",
  "POST /webhooks/test",
  // No tool server is here: `test/whole/tools/admin-tools.test.ts` has some.
  "GET /mcp/tools/{name}",
  // No list is watched here: `test/whole/models/price-changes.test.ts` has one.
  "POST /catalogue",
  // Cards aren't taken here: `test/whole/money/stripe.test.ts` has a simulated Stripe.
  "POST /accounts/{id}/checkout",
  // Nothing runs here: `test/whole/batches` has batches.
  "GET /batches",
  "GET /batches/{id}",
  "POST /batches/{id}/cancel",
  // Nobody signs in here: `test/people/sign-in` has the people.
  "GET /members",
  "GET /members/{id}",
  "PATCH /members/{id}",
  "POST /members/{id}/anonymise",
  "POST /members/{id}/budgets/reset",
  "GET /limit-requests",
  "POST /limit-requests",
  "POST /limit-requests/{id}/decide",
  "GET /members/{id}/stays",
  "GET /members/{id}/devices",
  "DELETE /members/{id}/devices/{device}",
];
