// Topping up by card: the amounts, and the way to the page on which one is paid.
import { useRef } from "preact/hooks";
import type { AccountView } from "../../admin/money/accounts.ts";
import type { CheckoutAmountsView, CheckoutView } from "../../admin/money/checkouts.ts";
import { makeIdempotencyKey, openAddress } from "../browser.ts";
import { sendChange } from "../frame/api.ts";
import { formatUsd } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { route } from "../frame/route.ts";
import { may } from "../frame/session.ts";
import { useForm } from "../frame/task.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { Notice } from "../parts/states.tsx";

/** Returns the amounts that can be paid by card. None if cards aren't taken, or it isn't permitted. */
export function useCardAmounts(accountId: string): readonly number[] {
  const isPermitted = may("checkouts.make", accountId);
  const amounts = useResource<CheckoutAmountsView>(isPermitted ? `/accounts/${accountId}/checkout` : null);
  return amounts.data?.amounts_usd ?? [];
}

interface CardTopUpProps {
  readonly account: AccountView;
  readonly amounts: readonly number[];
  readonly onClose: () => void;
}

/** Goes to the page of one checkout, however often the button is pressed. */
export function CardTopUp({ account, amounts, onClose }: CardTopUpProps) {
  const keys = useRef(new Map<string, string>());
  const form = useForm(
    () => ({ amount_usd: String(amounts[0] ?? "") }),
    async ({ amount_usd: usd }) => {
      const headers = { "idempotency-key": keys.current.getOrInsertComputed(usd, makeIdempotencyKey) };
      const path = `/accounts/${account.id}/checkout`;
      openAddress((await sendChange<CheckoutView>("POST", path, { amount_usd: Number(usd) }, headers)).url);
    },
  );
  return (
    <FormDialog title={`Top up ${account.name}`} action="Pay by card" form={form} onClose={onClose}>
      <p class="soft">The balance is {formatUsd(account.balance_usd)}. You pay on a page of Stripe's.</p>
      <div class="row">
        {amounts.map((usd) => (
          <Button
            key={usd}
            label={formatUsd(usd)}
            kind={form.draft.amount_usd === String(usd) ? "main" : undefined}
            onClick={() => form.set("amount_usd", String(usd))}
          />
        ))}
      </div>
    </FormDialog>
  );
}

/** Thanks somebody who has come back from paying. */
export function PaidNotice() {
  if (route.value.query.get("paid") === null) return null;
  return <Notice>Thank you. The balance grows as soon as Stripe confirms the payment.</Notice>;
}
