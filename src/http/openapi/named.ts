// The schemas that have names in the OpenAPI document, so that generated types are called Key, Request and Account.
import { auditSchema } from "../../admin/audit/audit.ts";
import { problemSchema } from "../../admin/events/problems.ts";
import { deliverySchema, receiverSchema } from "../../admin/events/webhooks.ts";
import { newKeySchema } from "../../admin/keys/key-fields.ts";
import {
  checkedKeyDetailSchema,
  checkedKeySchema,
  checkedNewKeySchema,
} from "../../admin/keys/key-warnings.ts";
import { keyInUseSchema } from "../../admin/keys/keys-in-use.ts";
import { limitRequestSchema } from "../../admin/limits/limit-requests.ts";
import { limitSchema } from "../../admin/limits/limits.ts";
import { nearingSchema } from "../../admin/limits/nearing.ts";
import { figuresSchema, tokensSchema, unitsSchema } from "../../admin/log/figures.ts";
import { overviewSchema } from "../../admin/log/overview.ts";
import { refusalSchema } from "../../admin/log/refusals.ts";
import { requestDetailSchema, requestSchema } from "../../admin/log/request-schema.ts";
import { resultSchema } from "../../admin/log/search-result.ts";
import { usageRowSchema } from "../../admin/log/usage.ts";
import { aliasTargetSchema } from "../../admin/models/alias-target.ts";
import { aliasSchema } from "../../admin/models/aliases.ts";
import { batchDetailSchema, batchSchema } from "../../admin/models/batches.ts";
import { fileSchema } from "../../admin/models/files.ts";
import { providerSchema, testResultSchema } from "../../admin/models/providers.ts";
import { cardSchema, settingsSchema } from "../../admin/models/settings-schema.ts";
import { accountDetailSchema, accountSchema, newAccountSchema } from "../../admin/money/accounts.ts";
import { entrySchema } from "../../admin/money/journal.ts";
import { monthSchema } from "../../admin/money/months.ts";
import { spendingSchema } from "../../admin/money/spending.ts";
import { statementSchema } from "../../admin/money/statements.ts";
import { deviceSchema } from "../../admin/people/devices.ts";
import { memberDetailSchema } from "../../admin/people/member-detail.ts";
import { memberSchema } from "../../admin/people/members.ts";
import { createdTokenSchema, grantSchema, tokenSchema } from "../../admin/people/named-tokens.ts";
import { senderSessionSchema } from "../../admin/people/sender-sessions.ts";
import { sessionSchema } from "../../admin/people/session.ts";
import { completionSchema } from "../../surfaces/openai-chat/answer-schema.ts";
import { chatRequestSchema } from "../../surfaces/openai-chat/schema.ts";
import { withOptionalNulls } from "./form.ts";

export const NAMED: Readonly<Record<string, object>> = {
  Account: accountSchema,
  AccountDetail: accountDetailSchema,
  NewAccount: newAccountSchema,
  Alias: aliasSchema,
  AliasTarget: aliasTargetSchema,
  AuditEntry: auditSchema,
  Batch: batchSchema,
  BatchDetail: batchDetailSchema,
  ChatCompletion: completionSchema,
  ChatRequest: withOptionalNulls(chatRequestSchema),
  Delivery: deliverySchema,
  Device: deviceSchema,
  Figures: figuresSchema,
  File: fileSchema,
  Grant: grantSchema,
  JournalEntry: entrySchema,
  Key: keyInUseSchema,
  ChangedKey: checkedKeySchema,
  CreatedKey: checkedNewKeySchema,
  KeyDetail: checkedKeyDetailSchema,
  NewKey: newKeySchema,
  Limit: limitSchema,
  LimitRequest: limitRequestSchema,
  Member: memberSchema,
  MemberDetail: memberDetailSchema,
  Model: cardSchema,
  Month: monthSchema,
  NearingBudget: nearingSchema,
  Overview: overviewSchema,
  Problem: problemSchema,
  Provider: providerSchema,
  ProviderTest: testResultSchema,
  Receiver: receiverSchema,
  Refusal: refusalSchema,
  Request: requestSchema,
  RequestDetail: requestDetailSchema,
  SearchResult: resultSchema,
  Session: sessionSchema,
  OwnSession: senderSessionSchema,
  Settings: settingsSchema,
  Spending: spendingSchema,
  Statement: statementSchema,
  Token: tokenSchema,
  CreatedToken: createdTokenSchema,
  Tokens: tokensSchema,
  Units: unitsSchema,
  Usage: usageRowSchema,
};
