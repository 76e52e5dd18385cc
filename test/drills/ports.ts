// The members of the ports that most rooms depend on, counted by the compiler: with what they extend, and the Store's with
// the ports in it.
import type { Store } from "../../src/core/store.ts";
import type { RequestContext } from "../../src/gateway/context.ts";
import type { ChatForm } from "../../src/operations/chat/decoder.ts";
import type { Operation } from "../../src/operations/operation.ts";

type Intersect<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer Both,
) => void
  ? Both
  : never;
type Last<Union> =
  Intersect<Union extends unknown ? () => Union : never> extends () => infer One ? One : never;
/** One step for each name, so that the compiler prints the number in an error. */
type Count<Names, Counted extends readonly unknown[] = readonly []> = [Names] extends [never]
  ? Counted["length"]
  : Count<Exclude<Names, Last<Names>>, readonly [...Counted, unknown]>;
type Method = (...given: never[]) => unknown;
type Inner<Port> = {
  [Name in keyof Port & string]: Port[Name] extends Method
    ? never
    : Port[Name] extends object
      ? `${Name}.${keyof Port[Name] & string}`
      : never;
}[keyof Port & string];

/** A number that isn't the port's own is an error of types, which names the right one. */
export const MEMBERS: {
  readonly Store: Count<keyof Store>;
  readonly "Store, with the ports in it": Count<Exclude<keyof Store | Inner<Store>, never>>;
  readonly Operation: Count<keyof Operation<ChatForm>>;
  readonly RequestContext: Count<keyof RequestContext<ChatForm>>;
} = {
  Store: 70,
  "Store, with the ports in it": 201,
  Operation: 48,
  RequestContext: 47,
};
