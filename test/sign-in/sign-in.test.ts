// Signing in with a real OpenID Connect provider: from its pages to a session with the role that the rules give.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askAs, type SignInWorld, signInAs, startSignInWorld } from "./world.ts";

let world: SignInWorld;
beforeAll(async () => {
  world = await startSignInWorld();
  const { people } = world.provider;
  people.set("ada", { email: "ada@example.com", email_verified: true, name: "Ada", groups: ["platform"] });
});
afterAll(() => world.stop());

describe("signing in", () => {
  test("gives a session in the role of the rules", async () => {
    const { page, browser } = await signInAs(world, "ada");
    expect(page.text).toContain("You are signed in");
    expect(page.status).toBe(200);
    expect((await askAs(browser, world.url, "/keys")).status).toBe(200);
  });
});
