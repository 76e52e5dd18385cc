// The line of the models page about the day of the prices, with a review of what a list of prices would change.
import { useState } from "preact/hooks";
import type { PriceReview } from "../../admin/models/price-review-schema.ts";
import { formatCount, formatDay } from "../frame/format.ts";
import { useResource } from "../frame/resource.ts";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/states.tsx";
import { Review } from "./price-review.tsx";

export function PriceAge() {
  const review = useResource<PriceReview>("/catalogue");
  const [isOpen, setOpen] = useState(false);
  // Its place is kept, so that the list below doesn't move when it is known.
  if (review.isLoading) return <p class="small faint summary">Prices of …</p>;
  return (
    <Loaded of={review}>
      {(shown) => (
        <>
          <p class="small faint summary">
            Prices of {formatDay(shown.as_of)}
            {isReviewable(shown) && (
              <>
                ; {describe(shown)} <Button label="review" isTiny onClick={() => setOpen(true)} />
              </>
            )}
          </p>
          {isOpen && <Review review={shown} onClose={() => setOpen(false)} onDone={review.reload} />}
        </>
      )}
    </Loaded>
  );
}

function isReviewable({ compared_at, list, hiding, overtaken }: PriceReview): boolean {
  return compared_at !== null || list.refused !== null || hiding.length + overtaken.length > 0;
}

function describe({ models_used, added, changes, list }: PriceReview): string {
  if (list.refused !== null) return `the list can't be used (${list.refused}):`;
  if (changes.length === 0) return "nothing differs from the list:";
  const used = `${describeUsed(models_used)} changed since`;
  return added === 0 ? `${used}:` : `${describeAdded(added)}, ${used}:`;
}

function describeAdded(count: number): string {
  return count === 1 ? "1 model is new" : `${formatCount(count)} models are new`;
}

function describeUsed(count: number): string {
  if (count === 0) return "models that nobody uses";
  return count === 1 ? "1 model you use" : `${formatCount(count)} models you use`;
}
