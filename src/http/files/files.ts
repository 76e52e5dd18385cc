// The routes of files, which the SDKs of OpenAI and Anthropic share: each is answered in its own form.
import { Elysia } from "elysia";
import type { FileForm, FileOwner, StoredFile } from "../../core/batches/file.ts";
import { Fault } from "../../core/faults/fault.ts";
import { invalidValue } from "../../core/json/schema-fault.ts";
import type { GatewayKey } from "../../core/keys/key.ts";
import { readFileIds, readFileListQuery } from "../../surfaces/files/list-query.ts";
import { viewDeletedFile, viewFile, viewFileList } from "../../surfaces/files/views.ts";
import { FILES_UNSERVED } from "../../surfaces/gemini/unserved.ts";
import { findAsker } from "../../surfaces/index.ts";
import { checkRoom } from "../door/arrive.ts";
import { describeObject, describeRoute } from "../openapi/route-schema.ts";
import type { HttpPorts } from "../ports.ts";
import { createJsonResponse } from "../serve/answers.ts";
import type { HeaderStore } from "../serve/app.ts";
import { identifyCaller, type RouteRequest } from "../serve/auth.ts";
import { createContentResponse } from "./content.ts";
import { Uploads } from "./uploads.ts";

const TAG = "Files";
const SHOWN_CHARACTERS_MAX = 100;

/** A request whose sender is known. */
interface FileRequest {
  readonly key: GatewayKey;
  readonly owner: FileOwner;
  readonly form: FileForm;
}

type FileRoute = RouteRequest & { readonly set: HeaderStore };

export function fileRoutes(ports: HttpPorts) {
  const uploads = new Uploads(ports);
  const find = async (route: FileRoute, id: string): Promise<FileRequest & { readonly file: StoredFile }> => {
    const sent = await readSender(ports, route);
    const file = await ports.files.find(id, sent.owner);
    if (file === null || file.form !== sent.form) throw fileNotFound(id);
    return { ...sent, file };
  };
  return new Elysia()
    .post(
      "/v1/files",
      async (route) => {
        const { key, form } = await readSender(ports, route);
        checkOn(ports);
        checkRoom(ports);
        return createJsonResponse(200, viewFile(await uploads.receive(route.request, key, form)));
      },
      { parse: "none", ...describeUpload() },
    )
    .get(
      "/v1/files",
      async (route) => createJsonResponse(200, await listFiles(ports, await readSender(ports, route), route)),
      describeObject(TAG, "listFiles", "List files", "The files, newest first."),
    )
    .get(
      "/v1/files/:id",
      async (route) => createJsonResponse(200, viewFile((await find(route, route.params.id)).file)),
      describeObject(TAG, "retrieveFile", "Get a file's name, size and times", "The file."),
    )
    .delete(
      "/v1/files/:id",
      async (route) => {
        const { file, form, owner } = await find(route, route.params.id);
        if (!(await ports.files.remove(file.id, owner))) throw fileNotFound(file.id);
        return createJsonResponse(200, viewDeletedFile(form, file.id));
      },
      describeObject(TAG, "deleteFile", "Delete a file", "The deleted file's id."),
    )
    .get(
      "/v1/files/:id/content",
      async (route) => {
        const { file, key } = await find(route, route.params.id);
        return createContentResponse(ports, key.accountId, file);
      },
      describeRoute(TAG, "downloadFile", "Get a file's bytes", "The bytes, as they were uploaded."),
    );
}

/** Throws the Faults of a key that isn't let in, and of a form that has no files here. */
async function readSender(ports: HttpPorts, route: FileRoute): Promise<FileRequest> {
  const form = findAsker(route.request.headers);
  if (form === "anthropic") route.set.headers["request-id"] = String(route.set.headers["x-request-id"]);
  if (form === "google") throw new Fault("unknown_url", FILES_UNSERVED);
  const { key } = await identifyCaller(ports, route);
  return { key, form, owner: { accountId: key.accountId, memberId: key.memberId } };
}

/** Throws the Fault `unknown_url` if the operator has turned uploads off. */
function checkOn({ batchRules }: Pick<HttpPorts, "batchRules">): void {
  if (batchRules().isOn) return;
  throw new Fault(
    "unknown_url",
    "Uploads are turned off here (batches.on): send a file's content in the request itself.",
  );
}

function fileNotFound(id: string): Fault {
  const message = `No such file: '${id.slice(0, SHOWN_CHARACTERS_MAX)}'. It may have been deleted or have ended.`;
  return new Fault("file_not_found", message, { param: "file_id" });
}

interface ListRoute {
  readonly request: Request;
  readonly query: Readonly<Record<string, string | undefined>>;
}

async function listFiles(
  { files }: Pick<HttpPorts, "files">,
  { owner, form }: FileRequest,
  { request, query }: ListRoute,
) {
  const ids = form === "anthropic" ? readFileIds(new URL(request.url).searchParams) : null;
  if (ids !== null) {
    const named: StoredFile[] = [];
    for (const id of ids) {
      const file = await files.find(id, owner);
      if (file?.form === form) named.push(file);
    }
    return viewFileList(form, named, false);
  }
  const { limit, order, purpose, after, afterField } = readFileListQuery(form, query);
  const last = after === null ? null : await files.find(after, owner);
  if (after !== null && last?.form !== form) throw invalidValue(afterField, "expected the id of a file");
  const found = await files.list(owner, { form, purpose, order, limit: limit + 1, after: last });
  return viewFileList(form, found.slice(0, limit), found.length > limit);
}

/** A form, which `describeRoute` knows nothing of. */
function describeUpload() {
  const described = describeObject(TAG, "createFile", "Upload a file", "The file.");
  const text = { type: "string" };
  const schema: object = {
    type: "object",
    required: ["file"],
    properties: {
      file: { type: "string", format: "binary" },
      purpose: { ...text, enum: ["batch", "user_data", "vision", "assistants"] },
      "expires_after[anchor]": { ...text, enum: ["created_at"] },
      "expires_after[seconds]": { type: "integer", minimum: 3600, maximum: 2_592_000 },
      expires_in_seconds: { type: "integer", minimum: 3600, maximum: 2_592_000 },
    },
  };
  const requestBody = { required: true, content: { "multipart/form-data": { schema: { ...schema } } } };
  return { detail: { ...described.detail, requestBody } };
}
