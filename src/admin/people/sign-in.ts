// The public answer on how people sign in, which the console's sign-in page shows.
import { Type } from "@sinclair/typebox";
import { allowNull, boolean, text, type View } from "../schema.ts";

export const signInViewSchema = Type.Object({
  // The host of the provider with which people can sign in. Null if there is none.
  provider: allowNull(text),
  // The address at which that begins, to which `return_to` may be added.
  start_url: allowNull(text),
  // True if this browser is signed in already.
  signed_in: boolean,
});
export type SignInView = View<typeof signInViewSchema>;
