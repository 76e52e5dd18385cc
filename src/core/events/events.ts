// Events: what happens that the operator may want to hear of, recorded in the transaction that makes it happen.

/**
 * Every type of event, with the sentence that people read. `{field}` stands for a field of its data. Those in
 * `AUDITED_EVENTS` are read off the audit log, and so is `budget.raised`; all others are recorded.
 */
export const EVENTS = {
  "account.digest":
    "The account {name} cost {cost_usd} USD in the week of {week}, after {before_usd} USD in the week before.",
  "balance.low": "The balance of {name} is {balance} USD, below {limit} USD.",
  "allowance.used_up": "The {limit} free requests a day of {name} are used up.",
  "budget.exceeded": "A budget of {name} (per {per}) is used up: {used} of {limit} USD.",
  "budget.raised": "A budget of {name} was raised.",
  "budget.warned": "A budget of {name} (per {per}) has used {used} of {limit} USD.",
  "budget.reset": "The budgets of {name} were set to 0 by {by}: {reason}",
  "limit_request.made": "A person asks for more of a limit ({kind}).",
  "limit_request.decided": "A request for more of a limit ({kind}) was decided.",
  "issuer.silent":
    "The provider of the sign-in gives no definite word since {since}: without one, sessions end at {sessions_end_at} and personal keys at {keys_end_at}.",
  "issuer.back": "The provider of the sign-in answers again, after {since}.",
  "member.left": "A person has left ({reason}), and their sessions and personal keys have ended.",
  "member.deactivated":
    "The company's directory has deactivated a person, whose sessions and personal keys have ended.",
  "member.role_ended": "The role {role} that an admin gave a person has ended at {until}.",
  "member.in_doubt":
    "The provider refuses to say whether a person is still there: without a sign-in, their keys end at {keys_end_at}.",
  "member.without_role": "A person has no role any more ({reason}).",
  "member.keys_expired": "A person's personal keys have expired at {until}.",
  "provider.down": "The provider {provider} gets no requests any more: {reason}.",
  "provider.up": "The provider {provider} answers again.",
  "hook.down": "The hook {hook} fails: {reason}.",
  "model.gone": "The provider {provider} doesn't have the model {model} any more.",
  "model.ending": "The model {model}, which is in use here, ends: its last day is {until}.",
  "catalogue.waiting":
    "The watched list of prices has something for a person: {new} new models, {prices} prices, {ends} ends.",
  "router.best_changed": "The model that is best overall is {model} now. Before, it was {before}.",
  "credential.retired": "The provider {provider} refuses its credential …{last4}: {reason}.",
  "topup.paid": "{account} was topped up with {amount} USD by card.",
  "topup.refunded": "{amount} USD of a card payment of {account} were refunded ({state}).",
  "topup.disputed": "A card payment of {account} is disputed over {amount} USD ({state}).",
  "token.expiring": "The directory's token {name} ends at {until}.",
  "token.ending": "Only its contact upholds the token {name}, which ends at {until}.",
  "batch.completed":
    "The batch {batch_id} is completed: {completed} of {total} lines were answered, {failed} failed.",
  "batch.failed": "The batch {batch_id} can't be run: its input has mistakes.",
  "batch.expired":
    "The window of the batch {batch_id} has ended: {completed} of {total} lines were answered.",
  "batch.cancelled": "The batch {batch_id} was cancelled: {completed} of {total} lines were answered.",
  "batch.waiting": "The batch {batch_id} waits ({code}): {message}",
  "key.created": "The key {name} was created.",
  "key.revoked": "The key {name} was revoked.",
  "key.contact_gone": "The contact of the service key {name} has left.",
  "key.expiring": "The key {name} ends at {until}.",
  "webhook.test": "{name} has sent a test: this receiver gets events of the gateway.",
} as const satisfies Readonly<Record<string, string>>;

export type EventType = keyof typeof EVENTS;

/** Those that only receivers get which name them: no pattern stands for them. */
export const NAMED_EVENTS: ReadonlySet<string> = new Set<EventType>(["account.digest"]);

/** The type of those that wait to be chained to the audit log. They are no events yet. */
export const AUDIT_EVENT = "audit";

/** Plain data as JSON. Names are people's text, and nothing is a prompt or a secret. */
export type EventData = Readonly<Record<string, unknown>>;

/** An event as it is recorded. */
export interface OutboxEvent<Type extends string = EventType | typeof AUDIT_EVENT> {
  /** Empty if it concerns no account. */
  readonly accountId: string;
  /** Unique within the account: one that is recorded again is the same event. */
  readonly id: string;
  readonly atMs: number;
  readonly type: Type;
  readonly data: EventData;
}

/** One that was read. Another version may have types of its own. */
export type StoredEvent = OutboxEvent<string>;

/** An event of one thing at one time: recorded twice, it is the same. */
export function makeEvent(
  type: EventType,
  subject: string,
  about: Pick<OutboxEvent, "accountId" | "atMs" | "data">,
): OutboxEvent {
  return { ...about, id: `${type} ${subject} ${about.atMs}`, type };
}

/** Begins the type of a row of the audit log: `audit.key.created`. */
export const AUDIT_TYPE = "audit.";

/** Actions of the audit log that are events of the same name once they have succeeded. */
export const AUDITED_EVENTS: ReadonlySet<string> = new Set<EventType>(["key.created", "key.revoked"]);
