// Topping up by card in the console: the amounts, the way to Stripe's page, and the way back.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { SECRET_KEY, startSimulatedStripe, WEBHOOK_SECRET } from "../../payments/simulated.ts";
import {
  type ConsoleWorld,
  findBarriers,
  HAS_BROWSER,
  isTooWide,
  openConsole,
  startConsoleWorld,
  VISIT_MS,
} from "../visitor.ts";

setDefaultTimeout(VISIT_MS);

const stripe = startSimulatedStripe();
let world: ConsoleWorld;
beforeAll(async () => {
  const card = `secret_key: ${SECRET_KEY}, webhook_secret: ${WEBHOOK_SECRET}, api_base: "${stripe.url}"`;
  world = await startConsoleWorld({
    server: `public_url: "https://gateway.example.com"`,
    more: () => `topups: { stripe: { ${card}, amounts_usd: [10, 25.5] } }`,
  });
});
afterAll(async () => {
  await world.stop();
  await stripe.stop();
});

describe.skipIf(!HAS_BROWSER)("cards (skipped without Chromium)", () => {
  test("an amount is chosen and paid on Stripe's page, and the account thanks", async () => {
    const { page, open, close, complaints, foreign } = await openConsole(world, "/", {
      viewport: { width: 360, height: 740 },
    });
    await page.route("https://checkout.stripe.test/**", (route) => route.fulfill({ body: "Pay here" }));
    await open("/settings/accounts/default");
    await page.getByRole("button", { name: "Top up by card" }).click();
    await page.getByRole("button", { name: "$25.50" }).click();
    expect(await findBarriers(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
    await page.getByRole("button", { name: "Pay by card" }).click();
    await page.getByText("Pay here").waitFor();
    expect(
      stripe.simulated.requests.map(({ form }) => form.get("line_items[0][price_data][unit_amount]")),
    ).toEqual(["2550"]);
    const back = stripe.simulated.requests[0]?.form.get("success_url") ?? "";
    await page.goto(back.replace("https://gateway.example.com", world.gateway.url));
    await page.getByText("The balance grows as soon as Stripe confirms the payment.").waitFor();
    await close();
    // The only address elsewhere is the page to pay on.
    expect(complaints).toEqual([]);
    expect(foreign).toEqual([expect.stringContaining("https://checkout.stripe.test/c/pay/cs_test_")]);
  });
});
